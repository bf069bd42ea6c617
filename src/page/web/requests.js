// Requests: the list as it grows, its filter, and the one that is open beside it.

import { h, fill, announce, focusIsIn } from "./dom.js";
import * as api from "./api.js";
import * as feed from "./feed.js";
import * as format from "./format.js";
import { List } from "./list.js";
import { Detail } from "./detail.js";
import { badge, thumbnail } from "./file.js";
import { welcome } from "./welcome.js";

const FILTERS = {
    all: ["All", () => true],
    running: ["Running", (e) => e.stage !== "over"],
    failed: ["Failed", (e) => e.stage === "over" && !isGood(e)],
    files: ["With files", (e) => e.files.length > 0],
    changed: ["Changed or left out", (e) => e.left.length > 0 || e.rest.changed || e.files.some((f) => f.form !== "original" || f.delivery !== "native")],
};

const isGood = (e) => e.status >= 200 && e.status < 300 && !e.error && !e.gone;

function status(entry) {
    if (entry.stage !== "over")
        return h("span", { class: "chip running" }, entry.stage === "began" ? "asked" : "answers");
    if (isGood(entry))
        return h("span", { class: "chip good" }, entry.status);
    const broke = entry.status < 300 && !entry.gone; // the status was sent before it failed
    return h("span", { class: "chip bad", title: broke ? `broke off after ${entry.status}` : null },
        entry.gone || !entry.status ? "gone" : broke ? "broke off" : entry.status);
}

/** That something was left out besides files, or done in another way. */
function notices(entry) {
    if (!entry.notices.length)
        return null;
    const lost = entry.left.length > 0;
    return h("span", { class: `chip ${lost ? "warn left-out" : "running note-of"}`, title: entry.notices.join("\n") }, lost ? "left out" : "note");
}

/** Those that have no room in the row, one a line. */
const otherFiles = (entry, from) => [...entry.files.slice(from).map((f) => `${f.name || f.kind}: ${f.delivery} ${f.form}`), entry.rest.words]
    .filter(Boolean).join("\n");

function files(entry) {
    const shown = entry.files.slice(0, 3);
    const rest = entry.files.length + entry.rest.more - shown.length;
    return h("span", { class: "row-files" },
        entry.error_words ? h("span", { class: "wrong row-words", title: entry.error_words }, entry.error_words) : null,
        shown.map((f, i) => h("span", { class: "row-file", title: f.why || null }, thumbnail(entry, f, i, 20), h("b", null, f.name || f.kind), " ",
            badge(f), " ", h("span", { class: "quiet" }, f.words, f.why ? ` – ${f.why}` : ""))),
        rest > 0 ? h("span", { class: "quiet", title: otherFiles(entry, shown.length) }, `+${rest} more`) : null,
        entry.notices.length ? h("span", { class: "quiet row-words", title: entry.notices.join("\n") },
            [...new Set([...entry.left, ...entry.notices])].join("; ")) : null,
        !shown.length && !entry.error_words && !entry.notices.length ? h("span", { class: "quiet" }, entry.stage === "over" ? "no files" : "…") : null);
}

/** What was asked for, where that is no answer: a path. */
const operation = (entry) => (entry.operation === "count" ? "counts tokens" : entry.operation);

/** Who answered, or who was to. */
function model(entry) {
    return entry.model ? h("b", null, `${entry.provider}:${entry.model}`)
        : [h("b", null, entry.asked || "–"), entry.asked && entry.stage === "over" ? h("span", { class: "quiet" }, " (nobody answered)") : null];
}

function row(entry) {
    const day = format.otherDay(entry.began_ms);
    return [
        h("span", { class: "row-time" }, format.time(entry.began_ms), day ? h("span", { class: "row-day" }, day) : null),
        status(entry),
        h("span", { class: "row-who" }, entry.healed ? h("span", { class: "chip warn" }, "healed") : null, notices(entry),
            h("span", { class: "quiet" }, entry.key || entry.client.split("/")[0] || "–", " · "),
            entry.dialect, entry.operation ? h("span", { class: "quiet" }, ` ${operation(entry)}`) : null,
            h("span", { class: "quiet" }, " → "), model(entry)),
        h("span", { class: "row-tokens", title: "tokens in and out" }, format.tokens(entry.input, entry.output)),
        h("span", { class: "row-cost", title: entry.cost_micros === null ? "cost: not known" : "cost" }, format.money(entry.cost_micros)),
        h("span", { class: "row-took", title: "to the first byte, and in all" },
            `${format.duration(entry.first_us)} / ${format.duration(entry.total_us)}`),
        files(entry),
    ];
}

/** What the columns are; a screen reader hears it with each value. */
function heads() {
    return h("div", { class: "row heads", "aria-hidden": "true" },
        h("span", { class: "row-time" }, "Time"), h("span", null, "Status"),
        h("span", null, "Client · API → model"), h("span", { class: "row-tokens" }, "Tokens"), h("span", { class: "row-cost" }, "Cost"),
        h("span", { class: "row-took" }, "First byte / all"));
}

export class Requests {
    constructor(go) {
        this.go = go;
        this.filter = "all";
        this.search = h("input", {
            type: "search", placeholder: "Search: a model, omitted, after the results, 2000x1333 …", "aria-label": "Search requests",
            "aria-keyshortcuts": "/", oninput: () => this.refresh(),
        });
        this.choice = h("select", { "aria-label": "Which requests", onchange: () => this.refresh() },
            Object.entries(FILTERS).map(([key, [name]]) => h("option", { value: key }, name)));
        this.pause = h("button", { type: "button", "aria-pressed": "false", "aria-keyshortcuts": "p", onclick: () => this.togglePause() }, "Pause");
        this.older = h("button", { type: "button", title: "from the log in the store", onclick: () => this.loadOlder() }, "Older");
        this.count = h("span", { class: "quiet count" });
        this.list = new List({
            label: "Requests, the newest first", height: 52, row, key: (e) => e.id,
            open: (e) => this.go(`requests/${e.id}`), select: (e) => this.open && this.go(`requests/${e.id}`, { replace: true }),
        });
        this.beside = h("section", { class: "beside", "aria-label": "One request", hidden: true });
        this.said = h("span", { class: "quiet", role: "status" });
        this.none = h("div", { class: "empty", hidden: true }, h("p", null, "No request matches."),
            h("button", { type: "button", onclick: () => this.clear() }, "Show all"));
        this.element = h("div", { class: "view requests" },
            h("section", { class: "left", "aria-label": "Requests" },
                h("div", { class: "tools", role: "search" }, this.search, this.choice, this.pause, this.older, this.said, this.count),
                this.empty = welcome(), this.none, this.heads = heads(), this.list.element),
            this.beside);
        this.close = feed.onChange((changed) => this.changed(changed));
        this.refresh();
    }

    togglePause() {
        feed.pause(!feed.isPaused());
        this.pause.setAttribute("aria-pressed", feed.isPaused());
        this.refresh();
        announce(feed.isPaused() ? "paused" : "live again");
    }

    /** What the store's log has from before; where nobody asked for it, only news is told. */
    async loadOlder({ asked = true } = {}) {
        const last = feed.list().at(-1);
        // Those in memory are not in the order of their ids: others of the last one's millisecond may be missing.
        const before = !last ? "" : last.number ? `?before=${last.began_ms + 1}` : `?before=${last.began_ms}&id=${last.id}`;
        let said = "";
        try {
            const rows = (await api.get(`older${before}`)).filter((row) => !feed.entries.has(row.id));
            feed.addOlder(rows);
            said = rows.length ? `${format.number(rows.length)} from the log` : last && !last.number ? "the log has no older ones"
                : "nothing older in the log: one is kept where clients have keys, or serve.keep_requests_days is set";
        } catch (error) {
            said = error.message;
        }
        this.said.textContent = asked ? said : "";
    }

    clear() {
        this.search.value = "";
        this.choice.value = "all";
        this.refresh();
        this.search.focus();
    }

    changed(changed) {
        this.refresh();
        if (this.open && (this.open.isMissing || changed.some((e) => e.id === this.open.id)))
            this.open.update();
    }

    /** After a restart, what was before it is in the log. */
    lookBack(all) {
        const now = feed.process();
        if (!now || this.looked === now)
            return;
        this.looked = now;
        if (!all.length)
            this.loadOlder({ asked: false });
    }

    refresh() {
        const words = feed.plain(this.search.value).split(/\s+/).filter(Boolean);
        const [, fits] = FILTERS[this.choice.value];
        const all = feed.list();
        const shown = words.length || this.choice.value !== "all"
            ? all.filter((e) => fits(e) && words.every((w) => e.text.includes(w))) : all;
        this.count.textContent = shown.length === all.length ? format.number(all.length)
            : `${format.number(shown.length)} of ${format.number(all.length)}`;
        this.pause.textContent = feed.isPaused() ? `Go on (${format.number(feed.held())})` : "Pause";
        this.empty.hidden = all.length > 0;
        this.none.hidden = !all.length || shown.length > 0;
        this.heads.hidden = !shown.length;
        this.list.set(shown);
        this.lookBack(all);
    }

    /** The rest of the address: "ID" or "ID/TAB". */
    show([id, tab]) {
        const before = this.open, left = this.open && focusIsIn(this.beside);
        this.element.classList.toggle("opened", !!id);
        this.beside.hidden = !id;
        if (before && before.id !== id)
            before.leave();
        if (!id) {
            if (left)
                this.list.element.focus();
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

    hide() {
        this.open?.leave();
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
            this.list.element.focus();
            this.go("requests");
        } else if (this.open && /^[1-6]$/.test(event.key))
            this.open.nth(Number(event.key) - 1);
        else
            return false;
        return true;
    }
}
