"""groq."""
import case
import groq

client = groq.Groq(base_url=case.SIM + "/groq", api_key="any", max_retries=0)
MODEL = "meta-llama/llama-4-scout-17b-16e-instruct"


def ask(messages, **more):
    return client.chat.completions.create(model=MODEL, messages=messages, **more)


def say(text, **more):
    return ask([{"role": "system", "content": case.SYSTEM}, {"role": "user", "content": text}],
               **more)


def streamed():
    chunks = list(say(case.HELLO, stream=True))
    case.expect(chunks[-1].x_groq.usage.total_tokens > 0, "no usage")
    return "".join(c.choices[0].delta.content or "" for c in chunks)


def tool():
    return case.chat_look(lambda messages: ask(messages, tools=[case.CHAT_TOOL])
                          .choices[0].message.model_dump(exclude_none=True))


case.run("groq", "groq", groq.RateLimitError,
         plain=lambda: say(case.HELLO).choices[0].message.content, streamed=streamed, tool=tool,
         error=lambda: say(case.REFUSED))
