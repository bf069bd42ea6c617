"""What arrived upstream: a body of each API, read into one list, whoever wrote it.

read(dialect, body) gives an Arrived. It is written from the vendors' pages alone and shares nothing with what writes
these bodies. A body that is not what its API takes raises KeyError or TypeError, or an AssertionError that says what.
"""
import base64
import dataclasses
import json
import re


@dataclasses.dataclass
class Item:
    """kind: "text", "media", "thought", "call", "result" """
    kind: str
    role: str
    turn: int  # the number of its message
    text: str = ""
    mime: str = ""
    data: bytes = b""
    id: str = ""
    name: str = ""
    arguments: dict = None
    failed: bool = False
    inside: list = dataclasses.field(default_factory=list)  # of a result: texts and media
    mark: str = ""


@dataclasses.dataclass
class Arrived:
    system: str = ""
    items: list = dataclasses.field(default_factory=list)
    tools: list = dataclasses.field(default_factory=list)
    choice: str = ""  # as speak.Request has it; "" where nothing is said
    marks: int = 0    # of the prompt cache

    def of(self, *kinds):
        return [i for i in self.items if i.kind in kinds]

    def all(self):
        """Those inside results too."""
        return self.items + [p for i in self.items for p in i.inside]

    def media(self):
        return [i for i in self.all() if i.kind == "media"]

    def texts(self):
        return [self.system] + [i.text for i in self.all() if i.text]


def expect(good, what):
    if not good:
        raise AssertionError(str(what)[:2000])


def of_url(url):
    found = re.fullmatch(r"data:([\w./+-]+);base64,([A-Za-z0-9+/]+=*)", url)
    expect(found, ("not a data URL", url[:100]))
    return found.group(1), base64.b64decode(found.group(2), validate=True)


def text(role, turn, words):
    return Item("text", role, turn, text=words)


def media(role, turn, mime, data):
    return Item("media", role, turn, mime=mime, data=data if isinstance(data, bytes) else base64.b64decode(
        data, validate=True))


# Anthropic


def anthropic_part(p, role, turn):
    kind = p["type"]
    if kind == "text":
        return text(role, turn, p["text"])
    if kind in ("image", "document"):
        source = p["source"]
        if source["type"] == "text":
            return text(role, turn, source["data"])
        return media(role, turn, source["media_type"], source["data"])
    if kind == "thinking":
        return Item("thought", role, turn, text=p["thinking"], mark=p["signature"])
    if kind == "tool_use":
        return Item("call", role, turn, id=p["id"], name=p["name"], arguments=p["input"])
    expect(kind == "tool_result", kind)
    content = p.get("content", [])
    content = [{"type": "text", "text": content}] if isinstance(content, str) else content
    return Item("result", role, turn, id=p["tool_use_id"], failed=p.get("is_error", False),
                inside=[anthropic_part(c, role, turn) for c in content])


def anthropic(body):
    out = Arrived(marks=json.dumps(body).count('"cache_control"'))
    system = body.get("system", "")
    out.system = system if isinstance(system, str) else "\n\n".join(s["text"] for s in system)
    for turn, m in enumerate(body["messages"]):
        content = m["content"] if isinstance(m["content"], list) else [{"type": "text", "text": m["content"]}]
        out.items += [anthropic_part(p, m["role"], turn) for p in content]
    out.tools = [t["name"] for t in body.get("tools", [])]
    choice = body.get("tool_choice", {"type": ""})
    out.choice = {"any": "required", "tool": choice.get("name")}.get(choice["type"], choice["type"])
    return out


# Chat completions: OpenAI's, and those that were made after it


def chat_part(p, role, turn):
    kind = p["type"]
    if kind == "text":
        return text(role, turn, p["text"])
    if kind == "image_url":
        url = p["image_url"]
        return media(role, turn, *of_url(url if isinstance(url, str) else url["url"]))
    if kind == "document_url":
        return media(role, turn, *of_url(p["document_url"]))
    if kind == "input_audio":
        sound = p["input_audio"]
        return media(role, turn, "audio/" + sound.get("format", "wav") if isinstance(sound, dict) else "audio/wav",
                     sound["data"] if isinstance(sound, dict) else sound)
    if kind == "thinking":
        words = p["thinking"]
        return Item("thought", role, turn, text=words if isinstance(words, str) else words[0]["text"])
    if kind == "document":  # Cohere's
        return text(role, turn, json.dumps(p["document"]["data"], ensure_ascii=False))
    expect(kind == "file", kind)
    return media(role, turn, *of_url(p["file"]["file_data"]))


def chat_parts(content, role, turn):
    content = [] if content is None else content
    return [chat_part(p, role, turn) for p in (
        [{"type": "text", "text": content}] if isinstance(content, str) else content)]


def chat_call(c, turn):
    arguments = c["function"]["arguments"]
    return Item("call", "assistant", turn, id=c.get("id", ""), name=c["function"]["name"],
                arguments=json.loads(arguments) if isinstance(arguments, str) else arguments)


def ollama_images(m, turn):
    return [media(m["role"], turn, sniff(base64.b64decode(i)), i) for i in m.get("images", [])]


def completion(body):
    out = Arrived()
    for turn, m in enumerate(body["messages"]):
        role, parts = m["role"], chat_parts(m.get("content"), m["role"], turn)
        if role in ("system", "developer") and not out.items:
            out.system += "".join(p.text for p in parts)
        elif role == "tool":
            parts += ollama_images(m, turn)
            out.items.append(Item("result", role, turn, id=m.get("tool_call_id", ""), inside=parts))
        else:
            out.items += [p for p in parts if p.text or p.kind != "text"]
            out.items += ollama_images(m, turn)
            for member in ("reasoning_content", "reasoning", "thinking"):
                if isinstance(m.get(member), str):
                    out.items.append(Item("thought", role, turn, text=m[member]))
            out.items += [chat_call(c, turn) for c in m.get("tool_calls") or []]
    out.tools = [t["function"]["name"] for t in body.get("tools", [])]
    choice = body.get("tool_choice", "")
    out.choice = (choice["function"]["name"] if isinstance(choice, dict) else
                  {"any": "required", "REQUIRED": "required", "NONE": "none"}.get(choice, choice))
    return out


# Responses


def responses_part(p, role, turn):
    kind = p["type"]
    if kind in ("input_text", "output_text"):
        return text(role, turn, p["text"])
    if kind == "input_image":
        return media(role, turn, *of_url(p["image_url"]))
    expect(kind == "input_file", kind)
    return media(role, turn, *of_url(p["file_data"]))


def responses_parts(content, role, turn):
    return [responses_part(p, role, turn) for p in (
        [{"type": "input_text", "text": content}] if isinstance(content, str) else content)]


def responses_item(i, turn):
    kind = i.get("type", "message")
    if kind == "message":
        return responses_parts(i["content"], i["role"], turn)
    if kind == "reasoning":
        return [Item("thought", "assistant", turn, text="".join(s["text"] for s in i["summary"]),
                     mark=i.get("encrypted_content") or "")]
    if kind == "function_call":
        return [Item("call", "assistant", turn, id=i["call_id"], name=i["name"],
                     arguments=json.loads(i["arguments"]))]
    expect(kind == "function_call_output", kind)
    return [Item("result", "tool", turn, id=i["call_id"], inside=responses_parts(i["output"], "tool", turn))]


def responses(body):
    out = Arrived(system=body.get("instructions") or "")
    items = body["input"]
    items = [{"role": "user", "content": items}] if isinstance(items, str) else items
    for turn, i in enumerate(items):
        if i.get("role") in ("system", "developer") and not out.items:
            out.system += "".join(p.text for p in responses_item(i, turn))
        else:
            out.items += responses_item(i, turn)
    out.tools = [t["name"] for t in body.get("tools", [])]
    choice = body.get("tool_choice", "")
    out.choice = choice["name"] if isinstance(choice, dict) else choice
    return out


# Gemini


def gemini_part(p, role, turn):
    if "functionCall" in p:
        c = p["functionCall"]
        return Item("call", role, turn, id=c.get("id", ""), name=c["name"], arguments=c.get("args", {}),
                    mark=p.get("thoughtSignature", ""))
    if "functionResponse" in p:
        r = p["functionResponse"]
        inside = [text(role, turn, json.dumps(r["response"], ensure_ascii=False))] if r["response"] else []
        return Item("result", role, turn, id=r.get("id", ""), name=r["name"], failed="error" in r["response"],
                    inside=inside + [gemini_part(i, role, turn) for i in r.get("parts", [])])
    if "inlineData" in p:
        return media(role, turn, p["inlineData"]["mimeType"], p["inlineData"]["data"])
    if p.get("thought"):
        return Item("thought", role, turn, text=p["text"], mark=p.get("thoughtSignature", ""))
    return Item("text", role, turn, text=p["text"], mark=p.get("thoughtSignature", ""))


def gemini(body):
    out = Arrived(system="".join(p["text"] for p in body.get("systemInstruction", {"parts": []})["parts"]))
    for turn, content in enumerate(body["contents"]):
        role = {"model": "assistant"}.get(content["role"], content["role"])
        out.items += [gemini_part(p, role, turn) for p in content["parts"]]
    out.tools = [f["name"] for t in body.get("tools", []) for f in t["functionDeclarations"]]
    config = body.get("toolConfig", {}).get("functionCallingConfig", {"mode": ""})
    names = config.get("allowedFunctionNames", [])
    out.choice = names[0] if len(names) == 1 else {"ANY": "required"}.get(config["mode"], config["mode"].lower())
    return out


# Bedrock's Converse


TYPES = {"pdf": "application/pdf", "txt": "text/plain", "md": "text/markdown"}


def bedrock_part(p, role, turn):
    (kind, v), = p.items()
    if kind == "text":
        return text(role, turn, v)
    if kind in ("image", "document", "video"):
        return media(role, turn, TYPES.get(v["format"], f"{kind}/{v['format']}"), v["source"]["bytes"])
    if kind == "json":
        return text(role, turn, json.dumps(v))
    if kind == "reasoningContent":
        return Item("thought", role, turn, text=v["reasoningText"]["text"], mark=v["reasoningText"].get(
            "signature", ""))
    if kind == "toolUse":
        return Item("call", role, turn, id=v["toolUseId"], name=v["name"], arguments=v["input"])
    expect(kind == "toolResult", kind)
    return Item("result", role, turn, id=v["toolUseId"], failed=v.get("status") == "error",
                inside=[bedrock_part(c, role, turn) for c in v["content"]])


def bedrock(body):
    out = Arrived(system="\n\n".join(s["text"] for s in body.get("system", []) if "text" in s),
                  marks=json.dumps(body).count('"cachePoint"'))
    for turn, m in enumerate(body["messages"]):
        out.items += [bedrock_part(p, m["role"], turn) for p in m["content"] if "cachePoint" not in p]
    config = body.get("toolConfig", {"tools": []})
    out.tools = [t["toolSpec"]["name"] for t in config["tools"] if "toolSpec" in t]
    (kind, value), = config.get("toolChoice", {"": {}}).items()
    out.choice = {"any": "required", "tool": value.get("name")}.get(kind, kind)
    return out


READERS = {"anthropic": anthropic, "openai-chat": completion, "openai-responses": responses, "gemini": gemini,
           "mistral": completion, "cohere": completion, "ollama": completion, "bedrock": bedrock}

# What an id of a call may be.
IDS = {"anthropic": r"[a-zA-Z0-9_-]{1,64}", "openai-chat": r".{1,40}", "openai-responses": r".{1,64}",
       "gemini": r".+", "mistral": r"[a-zA-Z0-9]{9}", "cohere": r".+", "ollama": r".*",
       "bedrock": r"[a-zA-Z0-9_-]{1,64}"}

MAGIC = [(b"\x89PNG", "image/png"), (b"\xff\xd8\xff", "image/jpeg"), (b"%PDF", "application/pdf"),
         (b"RIFF", "audio/wav"), (b"ID3", "audio/mp3"), (b"\xff\xfb", "audio/mp3"), (b"GIF8", "image/gif")]


def sniff(data):
    return next((mime for magic, mime in MAGIC if data.startswith(magic)), "text/plain")


def same_type(told, data):
    kind = sniff(data)
    return told == kind or told.split("/")[0] == kind.split("/")[0] == "audio" or (
        kind == "text/plain" and told.startswith("text/"))


def name_calls(out):
    """APIs without ids have the results in the order of the calls."""
    count = {"call": 0, "result": 0}
    for i in out.of("call", "result"):
        i.id = i.id or f"#{count[i.kind]}"
        count[i.kind] += 1


def check(dialect, out):
    """What holds of every body, whatever was asked."""
    open_calls, answered = [], set()
    for i in out.items:
        if i.kind == "call":
            expect(re.fullmatch(IDS[dialect], i.id), ("not an id of this API", i.id))
            expect(i.id not in answered | set(open_calls), ("an id twice", i.id))
            open_calls.append(i.id)
        elif i.kind == "result":
            expect(i.id in open_calls, ("a result without a call, or a second one", i.id))
            open_calls.remove(i.id)
            answered.add(i.id)
        else:
            expect(i.role == "assistant" or not open_calls, ("it comes before the results of", open_calls, i))
    expect(not open_calls, ("calls without a result", open_calls))
    for words in out.texts():
        expect(not re.search(r"[A-Za-z0-9+/]{200}", words), ("base64 as text", words[:300]))
    for i in out.media():
        expect(same_type(i.mime, i.data), ("the label is not the bytes", i.mime, i.data[:16]))


def read(dialect, body):
    out = READERS[dialect](json.loads(body))
    name_calls(out)
    check(dialect, out)
    return out
