"""The shape of every program here: four cases of one SDK against the simulator.

A program names its SDK and gives the cases as functions. Each prints one line of JSON:
{"peer": …, "version": …, "case": …, "wrong": null or what was wrong}. The simulator's address
comes from $SIM, the files that tools return from the folder $PARTS.

    plain     a question; returns the answer
    streamed  the same, streamed; returns the pieces joined
    tool      a tool returns a picture; returns the answer
    error     asks REFUSED; raises what the SDK raises for status 429

A framework talks to many providers: it has a model for each endpoint, and functions to ask it.
Beside the four cases it prints, for each bundle that a tool returns, what the simulator was given:
{"peer": …, "version": …, "endpoint": …, "parts": […], "answer": … or "error": …, "last": …}; last
is what tap.py tells.
"""
import base64
import importlib.metadata
import json
import os
import pathlib
import traceback
import urllib.request

SIM = os.environ["SIM"]
PARTS = {path.suffix[1:]: path.read_bytes()
         for path in pathlib.Path(os.environ["PARTS"]).iterdir()}
PICTURE = PARTS["png"]
BASE64 = base64.b64encode(PICTURE).decode()
DATA_URL = f"data:image/png;base64,{BASE64}"

HELLO = "Say hello."
LOOK = "What is in chart.png?"
REFUSED = "Refuse this with 429."
SYSTEM = "Be brief."
TOOL = "view_image"
TOOL_ABOUT = "Show a picture."
SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
CHAT_TOOL = {"type": "function",
             "function": {"name": TOOL, "description": TOOL_ABOUT, "parameters": SCHEMA}}

# What a tool returns: the suffixes of files in $PARTS.
TOGETHER = ["txt", "png", "pdf", "json", "mp3"]
BUNDLES = [[part] for part in TOGETHER] + [TOGETHER]
TYPES = {"png": "image/png", "pdf": "application/pdf", "mp3": "audio/mpeg"}

WANT = {"plain": ["I was given", HELLO], "streamed": ["I was given", HELLO],
        "tool": ["image/png 320x200"]}


def version(package):
    if package == "refract":
        return os.environ["REFRACT_VERSION"]
    return importlib.metadata.version(package)


class Wrong(Exception):
    """What came is not what should have come."""


def expect(truth, what):
    if not truth:
        raise Wrong(what)


def chat_look(send):
    """The tool case of an SDK that speaks chat completions: `send` messages, get the reply's.

    A tool message takes text alone there, so the picture follows in a user message.
    """
    asked = {"role": "user", "content": LOOK}
    said = send([asked])
    call = said["tool_calls"][0]
    expect(call["function"]["name"] == TOOL, call)
    expect(json.loads(call["function"]["arguments"]) == {"path": "chart.png"}, call)
    result = {"role": "tool", "tool_call_id": call["id"], "content": "See the picture below."}
    picture = {"role": "user", "content": [{"type": "text", "text": "The picture:"},
                                           {"type": "image_url", "image_url": {"url": DATA_URL}}]}
    return send([asked, said, result, picture])["content"]


def one(function, name, refusal):
    """What is wrong with a case, or None."""
    try:
        got = function()
    except refusal as e:
        text = f"{e} {getattr(e, 'body', '')}"
        return None if name == "error" and "429" in text else f"{type(e).__name__}: {e}"
    except Exception as e:  # pylint: disable=broad-except # whatever an SDK raises is the finding
        where = traceback.extract_tb(e.__traceback__)[-1]
        file = pathlib.Path(where.filename)
        return f"{type(e).__name__}: {e} ({file.parent.name}/{file.name}:{where.lineno})"
    if name == "error":
        return f"no error, but {got!r}"
    lost = [words for words in WANT[name] if words not in (got or "")]
    return f"{lost} is not in {got!r}" if lost else None


def run(peer, package, refusal, **cases):
    """Run the cases; `refusal` is the exception that the SDK has for a refused request."""
    for name, function in cases.items():
        print(json.dumps({"peer": peer, "version": version(package),
                          "case": name, "wrong": one(function, name, refusal)}), flush=True)


def framework(peer, package, models, say, stream, look):
    """`models` by endpoint; `say` and `stream` a text, `look` with a tool that returns parts."""
    for endpoint, model in models.items():
        run(f"{peer}, {endpoint}", package, Exception, plain=lambda: say(model, HELLO),
            streamed=lambda: stream(model, HELLO), tool=lambda: look(model, ["png"]),
            error=lambda: say(model, REFUSED))
        for parts in BUNDLES:
            line = {"peer": peer, "version": version(package),
                    "endpoint": endpoint, "parts": parts}
            try:
                line["answer"] = look(model, parts)
            except Exception as e:  # pylint: disable=broad-except # the finding
                line["error"] = f"{type(e).__name__}: {e}"
            with urllib.request.urlopen(f"{SIM}/last") as reply:
                line["last"] = json.load(reply)
            print(json.dumps(line), flush=True)
