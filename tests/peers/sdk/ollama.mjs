// ollama.
import * as c from "./case.mjs";
const { Ollama } = await c.load("ollama");

const client = new Ollama({ host: c.SIM + "/ollama" });
const model = "qwen3-vl:8b";
const ask = async (messages, more) => (await client.chat({ model, messages, ...more })).message;
const say = (text) =>
    ask([{ role: "system", content: c.SYSTEM }, { role: "user", content: text }]);

await c.run("ollama", "ollama", (e) => e.status_code === 429, {
    plain: async () => (await say(c.HELLO)).content,
    streamed: async () => {
        const messages = [{ role: "user", content: c.HELLO }];
        return c.joined(await client.chat({ model, messages, stream: true }),
            (piece) => piece.message.content);
    },
    tool: async () => {
        const asked = { role: "user", content: c.LOOK };
        const tools = [c.CHAT_TOOL];
        const said = await ask([asked], { tools });
        const result = {
            role: "tool", tool_name: said.tool_calls[0].function.name, content: "",
            images: [c.BASE64],
        };
        return (await ask([asked, said, result], { tools })).content;
    },
    error: () => say(c.REFUSED),
});
