// Vercel's ai, versions 6 and 7: a tool whose output is content parts.
import * as c from "./case.mjs";
const { generateText, jsonSchema, stepCountIs, isStepCount, streamText, tool } = await c.load("ai");
const provider = async (name, create, path, more) =>
    (await c.load(name))[create]({ baseURL: c.SIM + path, apiKey: "any", ...more });

const seven = process.env.AI === "7";
const amazon = await provider("@ai-sdk/amazon-bedrock", "createAmazonBedrock", "/bedrock",
    { region: "us-east-1", accessKeyId: "any", secretAccessKey: "any", apiKey: undefined });
const google = await provider("@ai-sdk/google", "createGoogleGenerativeAI", "/google/v1beta");
const openai = await provider("@ai-sdk/openai", "createOpenAI", "/openai/v1");
const load = async (name, create, path, model) => (await provider(name, create, path))(model);

const models = {
    "anthropic": await load("@ai-sdk/anthropic", "createAnthropic", "/anthropic/v1",
        "claude-sonnet-4-6"),
    "bedrock-claude": amazon("us.anthropic.claude-sonnet-4-5-20250929-v1:0"),
    "bedrock-nova": amazon("us.amazon.nova-2-lite-v1:0"),
    "gemini-3": google("gemini-3-pro-preview"),
    "gemini-2.5": google("gemini-2.5-flash"),
    "openai": openai.responses("gpt-5-mini"),
    "openai-chat": openai.chat("gpt-4o"),
    "xai": (await provider("@ai-sdk/xai", "createXai", "/xai/v1")).responses("grok-4"),
    "groq": await load("@ai-sdk/groq", "createGroq", "/groq/openai/v1",
        "meta-llama/llama-4-scout-17b-16e-instruct"),
    "openrouter": await load("@openrouter/ai-sdk-provider", "createOpenRouter",
        "/openrouter/api/v1", "anthropic/claude-sonnet-4.5"),
    "mistral": await load("@ai-sdk/mistral", "createMistral", "/mistral/v1",
        "mistral-medium-latest"),
    "cohere": await load("@ai-sdk/cohere", "createCohere", "/cohere/v2",
        "command-a-vision-07-2025"),
    "ollama": await load("ollama-ai-provider-v2", "createOllama", "/ollama/api", "qwen3-vl:8b"),
};

function output(part) {
    const mediaType = c.TYPES[part];
    const data = c.PARTS[part].toString(mediaType ? "base64" : "utf8");
    if (!mediaType)
        return { type: "text", text: data };
    if (seven)
        return { type: "file", data: { type: "data", data }, mediaType, filename: `file.${part}` };
    return part === "png" ? { type: "image-data", data, mediaType }
        : { type: "file-data", data, mediaType, filename: `file.${part}` };
}

const about = seven ? "instructions" : "system";
const request = (model, prompt) => ({ model, [about]: c.SYSTEM, prompt, maxRetries: 0 });

await c.framework(`Vercel ai ${seven ? 7 : 6}`, "ai", models, {
    say: async (model, text) => (await generateText(request(model, text))).text,
    stream: async (model, text) => {
        let wrong;
        const onError = ({ error }) => { wrong = error; };
        const all = await c.joined(
            streamText({ ...request(model, text), onError }).textStream, (piece) => piece);
        if (wrong)
            throw wrong;
        return all;
    },
    look: async (model, parts) => {
        const view = tool({
            description: c.TOOL_ABOUT, inputSchema: jsonSchema(c.SCHEMA), execute: () => "done",
            toModelOutput: () => ({ type: "content", value: parts.map(output) }),
        });
        const stopWhen = (isStepCount ?? stepCountIs)(4);
        const said = await generateText(
            { ...request(model, c.LOOK), tools: { [c.TOOL]: view }, stopWhen });
        return said.text;
    },
});
