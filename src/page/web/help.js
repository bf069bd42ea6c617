// What the keys do.

import { h } from "./dom.js";

const KEYS = [
    ["j, k", "the next request or session, the one before"], ["Enter", "open it"], ["Escape", "close it"], ["/", "search"],
    ["1 … 6", "the parts of what is open"], ["p", "pause, and go on"], ["g r, g s, g o", "requests, sessions, overview"],
    ["?", "this help"],
];

let dialog = null;

export function show() {
    if (!dialog) {
        dialog = h("dialog", { class: "help", "aria-labelledby": "help-title" },
            h("h2", { id: "help-title" }, "Keys"),
            h("dl", null, KEYS.map(([keys, what]) => [h("dt", null, h("kbd", null, keys)), h("dd", null, what)])),
            h("form", { method: "dialog" }, h("button", null, "Close")));
        document.body.append(dialog);
    }
    if (!dialog.open)
        dialog.showModal();
}
