// cohere-ai: the second version of its chat. Pictures go in user messages.
import * as c from "./case.mjs";
const { CohereClientV2 } = await c.load("cohere-ai");

const client = new CohereClientV2({ environment: c.SIM + "/cohere", token: "any" });
const model = "command-a-vision-07-2025";
const ask = async (messages, more) =>
    (await client.chat({ model, messages, ...more }, { maxRetries: 0 })).message;
const say = (text) =>
    ask([{ role: "system", content: c.SYSTEM }, { role: "user", content: text }]);

await c.run("cohere-ai", "cohere-ai", (e) => e.statusCode === 429, {
    plain: async () => (await say(c.HELLO)).content[0].text,
    streamed: async () => c.joined(
        await client.chatStream({ model, messages: [{ role: "user", content: c.HELLO }] }),
        (e) => e.type === "content-delta" ? e.delta.message.content.text : ""),
    tool: async () => {
        const asked = { role: "user", content: c.LOOK };
        const tools = [c.CHAT_TOOL];
        const said = await ask([asked], { tools });
        const picture = { type: "image_url", imageUrl: { url: c.DATA_URL } };
        const messages = [
            asked, said, { role: "tool", toolCallId: said.toolCalls[0].id, content: "See below." },
            { role: "assistant", content: "Let me see." }, { role: "user", content: [picture] },
        ];
        return (await ask(messages, { tools })).content[0].text;
    },
    error: () => say(c.REFUSED),
});
