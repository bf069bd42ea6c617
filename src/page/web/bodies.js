// Both bodies as they are on the wire, with files folded.

import { h, fill } from "./dom.js";
import * as api from "./api.js";

async function load(address, into) {
    try {
        const body = await api.get(address);
        fill(into, typeof body === "string" ? body : JSON.stringify(body, null, 2));
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
