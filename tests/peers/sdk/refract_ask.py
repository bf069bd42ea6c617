"""refract itself: `refract ask` with a tool of the configuration that prints an MCP result."""
import base64
import json
import os
import pathlib
import subprocess
import tempfile

import case

REFRACT = os.environ["REFRACT"]
MODELS = {
    "anthropic": "anthropic:claude-sonnet-4-6",
    "bedrock-claude": "bedrock:us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    "bedrock-nova": "bedrock:us.amazon.nova-2-lite-v1:0",
    "gemini-3": "google:gemini-3-pro-preview",
    "gemini-2.5": "google:gemini-2.5-flash",
    "openai": "openai:gpt-5-mini",
    "openai-chat": "openai-chat:gpt-4o",
    "xai": "xai:grok-4",
    "groq": "groq:meta-llama/llama-4-scout-17b-16e-instruct",
    "openrouter": "openrouter:anthropic/claude-sonnet-4.5",
    "mistral": "mistral:mistral-medium-latest",
    "cohere": "cohere:command-a-vision-07-2025",
    "ollama": "ollama:qwen3-vl:8b",
}
ADDRESSES = {"ANTHROPIC_BASE_URL": "/anthropic", "AWS_ENDPOINT_URL_BEDROCK_RUNTIME": "/bedrock",
             "GEMINI_BASE_URL": "/google", "OPENAI_BASE_URL": "/openai/v1",
             "XAI_BASE_URL": "/xai/v1", "GROQ_BASE_URL": "/groq",
             "OPENROUTER_BASE_URL": "/openrouter/api/v1", "MISTRAL_BASE_URL": "/mistral",
             "CO_API_URL": "/cohere", "OLLAMA_HOST": "/ollama"}
KEYS = ["ANTHROPIC_API_KEY", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "GEMINI_API_KEY",
        "OPENAI_API_KEY", "XAI_API_KEY", "GROQ_API_KEY", "OPENROUTER_API_KEY", "MISTRAL_API_KEY",
        "CO_API_KEY"]


def content(part):
    """A part of an MCP result."""
    data = case.PARTS[part]
    coded = base64.b64encode(data).decode()
    if part == "png":
        return {"type": "image", "mimeType": "image/png", "data": coded}
    if part == "mp3":
        return {"type": "audio", "mimeType": "audio/mpeg", "data": coded}
    if part == "pdf":
        return {"type": "resource", "resource": {"uri": "file:///file.pdf", "blob": coded,
                                                 "mimeType": "application/pdf"}}
    return {"type": "text", "text": data.decode()}


def ask(folder, model, *arguments, returns=("txt",)):
    (folder / "result.json").write_text(
        json.dumps({"content": [content(part) for part in returns]}))
    (folder / "refract").mkdir(exist_ok=True)
    (folder / "refract/config.yaml").write_text(json.dumps({"tools": {"bring": {
        "command": ["cat", str(folder / "result.json")], "description": "Bring what there is.",
        "input_schema": {"type": "object", "properties": {}}, "read_only": "yes"}}}))
    env = {**os.environ, "AWS_REGION": "us-east-1", "XDG_CONFIG_HOME": str(folder),
           "XDG_DATA_HOME": str(folder / "data"),
           **{name: case.SIM + path for name, path in ADDRESSES.items()
              if name != "OLLAMA_HOST" or model.startswith("ollama:")},
           **{name: "any" for name in KEYS}}
    done = subprocess.run([REFRACT, "ask", "--no-save", "-q", "-m", model, *arguments], env=env,
                          cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          check=False)
    if done.returncode:
        raise RuntimeError(f"status {done.returncode}: {done.stderr.strip()}")
    return done.stdout


with tempfile.TemporaryDirectory() as temporary:
    here = pathlib.Path(temporary)
    case.framework("refract", "refract", MODELS,
                   lambda model, text: ask(here, model, "--no-stream", "--no-tools", text),
                   lambda model, text: ask(here, model, "--no-tools", text),
                   lambda model, parts: ask(here, model, "Bring it.", returns=parts))
