"""openai, chat completions; and the vendors that say to use it: argument PEER BASE MODEL."""
import sys

import case
import openai

peer, base, model = sys.argv[1:] or ("openai chat", "/openai/v1", "gpt-4o")
client = openai.OpenAI(base_url=case.SIM + base, api_key="any", max_retries=0)


def ask(messages, **more):
    return client.chat.completions.create(model=model, messages=messages, **more)


def say(text, **more):
    return ask([{"role": "system", "content": case.SYSTEM}, {"role": "user", "content": text}],
               **more)


def streamed():
    chunks = list(say(case.HELLO, stream=True, stream_options={"include_usage": True}))
    case.expect(chunks[-1].usage.total_tokens > 0, "no usage")
    return "".join(c.choices[0].delta.content or "" for c in chunks if c.choices)


def tool():
    return case.chat_look(lambda messages: ask(messages, tools=[case.CHAT_TOOL])
                          .choices[0].message.model_dump(exclude_none=True))


case.run(peer, "openai", openai.RateLimitError,
         plain=lambda: say(case.HELLO).choices[0].message.content, streamed=streamed, tool=tool,
         error=lambda: say(case.REFUSED))
