// The vendors' own SDKs for JavaScript, and Vercel's ai, against refract serve, in front of the simulator.
//
//     sdks.mjs URL-OF-THE-GATEWAY FOLDER-OF-PACKAGES BASE64-OF-A-PICTURE
//
// sdks_js.py starts the gateway and runs it. Prints a line a case, then "N passed, N failed"; the status is 1 when one
// failed.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

globalThis.AI_SDK_LOG_WARNINGS = false;
const [base, folder, png] = process.argv.slice(2);
const require = createRequire(`${folder}/package.json`);
const load = (name) => import(pathToFileURL(require.resolve(name)));

const { default: Anthropic, NotFoundError: AnthropicNotFound } = await load("@anthropic-ai/sdk");
const { default: OpenAI, NotFoundError: OpenAINotFound } = await load("openai");
const { GoogleGenAI, ApiError } = await load("@google/genai");
const { APICallError, generateText, jsonSchema, stepCountIs, streamText, tool } = await load("ai");
const { createAnthropic } = await load("@ai-sdk/anthropic");
const { createOpenAI } = await load("@ai-sdk/openai");
const { createGoogleGenerativeAI } = await load("@ai-sdk/google");
const { createOpenAICompatible } = await load("@ai-sdk/openai-compatible");

const WORDS = "the weather in Bern";
const MODELS = ["anthropic:claude-sonnet-4-5", "openai-chat:gpt-4o", "openai:gpt-5.4-mini", "google:gemini-3.5-flash",
    "mistral:mistral-medium-latest", "cohere:command-a-plus-05-2026", "bedrock:us.amazon.nova-pro-v1:0",
    "ollama:mistral-small3.2"];
const SCHEMA = { type: "object", properties: {} };
const URL_OF_PICTURE = `data:image/png;base64,${png}`;

const anthropic = new Anthropic({ baseURL: base, apiKey: "any", maxRetries: 0 });
const openai = new OpenAI({ baseURL: `${base}/v1`, apiKey: "any", maxRetries: 0 });
const google = new GoogleGenAI({ apiKey: "any", httpOptions: { baseUrl: base } });

// What each of them sends: a question, a call, and a picture as its result.

const messages = (model) => ({
    model, max_tokens: 1000, tools: [{ name: "look", input_schema: SCHEMA }],
    messages: [{ role: "user", content: WORDS },
        { role: "assistant", content: [{ type: "tool_use", id: "toolu_0", name: "look", input: {} }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_0", content: [
            { type: "image", source: { type: "base64", media_type: "image/png", data: png } }] }] }],
});
const chat = (model) => ({
    model, tools: [{ type: "function", function: { name: "look", parameters: SCHEMA } }],
    messages: [{ role: "user", content: WORDS },
        { role: "assistant", content: null, tool_calls: [
            { id: "call_0", type: "function", function: { name: "look", arguments: "{}" } }] },
        { role: "tool", tool_call_id: "call_0", content: [{ type: "image_url", image_url: { url: URL_OF_PICTURE } }] }],
});
const responses = (model) => ({
    model, tools: [{ type: "function", name: "look", parameters: SCHEMA, strict: false }],
    input: [{ role: "user", content: WORDS },
        { type: "function_call", call_id: "call_0", name: "look", arguments: "{}" },
        { type: "function_call_output", call_id: "call_0", output: [
            { type: "input_image", image_url: URL_OF_PICTURE, detail: "auto" }] }],
});
const contents = (model) => ({
    model, contents: [{ role: "user", parts: [{ text: WORDS }] },
        { role: "model", parts: [{ functionCall: { name: "look", args: {} } }] },
        { role: "user", parts: [{ functionResponse: { name: "look", response: { output: "here" }, parts: [
            { inlineData: { mimeType: "image/png", data: png } }] } }] }],
});

async function joined(stream, text) {
    let all = "";
    for await (const piece of stream)
        all += text(piece) ?? "";
    return all;
}

function expect(good, what) {
    if (!good)
        throw new Error(typeof what === "string" ? what : JSON.stringify(what));
}

// Vercel's ai calls the tool itself: the simulator is told to, by name.
const LOOK = `look {} at ${WORDS}`;
const tools = {
    look: tool({
        description: "Looks", inputSchema: jsonSchema(SCHEMA), execute: async () => "",
        toModelOutput: () => ({ type: "content", value: [{ type: "image-data", data: png, mediaType: "image/png" }] }),
    }),
};
const asked = (model) => ({ model, prompt: LOOK, tools, stopWhen: stepCountIs(2), maxRetries: 0 });
const generated = (of) => async (model) => (await generateText(asked(of(model)))).text;
const streamed = (of) => async (model) => {
    let wrong;
    const stream = streamText({ ...asked(of(model)), onError: ({ error }) => { wrong = error; } });
    const all = await joined(stream.textStream, (piece) => piece);
    if (wrong)
        throw wrong;
    return all;
};

const answers = (ask) => async () => {
    for (const model of MODELS) {
        const said = await ask(model);
        expect(said.includes(WORDS) && /64 ?x ?64/.test(said), { model, said });
    }
};
const isNotFound = (ask, error, status) => async () => {
    try {
        await ask("nothing-like-that");
    } catch (e) {
        expect(e instanceof error && e[status] === 404 && /Names that work/.test(e.message), String(e));
        return;
    }
    throw new Error("it is answered");
};

// A model may think first.
const textOf = (message) => message.content.find((block) => block.type === "text").text;
const say = async (model) => textOf(await anthropic.messages.create(messages(model)));
const sayChat = async (model) => (await openai.chat.completions.create(chat(model))).choices[0].message.content;
const sayGoogle = async (model) => (await google.models.generateContent(contents(model))).text;

const sdk = {
    "anthropic: messages": answers(say),
    "anthropic: messages, streamed": answers(async (model) =>
        textOf(await anthropic.messages.stream(messages(model)).finalMessage())),
    "anthropic: tokens": async () =>
        expect((await anthropic.messages.countTokens({ model: MODELS[1], messages: messages("").messages }))
            .input_tokens > 100, "tokens"),
    "anthropic: models": async () => expect((await anthropic.models.list()).data.length > 3, "models"),
    "anthropic: an unknown model": isNotFound(say, AnthropicNotFound, "status"),
    "openai: chat completions": answers(sayChat),
    "openai: chat completions, streamed": answers(async (model) =>
        (await openai.chat.completions.stream(chat(model)).finalChatCompletion()).choices[0].message.content),
    "openai: responses": answers(async (model) => (await openai.responses.create(responses(model))).output_text),
    "openai: responses, streamed": answers(async (model) =>
        joined(await openai.responses.create({ ...responses(model), stream: true }),
            (e) => (e.type === "response.output_text.delta" ? e.delta : ""))),
    "openai: models": async () => expect((await openai.models.list()).data.length > 3, "models"),
    "openai: an unknown model": isNotFound(sayChat, OpenAINotFound, "status"),
    "google: content": answers(sayGoogle),
    "google: content, streamed": answers(async (model) =>
        joined(await google.models.generateContentStream(contents(model)), (c) => c.text)),
    "google: tokens": async () =>
        expect((await google.models.countTokens(contents(MODELS[1]))).totalTokens > 100, "tokens"),
    "google: models": async () => expect((await joined(await google.models.list(), (m) => m.name)).length > 100, "models"),
    "google: an unknown model": isNotFound(sayGoogle, ApiError, "status"),
};

const settings = { apiKey: "any", name: "refract" };
const vercel = {
    "anthropic": createAnthropic({ ...settings, baseURL: `${base}/v1` }),
    "openai responses": createOpenAI({ ...settings, baseURL: `${base}/v1` }).responses,
    "openai chat": createOpenAI({ ...settings, baseURL: `${base}/v1` }).chat,
    "google": createGoogleGenerativeAI({ ...settings, baseURL: `${base}/v1beta` }),
    "openai-compatible": createOpenAICompatible({ ...settings, baseURL: `${base}/v1` }),
};
// These send a picture of a tool as text, or not at all: what they say of it is theirs.
const blind = ["openai chat", "openai-compatible"];

const isCalled = (ask) => async () => {
    for (const model of MODELS)
        expect((await ask(model)).includes("look"), model);
};
for (const [name, of] of Object.entries(vercel)) {
    const check = blind.includes(name) ? isCalled : answers;
    sdk[`ai with ${name}`] = check(generated(of));
    sdk[`ai with ${name}, streamed`] = check(streamed(of));
    sdk[`ai with ${name}: an unknown model`] =
        isNotFound((model) => generateText({ model: of(model), prompt: WORDS, maxRetries: 0 }), APICallError, "statusCode");
}

let passed = 0, failed = 0;
for (const [name, check] of Object.entries(sdk)) {
    try {
        await check();
        passed++;
        console.log(`ok      ${name}`);
    } catch (e) {
        failed++;
        console.log(`FAILED  ${name}\n    ${e.stack ?? e}`);
    }
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
