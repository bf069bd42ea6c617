"""openai-agents: both of OpenAI's APIs. A tool returns text, pictures and files."""
import asyncio
import base64

import agents
import case
import openai

agents.set_tracing_disabled(True)
CLIENT = openai.AsyncOpenAI(base_url=case.SIM + "/openai/v1", api_key="any", max_retries=0)
MODELS = {"openai": agents.OpenAIResponsesModel("gpt-5-mini", CLIENT),
          "openai-chat": agents.OpenAIChatCompletionsModel("gpt-4o", CLIENT)}
LOOP = asyncio.new_event_loop()


def output(part):
    data = case.PARTS[part]
    coded = base64.b64encode(data).decode()
    if part == "png":
        return agents.ToolOutputImage(image_url=case.DATA_URL)
    if part in case.TYPES:
        return agents.ToolOutputFileContent(file_data=f"data:{case.TYPES[part]};base64,{coded}",
                                            filename=f"file.{part}")
    return agents.ToolOutputText(text=data.decode())


def agent(model, *tools):
    return agents.Agent(name="agent", instructions=case.SYSTEM, model=model, tools=list(tools))


def say(model, text):
    return LOOP.run_until_complete(agents.Runner.run(agent(model), text)).final_output


def stream(model, text):
    async def pieces():
        events = agents.Runner.run_streamed(agent(model), text).stream_events()
        return [e.data.delta async for e in events if e.type == "raw_response_event"
                and e.data.type == "response.output_text.delta"]
    return "".join(LOOP.run_until_complete(pieces()))


def look(model, parts):
    async def called(*_):
        return [output(part) for part in parts]
    tool = agents.FunctionTool(name=case.TOOL, description=case.TOOL_ABOUT,
                               params_json_schema=case.SCHEMA, on_invoke_tool=called,
                               strict_json_schema=False)
    return LOOP.run_until_complete(
        agents.Runner.run(agent(model, tool), case.LOOK)).final_output


case.framework("openai-agents", "openai-agents", MODELS, say, stream, look)
