// What was used over time, by model and by key; who is not well upstream; what refusals have taught.

import { h, fill } from "./dom.js";
import * as api from "./api.js";
import * as format from "./format.js";
import { chart } from "./chart.js";

const SPANS = { 1: "The last hour", 6: "The last 6 hours", 24: "The last day", 168: "The last week" };
const BARS = 60;
const EVERY_MS = 5000;
const MOST_PARTS = 5;
const DELIVERIES = ["native", "fallback", "text", "omitted"];

/** Sums of rows by their place in time and by a name; the smallest are "others". */
function byTime(rows, hours, name, value) {
    const end = Math.ceil(Date.now() / 60000), size = hours * 60 / BARS, from = end - hours * 60;
    const sums = new Map();
    rows.forEach((r) => sums.set(name(r), (sums.get(name(r)) || 0) + value(r)));
    const names = [...sums].sort((a, b) => b[1] - a[1]).map(([n]) => n);
    const shown = names.length > MOST_PARTS ? [...names.slice(0, MOST_PARTS - 1), "others"] : names;
    const bars = Array.from({ length: BARS }, (_, i) => ({
        label: format.time((from + i * size) * 60000).slice(0, 5), parts: shown.map(() => 0),
    }));
    for (const r of rows) {
        const bar = bars[Math.floor((r.minute - from) / size)];
        const k = shown.indexOf(name(r));
        if (bar)
            bar.parts[k < 0 ? shown.length - 1 : k] += value(r);
    }
    return [bars, shown];
}

function drawing(title, rows, hours, name, value, word) {
    const [bars, names] = byTime(rows, hours, name, value);
    return chart(title, bars, names, word);
}

function deliveries(rows, hours) {
    const each = rows.flatMap((r) => DELIVERIES.filter((d) => r[d]).map((d) => ({ minute: r.minute, name: d, n: r[d] })));
    return drawing("Files, by how they were delivered", each, hours, (r) => r.name, (r) => r.n, format.short);
}

function table(title, rows, name) {
    const sums = new Map();
    for (const r of rows) {
        const s = sums.get(name(r)) || { requests: 0, failed: 0, heals: 0, input: 0, output: 0, priced: 0, cost_micros: 0, total_us: 0 };
        Object.keys(s).forEach((k) => { s[k] += r[k]; });
        sums.set(name(r), s);
    }
    const heads = ["", "Requests", "Failed", "Healed", "Tokens in", "out", "Cost", "On average"];
    return h("section", { class: "wide", tabindex: "0", role: "region", "aria-label": title }, h("table", null,
        h("caption", null, title), h("thead", null, h("tr", null, heads.map((t, i) => h("th", { scope: "col", class: i ? "n" : null }, t)))),
        h("tbody", null, [...sums].sort((a, b) => b[1].requests - a[1].requests).map(([n, s]) => h("tr", null, h("th", { scope: "row" }, n),
            [format.number(s.requests), s.failed ? h("span", { class: "wrong" }, format.number(s.failed)) : "0", format.number(s.heals), format.short(s.input),
                format.short(s.output), s.priced ? format.money(s.cost_micros) : "–", format.duration(Math.round(s.total_us / s.requests))]
                .map((c) => h("td", { class: "n" }, c)))))));
}

function unpriced() {
    return h("section", { class: "chart" }, h("h3", null, "Cost"), h("p", { class: "quiet" },
        "No model that was asked has a price. Prices are set in the configuration, as ", h("code", null, "price_input"), " and ", h("code", null, "price_output"), "."));
}

function health(rows, ill) {
    const providers = [...new Set(rows.map((r) => r.model.split(":")[0]))].filter((p) => p !== "no model" && p !== "others");
    return h("section", null, h("h3", null, "Providers"),
        providers.length || ill.length ? h("ul", { class: "plain" },
            ill.map((p) => h("li", null, h("span", { class: "chip bad" }, p.out_ms ? `out for ${Math.ceil(p.out_ms / 1000)} s` : "failed"), " ", h("b", null, p.name),
                " ", h("span", { class: "quiet" }, p.error), h("p", { class: "why" }, p.words))),
            providers.filter((p) => !ill.some((i) => i.name.startsWith(p))).map((p) => h("li", null, h("span", { class: "chip good" }, "well"), " ", p)))
            : h("p", { class: "quiet" }, "Nobody was asked yet."));
}

function learned(all) {
    return h("section", null, h("h3", null, "Learned from refusals"), all.length ? h("ul", { class: "plain" }, all.map((l) => h("li", null,
        h("b", null, `${l.provider}:${l.model}`), " ", h("code", null, `${l.fact}: ${l.value}`), " ", h("span", { class: "quiet" }, l.date),
        l.words ? h("p", { class: "why" }, l.words) : null))) : h("p", { class: "quiet" }, "Nothing yet."));
}

export class Overview {
    constructor() {
        this.span = h("select", { "aria-label": "Time", onchange: () => this.load() }, Object.entries(SPANS).map(([n, name]) => h("option", { value: n }, name)));
        this.by = h("select", { "aria-label": "By", onchange: () => this.load() }, h("option", { value: "model" }, "by model"), h("option", { value: "key" }, "by key"));
        this.body = h("div", { class: "overview-body" });
        this.element = h("div", { class: "view overview" }, h("div", { class: "tools" }, this.span, this.by, h("span", { class: "quiet" }, "since this gateway began")), this.body);
    }

    async load() {
        const hours = Number(this.span.value);
        try {
            const { rows, ill, learned: lessons } = await api.get(`overview?since=${Date.now() - hours * 3600000}`);
            this.draw(rows, hours, ill, lessons);
        } catch (error) {
            fill(this.body, h("p", { class: "empty wrong" }, error.message));
        }
    }

    draw(rows, hours, ill, lessons) {
        const by = this.by.value, name = (r) => r[by], priced = rows.filter((r) => r.priced);
        fill(this.body, h("div", { class: "charts" },
            drawing(`Requests, by ${by}`, rows, hours, name, (r) => r.requests, format.short),
            drawing(`Tokens, by ${by}`, rows, hours, name, (r) => r.input + r.output, format.short),
            priced.length ? drawing(`Cost, by ${by}`, priced, hours, name, (r) => r.cost_micros, format.money) : unpriced(),
            deliveries(rows, hours)),
        rows.length ? [table("By model", rows, (r) => r.model), table("By key", rows, (r) => r.key)] : null,
        h("div", { class: "columns" }, health(rows, ill), learned(lessons)));
    }

    show() {
        this.load();
        clearInterval(this.timer);
        this.timer = setInterval(() => document.hidden || this.body.contains(document.activeElement) || this.load(), EVERY_MS);
    }

    hide() {
        clearInterval(this.timer);
    }
}
