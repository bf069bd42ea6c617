"""ollama."""
import case
import ollama

client = ollama.Client(host=case.SIM + "/ollama")
MODEL = "qwen3-vl:8b"


def ask(messages, **more):
    return client.chat(model=MODEL, messages=messages, **more)


def say(text):
    return ask([{"role": "system", "content": case.SYSTEM}, {"role": "user", "content": text}])


def streamed():
    pieces = list(ask([{"role": "user", "content": case.HELLO}], stream=True))
    case.expect(pieces[-1].done and pieces[-1].eval_count > 0, "no counts")
    return "".join(piece.message.content for piece in pieces)


def tool():
    asked = {"role": "user", "content": case.LOOK}
    said = ask([asked], tools=[case.CHAT_TOOL]).message
    call = said.tool_calls[0]
    case.expect(call.function.arguments == {"path": "chart.png"}, call)
    result = {"role": "tool", "tool_name": call.function.name, "content": "",
              "images": [case.PICTURE]}
    return ask([asked, said, result], tools=[case.CHAT_TOOL]).message.content


def error():
    try:
        say(case.REFUSED)
    except ollama.ResponseError as e:
        raise RuntimeError(e.status_code, e.error) from e


case.run("ollama", "ollama", RuntimeError, plain=lambda: say(case.HELLO).message.content,
         streamed=streamed, tool=tool, error=error)
