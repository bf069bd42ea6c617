// The same conversation for other models: planned, not sent.

import { h, fill, announce } from "./dom.js";
import * as api from "./api.js";
import * as format from "./format.js";
import { badge } from "./file.js";
import { modelColumn } from "./conversation.js";

const USUAL = ["anthropic:claude-sonnet-5", "openai:gpt-5.4-mini", "google:gemini-3.5-flash", "ollama:llama3.1"];
const KEY = "refract-what-if";
let names = null; // of models that are known, when they were asked for

function chosen() {
    try {
        const kept = JSON.parse(localStorage.getItem(KEY));
        return Array.isArray(kept) && kept.length && kept.every((m) => typeof m === "string") ? kept : USUAL;
    } catch {
        return USUAL;
    }
}

function card(plan, remove) {
    const name = plan.model ? `${plan.provider}:${plan.model}` : plan.asked;
    const head = h("h3", null, name, " ", h("button", { type: "button", class: "close", "aria-label": `Without ${name}`, onclick: remove }, "×"));
    if (plan.error)
        return h("section", { class: "plan", "aria-label": name }, head, h("p", { class: "wrong" }, plan.error));
    const full = plan.context ? `${(100 * plan.tokens / plan.context).toFixed(plan.tokens * 50 < plan.context ? 1 : 0)} % of ${format.short(plan.context)}` : "";
    return h("section", { class: "plan", "aria-label": name }, head,
        h("p", { class: "sums" }, h("b", null, `~${format.number(plan.tokens)}`), " tokens ", h("span", { class: "quiet" }, full), " · ",
            h("b", null, format.money(plan.cost_micros)), h("span", { class: "quiet" }, " to ask"), " · ", format.bytes(plan.body_bytes)),
        h("ul", { class: "plan-files" }, plan.files.map((f) => h("li", null, h("b", null, f.name || f.kind), " ", badge(f), h("br"),
            h("span", { class: "quiet" }, `${f.words}, ~${format.number(f.tokens)} tokens`),
            f.why ? h("p", { class: "why" }, f.why) : null, f.lost.length ? h("p", { class: "why" }, `lost: ${f.lost.join(", ")}`) : null)),
            plan.files.length ? null : h("li", { class: "quiet" }, "no files")),
        plan.notices.length ? h("ul", { class: "quiet" }, plan.notices.map((n) => h("li", null, n))) : null,
        h("details", null, h("summary", null, "The conversation"), modelColumn("As it would get it", plan.model_view, plan.model_view, plan.files, null, "")));
}

export class WhatIf {
    constructor(address) {
        this.address = address;
        this.models = chosen();
        this.list = h("datalist", { id: "models" });
        this.input = h("input", { type: "text", list: "models", placeholder: "PROVIDER:MODEL", "aria-label": "Another model", autocomplete: "off" });
        this.plans = h("div", { class: "plans", "aria-live": "polite" });
        this.element = h("div", { class: "whatif" },
            h("form", { class: "tools", onsubmit: (event) => this.add(event) }, this.input, this.list, h("button", null, "Add")), this.plans);
        this.load();
        this.name();
    }

    async name() {
        names = names || await api.get("models").catch(() => []);
        fill(this.list, names.map((n) => h("option", { value: n })));
    }

    set(models) {
        this.models = models;
        localStorage.setItem(KEY, JSON.stringify(models));
        this.load();
    }

    add(event) {
        event.preventDefault();
        const name = this.input.value.trim();
        if (name)
            this.set([name, ...this.models.filter((m) => m !== name)].slice(0, 8));
        this.input.value = "";
    }

    async load() {
        fill(this.plans, h("p", { class: "empty" }, "Planning …"));
        try {
            const plans = await api.get(`${this.address}?models=${encodeURIComponent(this.models.join(","))}`);
            fill(this.plans, plans.map((p) => card(p, () => this.set(this.models.filter((m) => m !== p.asked)))));
            announce(`${plans.length} plans`);
        } catch (error) {
            fill(this.plans, h("p", { class: "empty wrong" }, error.message));
        }
    }
}
