"""LiteLLM as a library: a tool message with a list of parts, as OpenAI spells them."""
import base64

import case
import litellm

litellm.suppress_debug_info = True


def at(path, model):
    return {"model": model, "api_base": case.SIM + path, "api_key": "any"}


def bedrock(model):
    return {"model": f"bedrock/converse/{model}", "aws_region_name": "us-east-1",
            "aws_bedrock_runtime_endpoint": case.SIM + "/bedrock", "aws_access_key_id": "any",
            "aws_secret_access_key": "any"}


MODELS = {
    "anthropic": at("/anthropic", "anthropic/claude-sonnet-4-6"),
    "bedrock-claude": bedrock("us.anthropic.claude-sonnet-4-5-20250929-v1:0"),
    "bedrock-nova": bedrock("us.amazon.nova-2-lite-v1:0"),
    "gemini-3": at("/google/v1beta", "gemini/gemini-3-pro-preview"),
    "gemini-2.5": at("/google/v1beta", "gemini/gemini-2.5-flash"),
    "openai": at("/openai/v1", "openai/responses/gpt-5-mini"),
    "openai-chat": at("/openai/v1", "openai/gpt-4o"),
    "xai": at("/xai/v1", "xai/grok-4"),
    "groq": at("/groq/openai/v1", "groq/meta-llama/llama-4-scout-17b-16e-instruct"),
    "openrouter": at("/openrouter/api/v1", "openrouter/anthropic/claude-sonnet-4.5"),
    "mistral": at("/mistral/v1", "mistral/mistral-medium-latest"),
    "cohere": at("/cohere/v2/chat", "cohere_chat/command-a-vision-07-2025"),
    "ollama": at("/ollama", "ollama_chat/qwen3-vl:8b"),
}


def content(part):
    data = case.PARTS[part]
    coded = base64.b64encode(data).decode()
    if part == "png":
        return {"type": "image_url", "image_url": {"url": case.DATA_URL}}
    if part == "pdf":
        return {"type": "file", "file": {"filename": "file.pdf",
                                         "file_data": f"data:application/pdf;base64,{coded}"}}
    if part == "mp3":
        return {"type": "input_audio", "input_audio": {"data": coded, "format": "mp3"}}
    return {"type": "text", "text": data.decode()}


def ask(model, messages, **more):
    return litellm.completion(messages=messages, num_retries=0, **model, **more)


def say(model, text):
    return ask(model, [{"role": "system", "content": case.SYSTEM},
                       {"role": "user", "content": text}]).choices[0].message.content


def stream(model, text):
    return "".join(chunk.choices[0].delta.content or ""
                   for chunk in ask(model, [{"role": "user", "content": text}], stream=True))


def look(model, parts):
    asked = {"role": "user", "content": case.LOOK}
    said = ask(model, [asked], tools=[case.CHAT_TOOL]).choices[0].message
    result = {"role": "tool", "tool_call_id": said.tool_calls[0].id, "name": case.TOOL,
              "content": [content(part) for part in parts]}
    done = ask(model, [asked, said.model_dump(exclude_none=True), result], tools=[case.CHAT_TOOL])
    return done.choices[0].message.content


case.framework("LiteLLM", "litellm", MODELS, say, stream, look)
