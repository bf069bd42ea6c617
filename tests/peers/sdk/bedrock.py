"""boto3: Bedrock's Converse."""
import boto3
import case
from botocore.config import Config

client = boto3.client("bedrock-runtime", endpoint_url=case.SIM + "/bedrock",
                      region_name="us-east-1", aws_access_key_id="any",
                      aws_secret_access_key="any", config=Config(retries={"total_max_attempts": 1}))
MODEL = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
TOOLS = {"tools": [{"toolSpec": {"name": case.TOOL, "description": case.TOOL_ABOUT,
                                 "inputSchema": {"json": case.SCHEMA}}}]}


def user(text):
    return {"role": "user", "content": [{"text": text}]}


def say(text):
    said = client.converse(modelId=MODEL, messages=[user(text)], system=[{"text": case.SYSTEM}])
    return said["output"]["message"]["content"][0]["text"]


def streamed():
    events = list(client.converse_stream(modelId=MODEL, messages=[user(case.HELLO)])["stream"])
    case.expect(events[-1]["metadata"]["usage"]["totalTokens"] > 0, "no usage")
    return "".join(e["contentBlockDelta"]["delta"]["text"] for e in events
                   if "contentBlockDelta" in e)


def tool():
    said = client.converse(modelId=MODEL, messages=[user(case.LOOK)], toolConfig=TOOLS)
    said = said["output"]["message"]
    call = next(block["toolUse"] for block in said["content"] if "toolUse" in block)
    result = {"toolUseId": call["toolUseId"],
              "content": [{"image": {"format": "png", "source": {"bytes": case.PICTURE}}}]}
    history = [user(case.LOOK), said, {"role": "user", "content": [{"toolResult": result}]}]
    done = client.converse(modelId=MODEL, messages=history, toolConfig=TOOLS)
    return done["output"]["message"]["content"][0]["text"]


def error():
    try:
        say(case.REFUSED)
    except client.exceptions.ThrottlingException as e:
        raise RuntimeError(e.response["ResponseMetadata"]["HTTPStatusCode"]) from e


case.run("boto3", "boto3", RuntimeError, plain=lambda: say(case.HELLO), streamed=streamed,
         tool=tool, error=error)
