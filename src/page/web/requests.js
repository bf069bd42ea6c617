// Requests: the list as it grows, its filter, and the one that is open beside it.

import { h, fill, announce } from "./dom.js";
import * as api from "./api.js";
import * as feed from "./feed.js";
import * as format from "./format.js";
import { List } from "./list.js";
import { Detail } from "./detail.js";
import { badge, thumbnail } from "./file.js";

const FILTERS = {
    all: ["All", () => true],
    running: ["Running", (e) => e.stage !== "over"],
    failed: ["Failed", (e) => e.stage === "over" && (e.status >= 400 || e.status === 0 || e.gone || e.error)],
    files: ["With files", (e) => e.files.length > 0],
    changed: ["Files changed", (e) => e.files.some((f) => f.form !== "original" || f.delivery !== "native")],
};

function status(entry) {
    if (entry.stage !== "over")
        return h("span", { class: "chip running" }, entry.stage === "began" ? "asked" : "answers");
    const good = entry.status >= 200 && entry.status < 300 && !entry.error && !entry.gone;
    return h("span", { class: `chip ${good ? "good" : "bad"}` }, entry.gone ? "gone" : entry.status || "gone");
}

function files(entry) {
    const shown = entry.files.filter((f) => typeof f === "object").slice(0, 3);
    const rest = entry.files.reduce((n, f) => n + (typeof f === "object" ? 1 : f), 0) - shown.length;
    return h("span", { class: "row-files" },
        shown.map((f, i) => h("span", { class: "row-file", title: f.why || null }, thumbnail(entry, f, i, 20), h("b", null, f.name || f.kind), " ",
            badge(f), " ", h("span", { class: "quiet" }, f.words, f.why ? ` – ${f.why}` : ""))),
        rest > 0 ? h("span", { class: "quiet" }, `+${rest} more`) : null,
        !shown.length && entry.error_words ? h("span", { class: "wrong" }, entry.error_words) : null,
        !shown.length && !entry.error_words ? h("span", { class: "quiet" }, "no files") : null);
}

function row(entry) {
    const model = entry.model ? `${entry.provider}:${entry.model}` : "–";
    return [
        h("span", { class: "row-time" }, format.time(entry.began_ms)),
        status(entry),
        h("span", { class: "row-who" }, entry.heals ? h("span", { class: "chip warn" }, "healed") : null,
            h("span", { class: "quiet" }, entry.key || entry.client.split("/")[0] || "–", " · "),
            entry.dialect, h("span", { class: "quiet" }, " → "), h("b", null, model)),
        h("span", { class: "row-tokens", title: "tokens in and out" }, `${format.short(entry.input)} → ${format.short(entry.output)}`),
        h("span", { class: "row-cost", title: entry.cost_micros === null ? "cost: the model has no price" : "cost" }, format.money(entry.cost_micros)),
        h("span", { class: "row-took", title: "to the first byte, and in all" },
            `${format.duration(entry.first_us)} / ${format.duration(entry.total_us)}`),
        files(entry),
    ];
}

/** What the columns are; a screen reader hears it with each value. */
function heads() {
    return h("div", { class: "row heads", "aria-hidden": "true" },
        h("span", null, "Time"), h("span", null, "Status"),
        h("span", null, "Client · API → model"), h("span", { class: "row-tokens" }, "Tokens"), h("span", { class: "row-cost" }, "Cost"),
        h("span", { class: "row-took" }, "First byte / all"));
}

export class Requests {
    constructor(go) {
        this.go = go;
        this.filter = "all";
        this.search = h("input", {
            type: "search", placeholder: "Search: a model, native, omitted, 2000×1333 …", "aria-label": "Search requests",
            "aria-keyshortcuts": "/", oninput: () => this.refresh(),
        });
        this.choice = h("select", { "aria-label": "Which requests", onchange: () => this.refresh() },
            Object.entries(FILTERS).map(([key, [name]]) => h("option", { value: key }, name)));
        this.pause = h("button", { type: "button", "aria-pressed": "false", "aria-keyshortcuts": "p", onclick: () => this.togglePause() }, "Pause");
        this.older = h("button", { type: "button", title: "from the log in the store", onclick: () => this.loadOlder() }, "Older");
        this.count = h("span", { class: "quiet count" });
        this.list = new List({
            label: "Requests, the newest first", height: 52, row, key: (e) => e.id,
            open: (e) => this.go(`requests/${e.id}`), select: (e) => this.open && this.go(`requests/${e.id}`),
        });
        this.beside = h("section", { class: "beside", "aria-label": "One request", hidden: true });
        this.element = h("div", { class: "view requests" },
            h("section", { class: "left", "aria-label": "Requests" },
                h("div", { class: "tools", role: "search" }, this.search, this.choice, this.pause, this.older, this.count),
                this.empty = h("p", { class: "empty" }, "No requests yet. Point a client's base URL here, and they appear as they come."),
                this.heads = heads(), this.list.element),
            this.beside);
        feed.onChange((changed) => this.changed(changed));
        this.refresh();
    }

    togglePause() {
        feed.pause(!feed.isPaused());
        this.pause.setAttribute("aria-pressed", feed.isPaused());
        this.refresh();
        announce(feed.isPaused() ? "paused" : "live again");
    }

    /** What the store's log has from before. */
    async loadOlder() {
        const last = feed.list().at(-1);
        // Those in memory are not in the order of their ids: others of the last one's millisecond may be missing.
        const before = !last ? "" : last.number ? `?before=${last.began_ms + 1}` : `?before=${last.began_ms}&id=${last.id}`;
        try {
            const rows = (await api.get(`older${before}`)).filter((row) => !feed.entries.has(row.id));
            feed.addOlder(rows);
            announce(rows.length ? `${rows.length} older requests` : "there are no older ones");
            this.older.disabled = !rows.length;
        } catch (error) {
            announce(error.message);
        }
    }

    changed(changed) {
        this.refresh();
        if (this.open && changed.some((e) => e.id === this.open.id))
            this.open.update(feed.entries.get(this.open.id));
    }

    refresh() {
        const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
        const [, fits] = FILTERS[this.choice.value];
        const all = feed.list();
        const shown = words.length || this.choice.value !== "all"
            ? all.filter((e) => fits(e) && words.every((w) => e.text.includes(w))) : all;
        this.count.textContent = shown.length === all.length ? format.number(all.length)
            : `${format.number(shown.length)} of ${format.number(all.length)}`;
        this.pause.textContent = feed.isPaused() ? `Go on (${format.number(feed.held())})` : "Pause";
        this.empty.hidden = all.length > 0;
        this.heads.hidden = !all.length;
        this.list.set(shown);
    }

    /** The rest of the address: "ID" or "ID/TAB". */
    show([id, tab]) {
        const before = this.open;
        this.element.classList.toggle("opened", !!id);
        this.beside.hidden = !id;
        if (!id) {
            this.open = null;
            fill(this.beside);
            return;
        }
        if (!before || before.id !== id) {
            this.open = new Detail(id, this.go);
            fill(this.beside, this.open.element);
        }
        this.list.mark(id);
        this.open.show(tab || "conversation");
    }

    key(event) {
        if (event.key === "j" || event.key === "k")
            this.list.step(event.key === "j" ? 1 : -1);
        else if (event.key === "/")
            this.search.focus();
        else if (event.key === "p")
            this.togglePause();
        else if (event.key === "Enter" && document.activeElement === document.body)
            this.list.openChosen();
        else if (event.key === "Escape" && this.open) {
            this.go("requests");
            this.list.element.focus();
        } else if (this.open && /^[1-6]$/.test(event.key))
            this.open.nth(Number(event.key) - 1);
        else
            return false;
        return true;
    }
}
