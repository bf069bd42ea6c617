// openai, chat completions; and the vendors that say to use it: argument PEER BASE MODEL.
import * as c from "./case.mjs";
const { default: OpenAI } = await c.load("openai");

const [peer = "openai chat", base = "/openai/v1", model = "gpt-4o"] = process.argv.slice(2);
const client = new OpenAI({ baseURL: c.SIM + base, apiKey: "any", maxRetries: 0 });
const ask = (messages, more) => client.chat.completions.create({ model, messages, ...more });
const say = (text) =>
    ask([{ role: "system", content: c.SYSTEM }, { role: "user", content: text }]);

await c.run(peer, "openai", (e) => e instanceof OpenAI.RateLimitError, {
    plain: async () => (await say(c.HELLO)).choices[0].message.content,
    streamed: async () => {
        const stream = client.chat.completions.stream({
            model, messages: [{ role: "user", content: c.HELLO }],
            stream_options: { include_usage: true },
        });
        const text = await c.joined(stream, (chunk) => chunk.choices[0]?.delta.content);
        c.expect((await stream.totalUsage()).total_tokens > 0, "no usage");
        c.expect(await stream.finalContent() === text, "the final text differs");
        return text;
    },
    tool: () => c.chatLook(async (messages) =>
        (await ask(messages, { tools: [c.CHAT_TOOL] })).choices[0].message),
    error: () => say(c.REFUSED),
});
