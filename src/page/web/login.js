// The form for an admin's key, which is sent once and kept nowhere here.

import { h, fill } from "./dom.js";
import * as api from "./api.js";

export function show(main, done) {
    const key = h("input", { type: "password", id: "key", name: "key", required: true, autocomplete: "off", spellcheck: "false" });
    const wrong = h("p", { class: "wrong", role: "alert" });
    const form = h("form", {
        class: "login", onsubmit: async (event) => {
            event.preventDefault();
            wrong.textContent = "";
            try {
                await api.post("login", { key: key.value.trim() });
                done();
            } catch (error) {
                wrong.textContent = error.message;
                key.select();
            }
        },
    }, h("h2", null, "Log in"), h("label", { for: "key" }, "An admin's key"), key, wrong, h("button", null, "Log in"),
    h("p", { class: "quiet" }, "Made with ", h("code", null, "refract keys add NAME --admin")));
    fill(main, form);
    key.focus();
}
