// openai, Responses; and xAI, which says to use it: argument PEER BASE MODEL.
import * as c from "./case.mjs";
const { default: OpenAI } = await c.load("openai");

const [peer = "openai responses", base = "/openai/v1", model = "gpt-5-mini"] =
    process.argv.slice(2);
const client = new OpenAI({ baseURL: c.SIM + base, apiKey: "any", maxRetries: 0 });
const tools = [{
    type: "function", name: c.TOOL, description: c.TOOL_ABOUT, parameters: c.SCHEMA, strict: false,
}];
const say = (input) => client.responses.create({ model, instructions: c.SYSTEM, input });

await c.run(peer, "openai", (e) => e instanceof OpenAI.RateLimitError, {
    plain: async () => (await say(c.HELLO)).output_text,
    streamed: async () => {
        const stream = client.responses.stream({ model, input: c.HELLO });
        const text = await c.joined(stream, (e) =>
            e.type === "response.output_text.delta" ? e.delta : "");
        const final = await stream.finalResponse();
        c.expect(final.output_text === text, "the last event has another text");
        c.expect(final.usage.input_tokens_details.cached_tokens >= 0, "no usage");
        return text;
    },
    tool: async () => {
        const asked = { role: "user", content: c.LOOK };
        const said = await client.responses.create({ model, input: [asked], tools });
        const call = said.output.find((item) => item.type === "function_call");
        const result = {
            type: "function_call_output", call_id: call.call_id,
            output: [{ type: "input_image", image_url: c.DATA_URL, detail: "auto" }],
        };
        const input = [asked, ...said.output, result];
        return (await client.responses.create({ model, input, tools })).output_text;
    },
    error: () => say(c.REFUSED),
});
