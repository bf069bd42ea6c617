// @mistralai/mistralai.
import * as c from "./case.mjs";
const { Mistral } = await c.load("@mistralai/mistralai");

const client = new Mistral({ serverURL: c.SIM + "/mistral", apiKey: "any" });
const model = "mistral-medium-latest";
const ask = async (messages, more) =>
    (await client.chat.complete({ model, messages, ...more })).choices[0].message;
const say = (text) =>
    ask([{ role: "system", content: c.SYSTEM }, { role: "user", content: text }]);

await c.run("@mistralai/mistralai", "@mistralai/mistralai", (e) => e.statusCode === 429, {
    plain: async () => (await say(c.HELLO)).content,
    streamed: async () => c.joined(
        await client.chat.stream({ model, messages: [{ role: "user", content: c.HELLO }] }),
        (event) => event.data.choices[0].delta.content),
    tool: async () => {
        const asked = { role: "user", content: c.LOOK };
        const tools = [c.CHAT_TOOL];
        const said = await ask([asked], { tools });
        const call = said.toolCalls[0];
        const result = {
            role: "tool", toolCallId: call.id, name: call.function.name,
            content: [{ type: "image_url", imageUrl: c.DATA_URL }],
        };
        return (await ask([asked, { ...said, role: "assistant" }, result], { tools })).content;
    },
    error: () => say(c.REFUSED),
});
