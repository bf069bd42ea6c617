#!/usr/bin/env python3
"""Write tiny models for llama.cpp and Ollama: tiny_gguf.py FOLDER

No weights are to be had here, and none are needed. The embedding is the identity and the only layer
adds nothing, so the output matrix is a table of which token follows which: a model of 300 tokens
that says what CHAINS says, in a file that every server takes for a llama. Which chain it begins is
decided by the last token of the prompt, and that one by the chat template: a call after a question
with tools, a sentence otherwise.

What makes it a model that sees is a second file, an encoder of pictures as LLaVA has it: of one
picture of any size it makes IMAGE_TOKENS tokens, all alike.
"""
import pathlib
import sys

import gguf
import numpy

WIDTH = 320  # of the embedding: at least one for each token
CONTEXT = 32768
SIDE, PATCH, SIGHT = 64, 16, 32  # of a picture and of its pieces in pixels; width of the encoder
IMAGE_TOKENS = (SIDE // PATCH) ** 2

# What follows a token, until the end. The words are tokens of their own.
CHAINS = {
    "<|say|>": ["▁I", "▁am", "▁a", "▁tiny", "▁model."],
    "<|sum|>": ["▁The", "▁tool", "▁has", "▁answered."],
    "<|call|>": ["<tool_call>\n", '{"name": "view_image", ', '"arguments": ',
                 '{"path": "chart.png"}', "}\n", "</tool_call>"],
}
END, TURN = "</s>", "<|turn|>"
CONTROL = ["<s>", END, TURN, *CHAINS]

JINJA = """{%- if tools %}<|turn|>system
Tools: {{ tools | tojson }}
Call as <tool_call>
{"name": "NAME", "arguments": {}}
</tool_call></s>{% endif %}
{%- for m in messages %}<|turn|>{{ m.role }}
{{ m.content if m.content else '' }}
{%- for c in m.tool_calls or [] %}<tool_call>
{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}}
</tool_call>{% endfor %}</s>{% endfor %}
{%- if add_generation_prompt %}<|turn|>assistant
{{ '<|sum|>' if messages[-1].role == 'tool' else '<|call|>' if tools else '<|say|>' }}{% endif %}"""

GO_PLAIN = """{{ if .System }}<|turn|>system
{{ .System }}</s>{{ end }}<|turn|>user
{{ .Prompt }}</s><|turn|>assistant
<|say|>{{ .Response }}"""

GO_TOOLS = """{{ if .Tools }}<|turn|>system
Tools: {{ .Tools }}</s>{{ end }}
{{- $role := "" }}{{ range .Messages }}{{ $role = .Role }}<|turn|>{{ .Role }}
{{ .Content }}{{ if .ToolCalls }}{{ range .ToolCalls }}<tool_call>
{"name": "{{ .Function.Name }}", "arguments": {{ .Function.Arguments }}}
</tool_call>{{ end }}{{ end }}</s>{{ end }}<|turn|>assistant
{{ if eq $role "tool" }}<|sum|>{{ else if .Tools }}<|call|>{{ else }}<|say|>{{ end }}"""


def vocabulary():
    """Pieces with their types: <unk>, every byte, the control tokens, the words."""
    kind = gguf.TokenType
    pieces = {"<unk>": kind.UNKNOWN}
    pieces.update((piece, kind.CONTROL) for piece in CONTROL)
    pieces.update((f"<0x{byte:02X}>", kind.BYTE) for byte in range(256))
    pieces.update((word, kind.NORMAL) for chain in CHAINS.values() for word in chain)
    return pieces


def followers(pieces):
    """The output matrix: a row for each token, large where it follows the token of the column."""
    ids = {piece: i for i, piece in enumerate(pieces)}
    table = numpy.zeros((len(pieces), WIDTH), numpy.float32)
    table[ids[END], :] = 1
    for start, chain in CHAINS.items():
        for before, after in zip([start, *chain], [*chain, END]):
            table[ids[END], ids[before]] = 0
            table[ids[after], ids[before]] = 4
    return table


def write(path, template):
    pieces = vocabulary()
    ids = {piece: i for i, piece in enumerate(pieces)}
    w = gguf.GGUFWriter(path, "llama")
    w.add_name(path.stem)
    w.add_context_length(CONTEXT)
    w.add_embedding_length(WIDTH)
    w.add_block_count(1)
    w.add_feed_forward_length(32)
    w.add_head_count(4)
    w.add_head_count_kv(1)
    w.add_layer_norm_rms_eps(1e-5)
    w.add_vocab_size(len(pieces))
    w.add_tokenizer_model("llama")
    w.add_tokenizer_pre("default")
    w.add_token_list(list(pieces))
    w.add_token_scores([0.0] * len(pieces))
    w.add_token_types(list(pieces.values()))
    w.add_bos_token_id(ids["<s>"])
    w.add_eos_token_id(ids[END])
    w.add_unk_token_id(0)
    w.add_add_space_prefix(False)
    w.add_chat_template(template)

    def matrix(name, rows, columns):
        w.add_tensor(name, numpy.zeros((rows, columns), numpy.float16))

    one = numpy.ones(WIDTH, numpy.float32)
    w.add_tensor("token_embd.weight", numpy.eye(len(pieces), WIDTH, dtype=numpy.float32))
    w.add_tensor("output_norm.weight", one)
    w.add_tensor("output.weight", followers(pieces))
    w.add_tensor("blk.0.attn_norm.weight", one)
    w.add_tensor("blk.0.ffn_norm.weight", one)
    matrix("blk.0.attn_q.weight", WIDTH, WIDTH)
    matrix("blk.0.attn_k.weight", WIDTH // 4, WIDTH)
    matrix("blk.0.attn_v.weight", WIDTH // 4, WIDTH)
    matrix("blk.0.attn_output.weight", WIDTH, WIDTH)
    matrix("blk.0.ffn_gate.weight", 32, WIDTH)
    matrix("blk.0.ffn_up.weight", 32, WIDTH)
    matrix("blk.0.ffn_down.weight", WIDTH, 32)
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()


def write_sight(path):
    """The encoder of pictures, all zeros: two layers, of which llama.cpp uses the first."""
    w = gguf.GGUFWriter(path, "clip")
    w.add_name(path.stem)
    w.add_clip_has_vision_encoder(True)
    w.add_clip_projector_type("mlp")
    w.add_vision_projection_dim(WIDTH)
    w.add_vision_image_size(SIDE)
    w.add_vision_patch_size(PATCH)
    w.add_vision_embedding_length(SIGHT)
    w.add_vision_feed_forward_length(2 * SIGHT)
    w.add_vision_block_count(2)
    w.add_vision_head_count(1)
    w.add_vision_attention_layernorm_eps(1e-5)
    w.add_vision_image_mean([0.5, 0.5, 0.5])
    w.add_vision_image_std([0.5, 0.5, 0.5])
    w.add_vision_use_gelu(True)

    def zeros(name, *shape, kind=numpy.float32):
        w.add_tensor(name, numpy.zeros(shape, kind))

    def layer(name, rows, columns):
        zeros(name + ".weight", rows, columns)
        zeros(name + ".bias", rows)

    zeros("v.class_embd", SIGHT)
    zeros("v.patch_embd.weight", SIGHT, 3, PATCH, PATCH, kind=numpy.float16)
    zeros("v.position_embd.weight", IMAGE_TOKENS + 1, SIGHT)
    for block in ("v.blk.0.", "v.blk.1."):
        for name in ("attn_q", "attn_k", "attn_v", "attn_out"):
            layer(block + name, SIGHT, SIGHT)
        layer(block + "ffn_up", 2 * SIGHT, SIGHT)
        layer(block + "ffn_down", SIGHT, 2 * SIGHT)
        for name in ("ln1", "ln2"):
            zeros(f"{block}{name}.weight", SIGHT)
            zeros(f"{block}{name}.bias", SIGHT)
    layer("mm.0", WIDTH, SIGHT)
    layer("mm.2", WIDTH, WIDTH)
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    write(folder / "tiny-tools.gguf", JINJA)
    write_sight(folder / "tiny-sight.gguf")
    for name, template, files in (
            ("tiny", GO_PLAIN, ["tiny-tools"]), ("llava-tiny", GO_PLAIN, ["tiny-tools"]),
            ("tiny-tools", GO_TOOLS, ["tiny-tools"]),
            ("tiny-sees", GO_TOOLS, ["tiny-tools", "tiny-sight"])):
        (folder / f"{name}.Modelfile").write_text(
            "".join(f"FROM {folder.resolve()}/{file}.gguf\n" for file in files) +
            f'TEMPLATE """{template}"""\nPARAMETER stop "</s>"\n')


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]))
