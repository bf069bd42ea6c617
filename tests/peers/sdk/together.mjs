// together-ai: its server is one of those that speak chat completions.
import * as c from "./case.mjs";
const { default: Together } = await c.load("together-ai");

const client = new Together({
    baseURL: c.SIM + "/openai-compatible/v1", apiKey: "any", maxRetries: 0,
});
const model = "meta-llama/Llama-4-Scout-17B-16E-Instruct";
const ask = (messages, more) => client.chat.completions.create({ model, messages, ...more });
const say = (text, more) =>
    ask([{ role: "system", content: c.SYSTEM }, { role: "user", content: text }], more);

await c.run("together-ai", "together-ai", (e) => e instanceof Together.RateLimitError, {
    plain: async () => (await say(c.HELLO)).choices[0].message.content,
    streamed: async () => c.joined(await say(c.HELLO, { stream: true }),
        (chunk) => chunk.choices[0]?.delta.content),
    tool: () => c.chatLook(async (messages) =>
        (await ask(messages, { tools: [c.CHAT_TOOL] })).choices[0].message),
    error: () => say(c.REFUSED),
});
