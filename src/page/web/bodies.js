// Both bodies as they are on the wire, with files folded.

import { h, fill } from "./dom.js";
import * as api from "./api.js";

/** JSON in lines. It is not parsed for that: a number may have more digits than a script can keep. */
function inLines(json) {
    let depth = 0, inString = false;
    const line = (by) => `\n${"  ".repeat(depth += by)}`;
    return json.replace(/"|\\.|[{}[\],:]/g, (token, at) => {
        if (token === '"')
            inString = !inString;
        if (inString)
            return token;
        switch (token) {
        case "{": case "[": return "]}".includes(json[at + 1]) ? token : token + line(1);
        case "}": case "]": return "[{".includes(json[at - 1]) ? token : line(-1) + token;
        case ",": return token + line(0);
        case ":": return ": ";
        default: return token;
        }
    });
}

async function load(address, into) {
    try {
        const body = await api.bytes(address), text = await body.text();
        fill(into, body.type === "application/json" ? inLines(text) : text);
    } catch (error) {
        fill(into, error.message);
    }
}

export class Bodies {
    constructor(address) {
        const client = h("pre", { class: "body", tabindex: "0" }, "…"), model = h("pre", { class: "body", tabindex: "0" }, "…");
        this.element = h("div", { class: "columns" },
            h("section", { class: "column", "aria-label": "Body of the client" }, h("h3", null, "From the client"), client),
            h("section", { class: "column", "aria-label": "Body for the model" }, h("h3", null, "To the model"), model));
        load(`${address}/bodies/client`, client);
        load(`${address}/bodies/model`, model);
    }
}
