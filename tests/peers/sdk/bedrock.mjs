// @aws-sdk/client-bedrock-runtime: Converse.
import * as c from "./case.mjs";
const aws = await c.load("@aws-sdk/client-bedrock-runtime");

const client = new aws.BedrockRuntimeClient({
    endpoint: c.SIM + "/bedrock", region: "us-east-1", maxAttempts: 1,
    credentials: { accessKeyId: "any", secretAccessKey: "any" },
});
const modelId = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";
const user = (text) => ({ role: "user", content: [{ text }] });
const ask = async (messages, more) =>
    (await client.send(new aws.ConverseCommand({ modelId, messages, ...more }))).output.message;
const say = (text) => ask([user(text)], { system: [{ text: c.SYSTEM }] });

await c.run("@aws-sdk/client-bedrock-runtime", "@aws-sdk/client-bedrock-runtime",
    (e) => e instanceof aws.ThrottlingException, {
        plain: async () => (await say(c.HELLO)).content[0].text,
        streamed: async () => {
            const sent = new aws.ConverseStreamCommand({ modelId, messages: [user(c.HELLO)] });
            return c.joined((await client.send(sent)).stream,
                (e) => e.contentBlockDelta?.delta.text);
        },
        tool: async () => {
            const toolSpec = {
                name: c.TOOL, description: c.TOOL_ABOUT, inputSchema: { json: c.SCHEMA },
            };
            const toolConfig = { tools: [{ toolSpec }] };
            const said = await ask([user(c.LOOK)], { toolConfig });
            const { toolUseId } = said.content.find((block) => block.toolUse).toolUse;
            const content = [{ image: { format: "png", source: { bytes: c.PICTURE } } }];
            const result = { role: "user", content: [{ toolResult: { toolUseId, content } }] };
            return (await ask([user(c.LOOK), said, result], { toolConfig })).content[0].text;
        },
        error: () => say(c.REFUSED),
    });
