"""LangChain and LangGraph: an agent whose tool returns content blocks."""
import case
from langchain.agents import create_agent
from langchain_anthropic import ChatAnthropic
from langchain_aws import ChatBedrockConverse
from langchain_cohere import ChatCohere
from langchain_core.messages import HumanMessage, SystemMessage
from langchain_core.tools import StructuredTool
from langchain_google_genai import ChatGoogleGenerativeAI
from langchain_groq import ChatGroq
from langchain_mistralai import ChatMistralAI
from langchain_ollama import ChatOllama
from langchain_openai import ChatOpenAI
from langchain_openrouter import ChatOpenRouter
from langchain_xai import ChatXAI
import base64
import cohere


def at(path, model):
    return {"model": model, "base_url": case.SIM + path, "api_key": "any", "max_retries": 0}


def bedrock(model):
    return ChatBedrockConverse(model=model, endpoint_url=case.SIM + "/bedrock",
                               region_name="us-east-1", aws_access_key_id="any",
                               aws_secret_access_key="any")


def gemini(model):
    return ChatGoogleGenerativeAI(model=model, base_url=case.SIM + "/google", api_key="any",
                                  max_retries=1)


MODELS = {
    "anthropic": ChatAnthropic(**at("/anthropic", "claude-sonnet-4-6")),
    "bedrock-claude": bedrock("us.anthropic.claude-sonnet-4-5-20250929-v1:0"),
    "bedrock-nova": bedrock("us.amazon.nova-2-lite-v1:0"),
    "gemini-3": gemini("gemini-3-pro-preview"),
    "gemini-2.5": gemini("gemini-2.5-flash"),
    "openai": ChatOpenAI(**at("/openai/v1", "gpt-5-mini"), use_responses_api=True),
    "openai-chat": ChatOpenAI(**at("/openai/v1", "gpt-4o"), use_responses_api=False),
    "xai": ChatXAI(model="grok-4", xai_api_base=case.SIM + "/xai/v1", api_key="any", max_retries=0),
    "groq": ChatGroq(**at("/groq", "meta-llama/llama-4-scout-17b-16e-instruct")),
    "openrouter": ChatOpenRouter(**at("/openrouter/api/v1", "anthropic/claude-sonnet-4.5")),
    "mistral": ChatMistralAI(model="mistral-medium-latest", endpoint=case.SIM + "/mistral/v1",
                             api_key="any", max_retries=1),
    "cohere": ChatCohere(model="command-a-vision-07-2025", cohere_api_key="any",
                         base_url=case.SIM + "/cohere"),
    "ollama": ChatOllama(model="qwen3-vl:8b", base_url=case.SIM + "/ollama"),
}
KINDS = {"png": "image", "pdf": "file", "mp3": "audio"}


def block(part):
    data = case.PARTS[part]
    if part not in KINDS:
        return {"type": "text", "text": data.decode()}
    return {"type": KINDS[part], "base64": base64.b64encode(data).decode(),
            "mime_type": case.TYPES[part], "filename": f"file.{part}"}


def say(model, text):
    return model.invoke([SystemMessage(case.SYSTEM), HumanMessage(text)]).text


def stream(model, text):
    return "".join(piece.text for piece in model.stream(text))


def look(model, parts):
    tool = StructuredTool.from_function(lambda path: [block(part) for part in parts],
                                        name=case.TOOL, description=case.TOOL_ABOUT,
                                        args_schema=case.SCHEMA)
    agent = create_agent(model, [tool])
    return agent.invoke({"messages": [HumanMessage(case.LOOK)]})["messages"][-1].text


case.framework("LangChain", "langchain", MODELS, say, stream, look)
