// Sessions of the store: the list, one of them with its files, and what a model would get of it.

import { h, fill, announce, focusIsIn } from "./dom.js";
import * as api from "./api.js";
import * as format from "./format.js";
import { List } from "./list.js";
import { badge, picture } from "./file.js";
import { opener, saver, isDrawn } from "./viewer.js";
import { session } from "./conversation.js";
import { WhatIf } from "./whatif.js";

const EVERY_MS = 5000; // between two looks at the list
const MOST = 2000; // that the server lists, the last ones

function row(s) {
    return [
        h("span", { class: "row-time" }, format.otherDay(s.updated_ms) || format.time(s.updated_ms)),
        h("span", { class: "quiet mono" }, s.id.split("-")[1] || s.id),
        h("span", { class: "row-who" }, h("b", null, s.title || "without a title"), s.owner ? h("span", { class: "chip running" }, "in use") : null),
        h("span", { class: "row-tokens", title: "tokens in and out" }, format.tokens(s.input, s.output)),
        h("span", { class: "row-cost" }, format.plural(s.messages, "message")),
        h("span", { class: "row-took" }, format.plural(s.files, "file")),
        h("span", { class: "row-files quiet" }, s.model ? `${s.provider}:${s.model}` : "no answer yet", s.parent ? ` · from ${s.parent}` : ""),
    ];
}

/** A store's "document" is a PDF or one of those whose text is read. */
const kindOf = (f) => (f.kind !== "document" ? f.kind : f.mime === "application/pdf" ? "pdf" : "office");

function fact(f) {
    const size = f.width ? `${f.width}×${f.height}, ` : f.duration_ms ? `${(f.duration_ms / 1000).toFixed(1)} s, ` : "";
    return `${f.mime}, ${size}${format.bytes(f.bytes)}`;
}

/** Who answered last. */
function lastModel(messages) {
    const last = messages.findLast((m) => m.model);
    return last ? `${last.provider}:${last.model}` : "";
}

class Session {
    constructor(id, go) {
        Object.assign(this, { id, go, said: null, listed: "", drawn: new Map() });
        this.files = h("div", null);
        this.words = h("div", null);
        this.wrong = h("p", { class: "wrong", role: "alert" });
        this.element = h("article", { class: "detail", "aria-label": `Session ${id}` }, h("p", { class: "empty" }, "…"));
        this.load();
    }

    async load() {
        try {
            this.set(await api.get(`sessions/${this.id}`));
        } catch (error) {
            fill(this.said ? this.wrong : this.element, this.said ? error.message : h("p", { class: "empty wrong" }, error.message));
        }
    }

    /** What models would get of it changes with it. */
    set(said) {
        const before = this.said;
        if (JSON.stringify(before) === JSON.stringify(said))
            return;
        this.said = said;
        if (!before)
            this.frame();
        this.draw();
        if (before)
            this.whatif.load();
    }

    /** As it stands in the list: it may have grown. */
    update(info) {
        const now = `${info.updated_ms} ${info.messages}`, before = this.listed;
        this.listed = now;
        if (before !== now)
            this.load();
    }

    async change(f) {
        const what = f.dropped ? "keep" : "drop";
        try {
            await api.post(`sessions/${this.said.id}/${what}/${f.hash}`);
            announce(what === "drop" ? `${f.name} is left out of later requests` : `${f.name} is sent again`);
            await this.load();
            this.element.querySelector(`[data-file="${f.hash}"] button[aria-pressed]`)?.focus();
        } catch (error) {
            this.wrong.textContent = error.message;
        }
    }

    file(f) {
        const address = `sessions/${this.said.id}`, kind = kindOf(f);
        return h("li", { class: `session-file${f.dropped ? " dropped" : ""}`, "data-file": f.hash },
            opener({ address, which: f.hash, name: f.name, kind, pages: this.pages.get(f.hash) },
                isDrawn(kind) ? picture(`/page/${address}/thumbnails/${f.hash}`, { kind }, 72) : picture("", { kind }, 40)),
            h("div", null, h("b", null, f.name || f.kind), " ", h("span", { class: "quiet" }, fact(f)), h("br"),
                f.dropped ? h("p", { class: "why" }, "Left out of later requests.") : null,
                f.delivery ? [badge(f), " ", h("span", { class: "quiet" }, `${f.as} to ${f.provider}:${f.model}, ${format.date(f.sent_ms)}`)]
                    : h("span", { class: "quiet" }, "not sent yet"),
                f.lost ? h("p", { class: "why" }, `lost: ${f.lost}`) : null,
                f.refused_by ? h("p", { class: "why wrong" }, `refused by ${f.refused_by}: ${f.refusal}`) : null,
                h("p", null, h("button", { type: "button", onclick: () => this.change(f), "aria-pressed": f.dropped },
                    f.dropped ? "Dropped: send it again" : "Drop"), " ",
                saver(`${address}/files/${f.hash}`, f.name || f.id))));
    }

    frame() {
        const { said } = this;
        this.whatif = new WhatIf(`sessions/${said.id}/models`, lastModel(said.said.messages));
        fill(this.element,
            h("header", { class: "detail-head" },
                h("button", { type: "button", class: "close", "aria-label": "Close", onclick: () => this.go("sessions") }, "×"),
                h("h2", null, said.title || "without a title"), h("p", { class: "mono quiet id" }, said.id),
                h("p", null, h("a", { href: `/page/sessions/${said.id}/export`, download: `${said.id}.tar` }, "Export")), this.wrong),
            h("div", { class: "panel" }, this.files,
                h("section", { "aria-label": "What models would get" }, h("h3", null, "What models would get of it now"), this.whatif.element),
                this.words));
    }

    draw() {
        const { said } = this;
        this.pages = new Map(said.said.messages.flatMap((m) => m.parts).filter((p) => p.blob).map((p) => [p.blob, p.pages]));
        fill(this.wrong);
        fill(this.files, said.files.length ? [h("h3", null, "Files"), h("ul", { class: "session-files" }, said.files.map((f) => this.file(f)))] : null);
        const focused = this.words.contains(document.activeElement) ? document.activeElement : null;
        fill(this.words, session("What was said", said.said, said.files, `sessions/${said.id}`, this.drawn));
        focused?.focus({ preventScroll: true });
    }
}

export class Sessions {
    constructor(go) {
        this.go = go;
        this.search = h("input", {
            type: "search", placeholder: "Search titles, ids and what was said", "aria-label": "Search sessions", "aria-keyshortcuts": "/",
            oninput: () => { clearTimeout(this.soon); this.soon = setTimeout(() => this.load(), 250); },
        });
        this.count = h("span", { class: "quiet count" });
        this.list = new List({
            label: "Sessions, the last one first", height: 52, row, key: (s) => s.id,
            open: (s) => go(`sessions/${s.id}`), select: (s) => this.open && go(`sessions/${s.id}`, { replace: true }),
        });
        this.asked = null; // what is under way
        this.last = {}; // what was found of which list
        this.empty = h("p", { class: "empty", hidden: true });
        this.beside = h("section", { class: "beside", "aria-label": "One session", hidden: true });
        this.element = h("div", { class: "view sessions" },
            h("section", { class: "left", "aria-label": "Sessions" }, h("div", { class: "tools", role: "search" }, this.search, this.count), this.empty, this.list.element),
            this.beside);
    }

    /** Those with the words in what was said, and those whose id has them; of a list that is as it was, what was found then. */
    async found(all, words, signal) {
        if (!words)
            return all;
        const of = JSON.stringify([words, all]);
        if (this.last.of !== of) {
            this.count.textContent = "searching …";
            const said = new Set((await api.get(`sessions?q=${encodeURIComponent(words)}`, signal)).map((s) => s.id));
            this.last = { of, all: all.filter((s) => said.has(s.id) || s.id.includes(words.toLowerCase())) };
        }
        return this.last.all;
    }

    /** What is asked for takes the place of what was asked before. */
    async load() {
        this.asked?.abort();
        const asked = this.asked = new AbortController();
        const words = this.search.value.trim();
        try {
            const { signal } = asked, all = await api.get("sessions", signal), own = all.find((s) => s.id === this.open?.id);
            if (own)
                this.open.update(own);
            this.set(await this.found(all, words, signal), words, all.length >= MOST);
        } catch (error) {
            if (error.name === "AbortError")
                return;
            this.count.textContent = "";
            this.empty.hidden = false;
            this.empty.textContent = error.message;
        }
        if (this.asked === asked)
            this.asked = null;
    }

    set(all, words, isCut) {
        this.count.textContent = `${isCut && !words ? "the last " : ""}${format.number(all.length)}`;
        this.empty.hidden = all.length > 0;
        this.empty.textContent = words ? `Nothing of that is in ${isCut ? `the last ${format.number(MOST)} sessions` : "any session"}.` : "No sessions yet: refract ask and refract chat keep theirs here.";
        const now = JSON.stringify(all);
        if (now === this.shown)
            return;
        this.shown = now;
        this.list.set(all);
    }

    show([id]) {
        const left = this.open && focusIsIn(this.beside);
        this.element.classList.toggle("opened", !!id);
        this.beside.hidden = !id;
        clearInterval(this.timer);
        this.timer = setInterval(() => document.hidden || this.asked || this.load(), EVERY_MS); // others write them
        if (!id) {
            if (left)
                this.list.element.focus();
            this.open = null;
            fill(this.beside);
            this.load();
            return;
        }
        if (!this.list.items.length)
            this.load();
        if (this.open?.id !== id) {
            this.open = new Session(id, this.go);
            fill(this.beside, this.open.element);
        }
        this.list.mark(id);
    }

    hide() {
        clearInterval(this.timer);
    }

    key(event) {
        if (event.key === "j" || event.key === "k")
            this.list.step(event.key === "j" ? 1 : -1);
        else if (event.key === "/")
            this.search.focus();
        else if (event.key === "Enter" && document.activeElement === document.body)
            this.list.openChosen();
        else if (event.key === "Escape" && this.open) {
            this.list.element.focus();
            this.go("sessions");
        } else
            return false;
        return true;
    }
}
