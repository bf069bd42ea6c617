// What is shown before the first request: how clients are pointed here.

import { h, announce } from "./dom.js";

const here = location.origin;

const CLIENTS = [
    ["Claude Code", `ANTHROPIC_BASE_URL=${here} ANTHROPIC_API_KEY=any claude`],
    ["Codex", `codex -c model_provider=refract -c 'model_providers.refract={name="refract",base_url="${here}/v1",wire_api="responses"}'`],
    ["OpenAI’s SDKs", `OpenAI(base_url="${here}/v1", api_key="any")`],
    ["Anthropic’s SDKs", `Anthropic(base_url="${here}", api_key="any")`],
    ["curl", `curl ${here}/v1/chat/completions -H 'content-type: application/json' ` +
        `-d '{"model": "openai:gpt-5.4-mini", "messages": [{"role": "user", "content": "Hello"}]}'`],
];

async function copy(line, button) {
    try {
        await navigator.clipboard.writeText(line.textContent);
        button.textContent = "Copied";
        announce("copied");
    } catch { // only pages of this machine, or over TLS, may write there: it is chosen to be copied by hand
        getSelection().selectAllChildren(line);
    }
}

function client([name, words]) {
    const line = h("code", null, words);
    const button = h("button", { type: "button", "aria-label": `Copy the line for ${name}`, onclick: () => copy(line, button) }, "Copy");
    return [h("dt", null, name), h("dd", null, line, button)];
}

export function welcome() {
    return h("section", { class: "empty welcome", "aria-label": "How to begin" },
        h("h2", null, "No requests yet"),
        h("p", null, "Point a client’s base URL at ", h("code", null, here), ", and its requests appear here as they come. " +
            "Where this gateway has keys, one of them takes the place of “any”."),
        h("dl", null, CLIENTS.map(client)));
}
