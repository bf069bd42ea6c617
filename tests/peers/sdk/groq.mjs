// groq-sdk.
import * as c from "./case.mjs";
const { default: Groq } = await c.load("groq-sdk");

const client = new Groq({ baseURL: c.SIM + "/groq", apiKey: "any", maxRetries: 0 });
const model = "meta-llama/llama-4-scout-17b-16e-instruct";
const ask = (messages, more) => client.chat.completions.create({ model, messages, ...more });
const say = (text, more) =>
    ask([{ role: "system", content: c.SYSTEM }, { role: "user", content: text }], more);

await c.run("groq-sdk", "groq-sdk", (e) => e instanceof Groq.RateLimitError, {
    plain: async () => (await say(c.HELLO)).choices[0].message.content,
    streamed: async () => {
        let last;
        const text = await c.joined(await say(c.HELLO, { stream: true }), (chunk) => {
            last = chunk;
            return chunk.choices[0]?.delta.content;
        });
        c.expect(last.x_groq?.usage?.total_tokens > 0, "no usage");
        return text;
    },
    tool: () => c.chatLook(async (messages) =>
        (await ask(messages, { tools: [c.CHAT_TOOL] })).choices[0].message),
    error: () => say(c.REFUSED),
});
