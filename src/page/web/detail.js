// One request: its facts, and what was kept of it, part by part.

import { h, fill } from "./dom.js";
import * as api from "./api.js";
import * as format from "./format.js";
import { find, prepared } from "./feed.js";
import { conversations, wasUnsent } from "./conversation.js";
import { fileTable } from "./filetable.js";
import { WhatIf } from "./whatif.js";
import { Reply } from "./reply.js";
import { Bodies } from "./bodies.js";

const TABS = {
    conversation: "Conversation", files: "Files", whatif: "What if", reply: "Reply", bodies: "Raw bodies", attempts: "Attempts",
};

/** Those with long words have a line to themselves. */
function fact(name, value, kind = "") {
    return [h("dt", { class: kind }, name), h("dd", { class: kind }, value)];
}

/** How it ended, in words. */
function ending(e) {
    if (e.stage !== "over")
        return e.stage === "began" ? "under way" : "under way: it answers";
    if (e.gone)
        return "the client went before the end";
    const broke = e.error && e.status < 300;
    return `${e.status || "no answer"}${broke ? ", then it broke off" : e.streamed ? ", as a stream" : ""}`;
}

/** What was asked for, and who answered where that has another name. */
function model(e) {
    const answered = e.model ? `${e.provider}:${e.model}` : "";
    return !e.asked || e.asked === answered ? answered || "–" : answered ? `${e.asked} → ${answered}` : e.asked;
}

function facts(e) {
    const took = `${format.duration(e.first_us)} to the first byte, ${format.duration(e.total_us)} in all`;
    return h("dl", { class: "facts" },
        fact("Client", [e.key ? `${e.key} · ` : "", e.client || "–", " · ", e.dialect]),
        e.operation ? fact("Asks for", e.operation === "count" ? "a number of tokens" : h("span", { class: "mono" }, e.operation)) : null,
        fact("Model", model(e)),
        fact("Status", ending(e)),
        fact("Tokens", `${format.number(e.input)} in${e.cached ? ` (${format.number(e.cached)} cached)` : ""}, ${format.number(e.output)} out`),
        fact("Cost", e.cost_micros === null ? "not known" : format.money(e.cost_micros)),
        fact("Bytes", `${format.bytes(e.bytes_in)} in, ${format.bytes(e.bytes_out)} out`),
        fact("Time", [took, e.own_us ? h("span", { class: "quiet" }, `, ${format.duration(e.own_us)} of it here`) : null], "whole"),
        e.error ? fact("Error", h("span", { class: "wrong" }, e.error_words ? `${e.error}: ${e.error_words}` : e.error), "whole") : null,
        e.left.length ? fact("Left out", e.left.map((n) => h("p", { class: "left-out" }, n)), "whole") : null,
        e.notices.length > e.left.length ? fact("Notes", e.notices.filter((n) => !e.left.includes(n)).map((n) => h("p", null, n)), "whole") : null);
}

/** What came of the last attempt; null: the refusals say it. */
function outcome(e, insteadOf) {
    if (!e.error && e.status >= 200 && e.status < 300)
        return h("li", null, h("p", null, h("span", { class: "chip good" }, e.status), " ", h("b", null, `${e.provider}:${e.model}`), " answered",
            insteadOf ? `, a fallback of ${insteadOf}` : null));
    if (e.error && e.status < 300 && e.attempts)
        return h("li", null, h("p", null, h("span", { class: "chip bad" }, "broke off"), " it answered, and did not come to an end"),
            h("blockquote", null, e.error_words || e.error));
    return null;
}

function attempts(e, kept) {
    const all = kept.refusals || [], over = e.stage === "over", end = over ? outcome(e, kept.instead_of) : null;
    if (!all.length && !over)
        return h("p", { class: "empty" }, "It is under way, and was not refused so far.");
    if (!all.length && !end)
        return h("p", { class: "empty" }, e.gone ? "The client went before the end." : e.attempts > 1 ? `Asked ${e.attempts} times.`
            : e.attempts ? "Asked once." : "No provider was asked.");
    if (!all.length && !e.error && !kept.instead_of)
        return h("p", { class: "empty" }, "Asked once, and not refused.");
    return h("ol", { class: "attempts" },
        all.map((r) => h("li", null,
            h("p", null, h("span", { class: "chip bad" }, r.status || "refused"), " ", h("b", null, `${r.provider}:${r.model}`), " ",
                h("span", { class: "quiet" }, `${r.error}, after ${format.duration(r.after_us)}`)),
            h("blockquote", null, r.words || "no words"),
            r.healed ? h("p", { class: "healed" }, h("span", { class: "chip warn" }, "healed"), " ", r.healed) : null,
            h("p", { class: "quiet" }, r.again ? "It was asked again." : over ? "That was the end of it." : "It is under way."))),
        end);
}

/** What is shown of a request that is under way was planned for the page. */
function healed(e) {
    return e.heals && e.stage !== "over" ? h("p", { class: "note" }, "The request was changed after a refusal. What the model got in the end is here when it is over.") : null;
}

/** Why there is no more than the summary. */
function missing(entry) {
    if (entry.stage !== "over")
        return "It is under way, and only its summary is kept: very many came with it.";
    return entry.number ? "Only its summary is here: nobody looked when it came, or too much came with it or since. " +
        "What comes while this page is open is kept whole, of very many a second some."
        : "It is from the log, which has summaries only.";
}

export class Detail {
    constructor(id, go) {
        Object.assign(this, { id, go, tab: "conversation", entry: null, isMissing: false, kept: null, turn: 0, drawn: {} });
        this.reply = new Reply(`requests/${id}`, () => this.entry?.stage === "over" || this.load());
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
        const known = find(this.id);
        if (known && !known.number) { // of the log: the server has no more of it
            this.fromLog(known);
            return;
        }
        const turn = ++this.turn;
        try {
            const [told, kept] = await api.get(`requests/${this.id}`);
            if (turn !== this.turn)
                return; // it was asked for again since
            this.bodies = this.entry?.stage === told.stage ? this.bodies : null;
            this.isMissing = false;
            this.entry = prepared(told);
            this.kept = kept;
            this.reply.mark(this.entry);
            this.draw();
        } catch (error) {
            const row = error.status === 404 && (await api.get(`older?request=${this.id}`).catch(() => []))[0];
            const summary = row ? prepared(row) : error.status === 404 && known;
            if (turn === this.turn)
                summary ? this.fromLog(summary) : this.fail(error);
        }
    }

    /** What is not in memory any more. */
    fromLog(entry) {
        this.isMissing = false;
        this.kept = null;
        this.entry = { ...entry, kept: false };
        this.draw();
    }

    /** It may be there later: a server that cannot be reached says nothing of its requests. */
    fail(error) {
        this.isMissing = true;
        if (this.entry) {
            fill(this.panel, h("p", { class: "empty wrong" }, error.message));
            return;
        }
        this.tabs.hidden = true;
        fill(this.head, this.close(), h("h2", null, error.status === 404 ? "This request is not here" : "This request cannot be shown"),
            h("p", { class: "mono quiet id" }, this.id));
        fill(this.panel, h("p", { class: "empty" }, error.status === 404 ? "It is neither in memory any more nor in a log of this gateway." : error.message));
    }

    /** It has changed: more is known of it. */
    update() {
        this.load();
    }

    /** Nobody looks. */
    leave() {
        this.reply.leave();
    }

    choose(tab) {
        this.go(`requests/${this.id}/${tab}`, { replace: true });
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
        this.tab = Object.hasOwn(TABS, tab) ? tab : "conversation";
        for (const button of this.tabs.children) {
            const chosen = button.id === `tab-${this.tab}`;
            button.setAttribute("aria-selected", chosen);
            button.tabIndex = chosen ? 0 : -1;
        }
        this.panel.setAttribute("aria-labelledby", `tab-${this.tab}`);
        if (find(this.id)?.kept ?? true)
            this.reply.follow();
        if (this.entry)
            this.drawPanel();
    }

    close() {
        return h("button", { type: "button", class: "close", "aria-label": "Close", onclick: () => this.go("requests") }, "×");
    }

    drawHead() {
        const day = format.otherDay(this.entry.began_ms);
        this.tabs.hidden = !this.entry.kept;
        fill(this.head, this.close(),
            h("h2", null, `${day ? `${day}, ` : ""}${format.time(this.entry.began_ms)} · ${this.entry.asked || this.entry.dialect}`),
            h("p", { class: "mono quiet id" }, this.id), facts(this.entry));
    }

    draw() {
        this.drawHead();
        this.drawPanel();
    }

    drawPanel() {
        const { entry, kept } = this;
        if (!entry.kept) {
            fill(this.panel, h("p", { class: "empty" }, missing(entry)), entry.files.length ? fileTable(entry, entry.files) : null);
            return;
        }
        const address = `requests/${this.id}`;
        const parts = {
            conversation: () => [this.same("conversation", [kept.client, kept.model, kept.files, wasUnsent(entry)],
                () => conversations(kept.client, kept.model, kept.files || [], address, entry)), healed(entry), this.reply.said],
            files: () => [fileTable(entry, kept.files || []), notices(kept.notices || [])],
            whatif: () => (this.whatif = this.whatif || new WhatIf(`${address}/models`, entry.model ? `${entry.provider}:${entry.model}` : "")).element,
            reply: () => [this.reply.said, this.reply.sent],
            bodies: () => (this.bodies = this.bodies || new Bodies(address)).element,
            attempts: () => attempts(entry, kept),
        };
        const shown = [parts[this.tab]()].flat(Infinity).filter(Boolean);
        if (shown.length !== this.panel.childNodes.length || shown.some((node, i) => node !== this.panel.childNodes[i]))
            fill(this.panel, shown);
    }

    /** What was drawn before, where that was of the same: then nothing moves, and nothing is loaded again. */
    same(name, of, draw) {
        const key = JSON.stringify(of);
        if (this.drawn[name]?.key !== key)
            this.drawn[name] = { key, nodes: draw() };
        return this.drawn[name].nodes;
    }
}

export function notices(all) {
    return all.length ? h("section", { class: "notices" }, h("h3", null, "Besides files"), h("ul", null, all.map((n) => h("li", null, n)))) : null;
}
