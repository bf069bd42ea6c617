// The reply: what it says, and as it streamed.

import { h } from "./dom.js";
import * as format from "./format.js";

function block(b) {
    if (b.type === "tool_call")
        return h("div", { class: "call" }, h("p", { class: "call-head" }, "calls ", h("b", null, b.name)), h("pre", null, JSON.stringify(b.arguments, null, 2)));
    if (b.type === "thinking")
        return h("div", { class: "same" }, h("p", { class: "call-head" }, "thinks"), h("p", { class: "said thinking" }, b.text || b.thinking || ""));
    if (b.type === "text")
        return h("p", { class: "said text" }, b.text);
    return h("p", { class: "quiet" }, `[${b.type}]`);
}

function said(message) {
    const content = typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content || [];
    return h("section", { class: "message assistant" }, h("h4", null, "assistant"), content.map(block),
        message.stop_reason ? h("p", { class: "quiet" }, `stopped: ${message.stop_reason}`) : null);
}

export function reply(r) {
    if (!r || !r.pieces.length)
        return h("p", { class: "empty" }, "No reply was written.");
    return h("div", { class: "replied" },
        r.message ? [h("h3", null, "What it said"), said(r.message)] : null,
        h("h3", null, r.pieces.length === 1 ? "In the client's words" : `In the client's words, in ${r.pieces.length} pieces`),
        h("ol", { class: "pieces" }, r.pieces.map(([after, text]) => h("li", null,
            h("span", { class: "quiet at" }, format.duration(after)), h("pre", null, text)))),
        r.cut ? h("p", { class: "quiet" }, "The rest is not kept.") : null);
}
