// What was used over time, by model and by key; who is not well upstream; what refusals have taught.

import { h, fill } from "./dom.js";
import * as api from "./api.js";
import * as format from "./format.js";
import { chart } from "./chart.js";

const SPANS = { 1: "The last hour", 6: "The last 6 hours", 24: "The last day", 168: "The last week" };
const MARKS_MIN = { 1: 15, 6: 120, 24: 360, 168: 1440 }; // between two words on the axis
const BARS = 60;
const EVERY_MS = 5000;
const MOST_PARTS = 5;
const DELIVERIES = ["native", "fallback", "text", "omitted"];

/** A bar is named by its day too, where there are several. */
const moment = (ms, hours) => (hours > 24 ? `${format.day(ms)}, ` : "") + format.time(ms).slice(0, 5);

/** Round times of here: [[share of the width, words], …]; each in the middle of what it names where that is a day. */
function marks(from, hours) {
    const every = MARKS_MIN[hours], zone = new Date().getTimezoneOffset(), found = [];
    for (let t = Math.ceil((from - zone) / every) * every + zone; t < from + hours * 60; t += every)
        found.push([(t - from) / (hours * 60), hours > 24 ? format.day(t * 60000) : format.time(t * 60000).slice(0, 5)]);
    return found.filter(([share]) => share < 0.93); // the last would not have room
}

/** Sums of rows by their place in time and by a name, for those of `names`; the rest are of the last. */
function byTime(rows, from, hours, names, name, value) {
    const size = hours * 60 / BARS;
    const bars = Array.from({ length: BARS }, (_, i) => ({ label: moment((from + i * size) * 60000, hours), parts: names.map(() => 0) }));
    for (const r of rows) {
        const bar = bars[Math.floor((r.minute - from) / size)], k = names.indexOf(name(r));
        if (bar)
            bar.parts[k < 0 ? names.length - 1 : k] += value(r);
    }
    return bars;
}

/** The same names in the same colours in all charts: those with the most requests, and the others. */
function namesOf(rows, name) {
    const sums = new Map();
    rows.forEach((r) => sums.set(name(r), (sums.get(name(r)) || 0) + r.requests));
    const names = [...sums].sort((a, b) => b[1] - a[1]).map(([n]) => n);
    return names.length > MOST_PARTS ? [...names.slice(0, MOST_PARTS - 1), "others"] : names;
}

/** Charts of one span of time. */
function charts(rows, hours, by) {
    const from = Math.ceil(Date.now() / 60000) - hours * 60, name = (r) => r[by], names = namesOf(rows, name);
    const times = marks(from, hours), priced = rows.filter((r) => r.priced);
    const draw = (title, some, value, word) => chart(`${title}, by ${by}`, byTime(some, from, hours, names, name, value), names,
        names.map((_, k) => `part-${k}`), times, word);
    const files = rows.flatMap((r) => DELIVERIES.filter((d) => r[d]).map((d) => ({ minute: r.minute, name: d, n: r[d] })));
    const ways = DELIVERIES.filter((d) => files.some((f) => f.name === d));
    return h("div", { class: "charts" },
        draw("Requests", rows, (r) => r.requests, format.short),
        draw("Tokens", rows, (r) => r.input + r.output, format.short),
        priced.length ? draw("Cost", priced, (r) => r.cost_micros, format.money) : unpriced(),
        chart("Files, by how they were delivered", byTime(files, from, hours, ways, (r) => r.name, (r) => r.n), ways,
            ways.map((d) => `part-${d}`), times, format.short));
}

function table(title, rows, name) {
    const sums = new Map();
    for (const r of rows) {
        const s = sums.get(name(r)) || { requests: 0, failed: 0, heals: 0, input: 0, output: 0, priced: 0, cost_micros: 0, total_us: 0 };
        Object.keys(s).forEach((k) => { s[k] += r[k]; });
        sums.set(name(r), s);
    }
    const heads = [title.replace("By ", "").replace(/^./, (c) => c.toUpperCase()), "Requests", "Failed", "Healed", "Tokens in", "out", "Cost", "On average"];
    return h("section", { class: "wide", tabindex: "0", role: "region", "aria-label": title }, h("table", null,
        h("caption", null, title), h("thead", null, h("tr", null, heads.map((t, i) => h("th", { scope: "col", class: i ? "n" : null }, t)))),
        h("tbody", null, [...sums].sort((a, b) => b[1].requests - a[1].requests).map(([n, s]) => h("tr", null, h("th", { scope: "row" }, n),
            [format.number(s.requests), s.failed ? h("span", { class: "wrong" }, format.number(s.failed)) : "0", format.number(s.heals), format.short(s.input),
                format.short(s.output), s.priced ? format.money(s.cost_micros) : "–", format.duration(Math.round(s.total_us / s.requests))]
                .map((c) => h("td", { class: "n" }, c)))))));
}

function unpriced() {
    return h("section", { class: "chart" }, h("h2", null, "Cost"), h("p", { class: "quiet" },
        "No model that was asked has a price. Prices are set in the configuration, as ", h("code", null, "price_input"), " and ", h("code", null, "price_output"), " among the limits of a model."));
}

/** "openai key 2 at ADDRESS for gpt-5.4" or "openai:gpt-5.4 ADDRESS", as the gateway has them: [the provider, what of it, where]. */
function patient(name) {
    const [provider] = name.split(/[ :]/, 1), rest = name.slice(provider.length);
    const [, key, address, model] = rest.match(/^ key (\d+)(?: at (\S+))?(?: for (.*))?$/) || [];
    if (key)
        return [provider, `key ${key} of ${provider}${model ? `, for ${model}` : ""}`, address];
    const [named, at] = rest.trim().split(" ");
    return [provider, `${provider}${named}`, at];
}

const words = (kind) => (kind === "other" ? "" : kind.replaceAll("_", " "));

function sick(i) {
    const [, name, address] = patient(i.name);
    return h("li", null, h("span", { class: "chip bad" }, i.out_ms ? `out for ${Math.ceil(i.out_ms / 1000)} s` : "failed"), " ", h("b", null, name),
        " ", h("span", { class: "quiet" }, [words(i.error), address && `at ${address}`].filter(Boolean).join(", ")), h("p", { class: "why" }, i.words));
}

function health(rows, ill) {
    const providers = [...new Set(rows.map((r) => r.model.split(":")[0]))].filter((p) => p !== "no model" && p !== "others");
    return h("section", null, h("h2", null, "Providers"),
        providers.length || ill.length ? h("ul", { class: "plain" },
            ill.map(sick),
            providers.filter((p) => !ill.some((i) => patient(i.name)[0] === p)).map((p) => h("li", null, h("span", { class: "chip good" }, "well"), " ", p)))
            : h("p", { class: "quiet" }, "Nobody was asked yet."));
}

/** A lesson at two addresses is one to people. */
function once(all) {
    return [...new Map(all.map((l) => [[l.provider, l.model, l.fact, l.value, l.words].join("\n"), l])).values()];
}

function lessons(title, all, none) {
    return h("section", null, h("h2", null, title), all.length ? h("ul", { class: "plain" }, all.map((l) => h("li", null,
        h("b", null, `${l.provider}:${l.model}`), " ", h("code", null, `${l.fact}: ${l.value}`), " ", h("span", { class: "quiet" }, l.date),
        l.words ? h("p", { class: "why" }, l.words) : null))) : h("p", { class: "quiet" }, none));
}

/** What refusals taught, and what servers said of their models when they were asked. */
function learned(all) {
    const told = once(all.filter((l) => !l.refused));
    return h("div", null, lessons("Learned from refusals", once(all.filter((l) => l.refused)), "Nothing yet."),
        told.length ? lessons("Told by servers about their models", told) : null);
}

export class Overview {
    constructor() {
        this.span = h("select", { "aria-label": "Time", onchange: () => this.load() }, Object.entries(SPANS).map(([n, name]) => h("option", { value: n }, name)));
        this.by = h("select", { "aria-label": "By", onchange: () => this.load() }, h("option", { value: "model" }, "by model"), h("option", { value: "key" }, "by key"));
        this.body = h("div", { class: "overview-body" });
        this.kept = h("span", { class: "quiet" });
        this.element = h("div", { class: "view overview" }, h("div", { class: "tools" }, this.span, this.by, this.kept), this.body);
    }

    async load() {
        const hours = Number(this.span.value);
        try {
            const { kept_since: since, rows, ill, learned: all } = await api.get(`overview?since=${Date.now() - hours * 3600000}`);
            this.kept.textContent = since ? `since ${format.date(since)}: before, there was more than is kept` : "since this gateway began";
            this.draw(rows, hours, ill, all);
        } catch (error) {
            fill(this.body, h("p", { class: "empty wrong" }, error.message));
        }
    }

    /** Who has a table in focus keeps it. */
    draw(rows, hours, ill, all) {
        const focused = document.activeElement.ariaLabel, inside = this.body.contains(document.activeElement);
        fill(this.body, rows.length ? charts(rows, hours, this.by.value) : h("p", { class: "empty" }, `No requests in ${SPANS[hours].toLowerCase()}.`),
            rows.length ? [table("By model", rows, (r) => r.model), table("By key", rows, (r) => r.key)] : null,
            h("div", { class: "columns" }, health(rows, ill), learned(all)));
        if (inside)
            [...this.body.querySelectorAll("[tabindex]")].find((e) => e.ariaLabel === focused)?.focus({ preventScroll: true });
    }

    show() {
        this.load();
        clearInterval(this.timer);
        this.timer = setInterval(() => document.hidden || this.load(), EVERY_MS);
    }

    hide() {
        clearInterval(this.timer);
    }
}
