"""pydantic-ai: an agent whose tool returns text, data and BinaryContent."""
import json

import case
from pydantic_ai import Agent, BinaryContent
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.bedrock import BedrockConverseModel
from pydantic_ai.models.cohere import CohereModel
from pydantic_ai.models.google import GoogleModel
from pydantic_ai.models.groq import GroqModel
from pydantic_ai.models.mistral import MistralModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.models.openrouter import OpenRouterModel
from pydantic_ai.models.ollama import OllamaModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.bedrock import BedrockProvider
from pydantic_ai.providers.cohere import CohereProvider
from pydantic_ai.providers.google import GoogleProvider
from pydantic_ai.providers.groq import GroqProvider
from pydantic_ai.providers.mistral import MistralProvider
from pydantic_ai.providers.ollama import OllamaProvider
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.providers.openrouter import OpenRouterProvider
import cohere
import openai


def at(path):
    return {"base_url": case.SIM + path, "api_key": "any"}


BEDROCK = BedrockProvider(base_url=case.SIM + "/bedrock", region_name="us-east-1",
                          aws_access_key_id="any", aws_secret_access_key="any")
GOOGLE = GoogleProvider(**at("/google"))
OPENAI = OpenAIProvider(openai_client=openai.AsyncOpenAI(**at("/openai/v1"), max_retries=0))
XAI = OpenAIProvider(openai_client=openai.AsyncOpenAI(**at("/xai/v1"), max_retries=0))
OPENROUTER = OpenRouterProvider(
    openai_client=openai.AsyncOpenAI(**at("/openrouter/api/v1"), max_retries=0))
MODELS = {
    "anthropic": AnthropicModel("claude-sonnet-4-6",
                                provider=AnthropicProvider(**at("/anthropic"))),
    "bedrock-claude": BedrockConverseModel("us.anthropic.claude-sonnet-4-5-20250929-v1:0",
                                           provider=BEDROCK),
    "bedrock-nova": BedrockConverseModel("us.amazon.nova-2-lite-v1:0", provider=BEDROCK),
    "gemini-3": GoogleModel("gemini-3-pro-preview", provider=GOOGLE),
    "gemini-2.5": GoogleModel("gemini-2.5-flash", provider=GOOGLE),
    "openai": OpenAIResponsesModel("gpt-5-mini", provider=OPENAI),
    "openai-chat": OpenAIChatModel("gpt-4o", provider=OPENAI),
    "xai": OpenAIResponsesModel("grok-4", provider=XAI),
    "groq": GroqModel("meta-llama/llama-4-scout-17b-16e-instruct",
                      provider=GroqProvider(**at("/groq"))),
    "openrouter": OpenRouterModel("anthropic/claude-sonnet-4.5", provider=OPENROUTER),
    "mistral": MistralModel("mistral-medium-latest", provider=MistralProvider(**at("/mistral"))),
    "cohere": CohereModel("command-a-vision-07-2025", provider=CohereProvider(
        cohere_client=cohere.AsyncClientV2(**at("/cohere")))),
    "ollama": OllamaModel("qwen3-vl:8b", provider=OllamaProvider(**at("/ollama/v1"))),
}


def returned(part):
    data = case.PARTS[part]
    if part == "json":
        return json.loads(data)
    return BinaryContent(data, media_type=case.TYPES[part]) if part in case.TYPES else data.decode()


def say(model, text):
    return Agent(model, system_prompt=case.SYSTEM).run_sync(text).output


def stream(model, text):
    return "".join(Agent(model).run_stream_sync(text).stream_text(delta=True))


def look(model, parts):
    agent = Agent(model)

    @agent.tool_plain(name=case.TOOL, description=case.TOOL_ABOUT)
    def view_image(path: str):  # pylint: disable=unused-argument
        return [returned(part) for part in parts] if len(parts) > 1 else returned(parts[0])

    return agent.run_sync(case.LOOK).output


case.framework("pydantic-ai", "pydantic-ai", MODELS, say, stream, look)
