"""together: its server is one of those that speak chat completions."""
import case
import together

client = together.Together(base_url=case.SIM + "/openai-compatible/v1", api_key="any",
                           max_retries=0)
MODEL = "meta-llama/Llama-4-Scout-17B-16E-Instruct"


def ask(messages, **more):
    return client.chat.completions.create(model=MODEL, messages=messages, **more)


def say(text, **more):
    return ask([{"role": "system", "content": case.SYSTEM}, {"role": "user", "content": text}],
               **more)


def streamed():
    return "".join(c.choices[0].delta.content or "" for c in say(case.HELLO, stream=True)
                   if c.choices)


def tool():
    return case.chat_look(lambda messages: ask(messages, tools=[case.CHAT_TOOL])
                          .choices[0].message.model_dump(exclude_none=True))


case.run("together", "together", together.RateLimitError,
         plain=lambda: say(case.HELLO).choices[0].message.content, streamed=streamed, tool=tool,
         error=lambda: say(case.REFUSED))
