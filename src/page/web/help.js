// What the keys do.

import { h } from "./dom.js";

/** Of the views that there are. */
function keys(views) {
    const requests = views.includes("requests");
    return [
        ["j, k", requests ? "the next request or session, the one before" : "the next session, the one before"], ["Enter", "open it"],
        ["Escape", "close it"], ["/", "search"], requests && ["1 … 6", "the parts of a request"], requests && ["p", "pause, and go on"],
        views.length > 1 && [views.map((v) => `g ${v[0]}`).join(", "), views.join(", ")],
        ["?", "this help"],
    ].filter(Boolean);
}

let dialog = null;

export function show(views) {
    if (!dialog) {
        dialog = h("dialog", { class: "help", "aria-labelledby": "help-title" },
            h("h2", { id: "help-title" }, "Keys"),
            h("dl", null, keys(views).map(([key, what]) => [h("dt", null, h("kbd", null, key)), h("dd", null, what)])),
            h("form", { method: "dialog" }, h("button", null, "Close")));
        document.body.append(dialog);
    }
    if (!dialog.open)
        dialog.showModal();
}
