// @google/genai: Gemini's API and Vertex.
import * as c from "./case.mjs";
const { ApiError, GoogleGenAI } = await c.load("@google/genai");

const model = "gemini-3-pro-preview";
const tools = [{
    functionDeclarations: [{
        name: c.TOOL, description: c.TOOL_ABOUT, parametersJsonSchema: c.SCHEMA,
    }],
}];
const refused = (e) => e instanceof ApiError && e.status === 429;

function cases(ai) {
    const request = (contents) => ({ model, contents, config: { systemInstruction: c.SYSTEM } });
    return {
        plain: async () => (await ai.models.generateContent(request(c.HELLO))).text,
        streamed: async () => c.joined(await ai.models.generateContentStream(request(c.HELLO)),
            (chunk) => chunk.text),
        tool: async () => {
            const asked = { role: "user", parts: [{ text: c.LOOK }] };
            const said = await ai.models.generateContent(
                { model, contents: [asked], config: { tools } });
            const call = said.functionCalls[0];
            const inlineData = {
                mimeType: "image/png", data: c.BASE64, displayName: "chart.png",
            };
            const functionResponse = {
                id: call.id, name: call.name, response: { output: { $ref: "chart.png" } },
                parts: [{ inlineData }],
            };
            const contents = [asked, said.candidates[0].content,
                              { role: "user", parts: [{ functionResponse }] }];
            return (await ai.models.generateContent({ model, contents, config: { tools } })).text;
        },
        error: () => ai.models.generateContent(request(c.REFUSED)),
    };
}

const at = (path) => ({ baseUrl: c.SIM + path });
await c.run("@google/genai", "@google/genai", refused,
    cases(new GoogleGenAI({ apiKey: "any", httpOptions: at("/google") })));
await c.run("@google/genai vertex", "@google/genai", refused,
    cases(new GoogleGenAI({ vertexai: true, apiKey: "any", httpOptions: at("/vertex") })));
