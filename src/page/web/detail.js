// One request: its facts, and what was kept of it, part by part.

import { h, fill } from "./dom.js";
import * as api from "./api.js";
import * as format from "./format.js";
import { prepared } from "./feed.js";
import { conversations } from "./conversation.js";
import { fileTable } from "./filetable.js";
import { WhatIf } from "./whatif.js";
import { reply } from "./reply.js";
import { Bodies } from "./bodies.js";

const TABS = {
    conversation: "Conversation", files: "Files", whatif: "What if", reply: "Reply", bodies: "Raw bodies", attempts: "Attempts",
};

function fact(name, value, title) {
    return [h("dt", null, name), h("dd", { title: title || null }, value)];
}

function facts(e) {
    const took = `${format.duration(e.first_us)} to the first byte, ${format.duration(e.total_us)} in all`;
    return h("dl", { class: "facts" },
        fact("Client", [e.key ? `${e.key} · ` : "", e.client || "–", " · ", e.dialect]),
        fact("Model", [e.asked || "–", e.model ? ` → ${e.provider}:${e.model}` : ""]),
        fact("Status", e.stage !== "over" ? "under way" : e.gone ? "the client went before the end" : `${e.status || "–"}${e.streamed ? ", streamed" : ""}`),
        e.error ? fact("Error", h("span", { class: "wrong" }, `${e.error}: ${e.error_words}`)) : null,
        fact("Tokens", `${format.number(e.input)} in${e.cached ? ` (${format.number(e.cached)} cached)` : ""}, ${format.number(e.output)} out`),
        fact("Cost", format.money(e.cost_micros)),
        fact("Bytes", `${format.bytes(e.bytes_in)} in, ${format.bytes(e.bytes_out)} out`),
        fact("Time", [took, h("span", { class: "quiet" }, `, ${format.duration(e.own_us)} of it here`)]));
}

function attempts(e, kept) {
    const all = kept.refusals || [];
    if (!all.length)
        return h("p", { class: "empty" }, e.attempts > 1 ? `Asked ${e.attempts} times.` : e.attempts ? "Asked once, and not refused." : "No provider was asked.");
    return h("ol", { class: "attempts" },
        all.map((r) => h("li", null,
            h("p", null, h("span", { class: "chip bad" }, r.status || "refused"), " ", h("b", null, `${r.provider}:${r.model}`), " ",
                h("span", { class: "quiet" }, `${r.error}, after ${format.duration(r.after_us)}`)),
            h("blockquote", null, r.words || "no words"),
            r.healed ? h("p", { class: "healed" }, h("span", { class: "chip warn" }, "healed"), " ", r.healed) : null,
            h("p", { class: "quiet" }, r.again ? "It was asked again." : "That was the end of it."))),
        e.status === 200 ? h("li", null, h("p", null, h("span", { class: "chip good" }, "200"), " answered")) : null);
}

export class Detail {
    constructor(id, go) {
        Object.assign(this, { id, go, tab: "conversation", entry: null, kept: null });
        this.head = h("header", { class: "detail-head" });
        this.tabs = h("div", { class: "tabs", role: "tablist", "aria-label": "Parts of the request" },
            Object.entries(TABS).map(([key, name], i) => h("button", {
                type: "button", role: "tab", id: `tab-${key}`, "aria-controls": "panel", "aria-keyshortcuts": i + 1,
                onclick: () => this.choose(key), onkeydown: (event) => this.press(event, i),
            }, name)));
        this.panel = h("div", { id: "panel", class: "panel", role: "tabpanel", tabindex: "0" });
        this.element = h("article", { class: "detail", "aria-label": `Request ${id}` }, this.head, this.tabs, this.panel);
        this.load();
    }

    async load() {
        try {
            const [told, kept] = await api.get(`requests/${this.id}`);
            this.entry = prepared(told);
            this.kept = kept;
            this.draw();
        } catch (error) {
            fill(this.head, this.close(), h("p", { class: "empty" }, error.message));
            fill(this.panel);
        }
    }

    /** It has changed: what was kept comes with its end. */
    update(entry) {
        const kept = entry.kept && !this.entry?.kept;
        if (kept || !this.entry)
            this.load();
        else if (this.entry.stage !== entry.stage) {
            this.entry = entry;
            this.drawHead();
        }
    }

    choose(tab) {
        this.go(`requests/${this.id}/${tab}`);
    }

    nth(i) {
        const key = Object.keys(TABS)[i];
        if (key)
            this.choose(key);
    }

    press(event, i) {
        const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!by)
            return;
        const buttons = this.tabs.children, to = (i + by + buttons.length) % buttons.length;
        buttons[to].focus();
        this.nth(to);
        event.preventDefault();
        event.stopPropagation();
    }

    show(tab) {
        this.tab = tab in TABS ? tab : "conversation";
        for (const button of this.tabs.children) {
            const chosen = button.id === `tab-${this.tab}`;
            button.setAttribute("aria-selected", chosen);
            button.tabIndex = chosen ? 0 : -1;
        }
        this.panel.setAttribute("aria-labelledby", `tab-${this.tab}`);
        if (this.entry)
            this.drawPanel();
    }

    close() {
        return h("button", { type: "button", class: "close", "aria-label": "Close", onclick: () => this.go("requests") }, "×");
    }

    drawHead() {
        fill(this.head, this.close(), h("h2", null, `${format.time(this.entry.began_ms)} · ${this.entry.asked || this.entry.dialect}`),
            h("p", { class: "mono quiet id" }, this.id), facts(this.entry));
    }

    draw() {
        this.drawHead();
        this.drawPanel();
    }

    drawPanel() {
        const { entry, kept } = this;
        if (!entry.kept) {
            fill(this.panel, h("p", { class: "empty" }, entry.stage === "over"
                ? "Only its summary is here: nobody looked when it came, or too much came with it or since. What comes while this page is open is kept whole, of very many a second some."
                : "It is under way. The rest is here when it is over."), entry.files.length ? fileTable(entry, entry.files) : null);
            return;
        }
        const address = `requests/${this.id}`;
        const parts = {
            conversation: () => conversations(kept.client, kept.model, kept.files || [], address, entry),
            files: () => [fileTable(entry, kept.files || []), notices(kept.notices || [])],
            whatif: () => (this.whatif = this.whatif || new WhatIf(`${address}/models`, address)).element,
            reply: () => reply(kept.reply),
            bodies: () => (this.bodies = this.bodies || new Bodies(address)).element,
            attempts: () => attempts(entry, kept),
        };
        fill(this.panel, parts[this.tab]());
    }
}

export function notices(all) {
    return all.length ? h("section", { class: "notices" }, h("h3", null, "Left out besides files"), h("ul", null, all.map((n) => h("li", null, n)))) : null;
}
