"""google-genai: Gemini's API and Vertex."""
import case
from google import genai
from google.genai import errors, types

TOOL = types.Tool(function_declarations=[types.FunctionDeclaration(
    name=case.TOOL, description=case.TOOL_ABOUT, parameters_json_schema=case.SCHEMA)])
MODEL = "gemini-3-pro-preview"


def cases(client):
    def say(text, how=client.models.generate_content):
        return how(model=MODEL, contents=text,
                   config=types.GenerateContentConfig(system_instruction=case.SYSTEM))

    def streamed():
        chunks = list(say(case.HELLO, client.models.generate_content_stream))
        case.expect(chunks[-1].usage_metadata.total_token_count > 0, "no usage")
        return "".join(chunk.text or "" for chunk in chunks)

    def tool():
        config = types.GenerateContentConfig(tools=[TOOL])
        asked = types.Content(role="user", parts=[types.Part(text=case.LOOK)])
        said = client.models.generate_content(model=MODEL, contents=[asked], config=config)
        call = said.function_calls[0]
        picture = types.FunctionResponsePart(inline_data=types.FunctionResponseBlob(
            mime_type="image/png", data=case.PICTURE, display_name="chart.png"))
        result = types.Part(function_response=types.FunctionResponse(
            id=call.id, name=call.name, response={"output": {"$ref": "chart.png"}},
            parts=[picture]))
        history = [asked, said.candidates[0].content, types.Content(role="user", parts=[result])]
        return client.models.generate_content(model=MODEL, contents=history, config=config).text

    return {"plain": lambda: say(case.HELLO).text, "streamed": streamed, "tool": tool,
            "error": lambda: say(case.REFUSED)}


def at(path):
    return types.HttpOptions(base_url=case.SIM + path)


case.run("google-genai", "google-genai", errors.ClientError,
         **cases(genai.Client(api_key="any", http_options=at("/google"))))
case.run("google-genai vertex", "google-genai", errors.ClientError,
         **cases(genai.Client(vertexai=True, api_key="any", http_options=at("/vertex"))))
