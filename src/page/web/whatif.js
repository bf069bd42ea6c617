// The same conversation for other models: planned, not sent.

import { h, fill, announce } from "./dom.js";
import * as api from "./api.js";
import * as format from "./format.js";
import { badge } from "./file.js";
import { modelColumn } from "./conversation.js";

const USUAL = ["anthropic:claude-sonnet-5", "openai:gpt-5.4-mini", "google:gemini-3.5-flash", "ollama:llama3.1"];
const KEY = "refract-what-if";
const MOST = 8; // that the server plans at once
let names = null; // of models that are known, when they were asked for

function chosen() {
    try {
        const kept = JSON.parse(localStorage.getItem(KEY));
        return Array.isArray(kept) && kept.length && kept.every((m) => typeof m === "string") ? kept : USUAL;
    } catch {
        return USUAL;
    }
}

const nameOf = (plan) => (plan.model ? `${plan.provider}:${plan.model}` : plan.asked);

function full(plan) {
    return plan.context ? `${format.percent(plan.tokens / plan.context)} of ${format.short(plan.context)}` : "";
}

/** What one model would get of a file. */
function fate(f) {
    return f ? [badge(f), h("p", { class: "why" }, f.words), h("p", { class: "why" }, `~${format.number(f.tokens)} tokens`),
        f.why ? h("p", { class: "why" }, f.why) : null,
        f.lost.length ? h("p", { class: "why wrong" }, `lost: ${f.lost.join(", ")}`) : null] : "–";
}

/** A row of the table: what it is about, and of each plan what it says; nothing of those that failed. */
function line(title, plans, cell) {
    return h("tr", null, h("th", { scope: "row" }, title), plans.map((p) => h("td", null, p.error ? null : cell(p))));
}

function head(plan, own, remove) {
    const name = nameOf(plan);
    const words = name.split(":").flatMap((word, i) => (i ? [":", h("wbr"), word] : [word])); // where a line may end
    return h("th", { scope: "col", class: "plan" }, h("span", { class: "plan-name" }, h("b", null, words),
        plan.asked === own ? h("span", { class: "chip running" }, "asked") : h("button", {
            type: "button", class: "close", "aria-label": `Without ${name}`, onclick: () => remove(plan.asked),
        }, "×")),
    plan.error ? h("p", { class: "wrong" }, plan.error) : null);
}

/** Models beside each other, files below each other. */
function table(plans, own, remove) {
    const files = plans.find((p) => !p.error)?.files || [];
    return h("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "What each model would get" }, h("table", { class: "plan-table" },
        h("thead", null, h("tr", null, h("th", { scope: "col" }, "Model"), plans.map((p) => head(p, own, remove)))),
        h("tbody", null,
            line("Tokens", plans, (p) => [h("b", null, `~${format.number(p.tokens)}`), h("p", { class: "why" }, full(p))]),
            line("Cost to ask", plans, (p) => h("b", null, format.money(p.cost_micros))),
            line("Body", plans, (p) => format.bytes(p.body_bytes)),
            files.map((f, i) => line(f.name || f.kind, plans, (p) => fate(p.files[i]))),
            plans.some((p) => p.notices?.length) ? line("Notes", plans, (p) => p.notices.map((n) => h("p", { class: "why" }, n))) : null)));
}

/** The conversation for one of them, drawn when it is asked for. */
function conversationFor(plan) {
    const into = h("div", null);
    const details = h("details", null, h("summary", null, `The conversation, as ${nameOf(plan)} would get it`), into);
    details.addEventListener("toggle", () => fill(into, modelColumn("As it would get it", plan.model_view, plan.model_view, plan.files, null, "")), { once: true });
    return details;
}

export class WhatIf {
    /** `own`: the model that was asked, which comes first and stays; or empty. */
    constructor(address, own) {
        this.address = address;
        this.own = own;
        this.models = chosen();
        this.list = h("datalist", { id: "models" });
        this.input = h("input", { type: "text", list: "models", placeholder: "PROVIDER:MODEL", "aria-label": "Another model", autocomplete: "off" });
        this.full = h("p", { class: "quiet", role: "status" });
        this.plans = h("div", { class: "plans" });
        this.element = h("div", { class: "whatif" },
            h("form", { class: "tools", onsubmit: (event) => this.add(event) }, this.input, this.list, h("button", null, "Add")), this.full, this.plans);
        this.load();
        this.name();
    }

    async name() {
        names = names || await api.get("models").catch(() => []);
        fill(this.list, names.map((n) => h("option", { value: n })));
    }

    /** Those that there is no room for are named, and not kept. */
    set(models) {
        const room = MOST - (this.own && !models.includes(this.own) ? 1 : 0), without = models.slice(room);
        this.models = models.slice(0, room);
        this.full.textContent = without.length ? `At most ${MOST} models are planned at once: without ${without.join(", ")}.` : "";
        localStorage.setItem(KEY, JSON.stringify(this.models));
        this.load();
    }

    add(event) {
        event.preventDefault();
        const name = this.input.value.trim();
        if (name)
            this.set([name, ...this.models.filter((m) => m !== name)]);
        this.input.value = "";
    }

    async load() {
        const models = [this.own, ...this.models.filter((m) => m !== this.own)].filter(Boolean).slice(0, MOST);
        fill(this.plans, h("p", { class: "empty" }, "Planning …"));
        try {
            const plans = await api.get(`${this.address}?models=${encodeURIComponent(models.join(","))}`);
            fill(this.plans, table(plans, this.own, (name) => this.set(this.models.filter((m) => m !== name))),
                plans.filter((p) => !p.error).map(conversationFor));
            announce(`${plans.length} plans`);
        } catch (error) {
            fill(this.plans, h("p", { class: "empty wrong" }, error.message));
        }
    }
}
