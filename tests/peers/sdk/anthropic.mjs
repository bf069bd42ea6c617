// @anthropic-ai/sdk.
import * as c from "./case.mjs";
const { default: Anthropic } = await c.load("@anthropic-ai/sdk");

const client = new Anthropic({ baseURL: c.SIM + "/anthropic", apiKey: "any", maxRetries: 0 });
const request = (messages, more) =>
    ({ model: "claude-sonnet-4-6", max_tokens: 1000, messages, ...more });
const tools = [{ name: c.TOOL, description: c.TOOL_ABOUT, input_schema: c.SCHEMA }];
const say = (text) =>
    client.messages.create(request([{ role: "user", content: text }], { system: c.SYSTEM }));

await c.run("@anthropic-ai/sdk", "@anthropic-ai/sdk",
    (e) => e instanceof Anthropic.RateLimitError, {
        plain: async () => (await say(c.HELLO)).content[0].text,
        streamed: async () => {
            const stream = client.messages.stream(request([{ role: "user", content: c.HELLO }]));
            const text = await c.joined(stream, (e) =>
                e.type === "content_block_delta" ? e.delta.text : "");
            c.expect((await stream.finalMessage()).usage.output_tokens > 0, "no usage");
            return text;
        },
        tool: async () => {
            const asked = { role: "user", content: c.LOOK };
            const said = await client.messages.create(request([asked], { tools }));
            const call = said.content.find((block) => block.type === "tool_use");
            const source = { type: "base64", media_type: "image/png", data: c.BASE64 };
            const result = {
                type: "tool_result", tool_use_id: call.id, content: [{ type: "image", source }],
            };
            const messages = [asked, { role: "assistant", content: said.content },
                              { role: "user", content: [result] }];
            return (await client.messages.create(request(messages, { tools }))).content[0].text;
        },
        error: () => say(c.REFUSED),
    });
