"""openrouter."""
import case
from openrouter import OpenRouter
from openrouter.errors import OpenRouterError

client = OpenRouter(server_url=case.SIM + "/openrouter/api/v1", api_key="any", retry_config=None)
MODEL = "anthropic/claude-sonnet-4.5"


def ask(messages, **more):
    return client.chat.send(model=MODEL, messages=messages, **more)


def say(text, **more):
    return ask([{"role": "system", "content": case.SYSTEM}, {"role": "user", "content": text}],
               **more)


def streamed():
    return "".join(c.choices[0].delta.content or "" for c in say(case.HELLO, stream=True)
                   if c.choices)


def tool():
    return case.chat_look(lambda messages: ask(messages, tools=[case.CHAT_TOOL])
                          .choices[0].message.model_dump(exclude_none=True))


def error():
    try:
        say(case.REFUSED)
    except OpenRouterError as e:
        raise RuntimeError(e.status_code, e.message) from e


case.run("openrouter", "openrouter", RuntimeError,
         plain=lambda: say(case.HELLO).choices[0].message.content, streamed=streamed, tool=tool,
         error=error)
