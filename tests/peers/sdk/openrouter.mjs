// @openrouter/sdk.
import * as c from "./case.mjs";
const { OpenRouter } = await c.load("@openrouter/sdk");

const client = new OpenRouter({
    serverURL: c.SIM + "/openrouter/api/v1", apiKey: "any", retryConfig: { strategy: "none" },
});
const model = "anthropic/claude-sonnet-4.5";
const ask = (messages, more) =>
    client.chat.send({ chatRequest: { model, messages, ...more } });
const say = (text, more) =>
    ask([{ role: "system", content: c.SYSTEM }, { role: "user", content: text }], more);

await c.run("@openrouter/sdk", "@openrouter/sdk", (e) => e.statusCode === 429, {
    plain: async () => (await say(c.HELLO)).choices[0].message.content,
    streamed: async () => c.joined(await say(c.HELLO, { stream: true }),
        (chunk) => chunk.choices[0]?.delta.content),
    tool: async () => {
        const asked = { role: "user", content: c.LOOK };
        const tools = [c.CHAT_TOOL];
        const said = (await ask([asked], { tools })).choices[0].message;
        const picture = { type: "image_url", imageUrl: { url: c.DATA_URL } };
        const messages = [
            asked, said, { role: "tool", toolCallId: said.toolCalls[0].id, content: "See below." },
            { role: "user", content: [{ type: "text", text: "The picture:" }, picture] },
        ];
        return (await ask(messages, { tools })).choices[0].message.content;
    },
    error: () => say(c.REFUSED),
});
