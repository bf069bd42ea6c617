// Two conversations beside each other: what a client sent, and what the model got of it. What is
// not the same on both sides is marked.

import { h, fill } from "./dom.js";
import * as api from "./api.js";
import * as format from "./format.js";
import { badge, picture } from "./file.js";
import { opener, isDrawn } from "./viewer.js";

/** All texts of a side, to be looked for on the other. */
function textsOf(view, into = new Set()) {
    const walk = (parts) => parts.forEach((p) => (p.parts ? walk(p.parts) : p.text !== undefined && into.add(p.text.trim())));
    view?.messages.forEach((m) => walk(m.parts));
    return into;
}

function long(text, cut, kind) {
    const body = h(kind === "text" || kind === "error" || kind === "thinking" ? "p" : "pre", { class: `said ${kind}` }, text);
    return cut ? [body, h("p", { class: "quiet" }, `… ${format.bytes(cut)} in all; the raw body has the rest`)] : body;
}

/** Which of the files a part is, and its place in the address; of a request by number, of a session by hash. */
function placed(part, files) {
    if (part.blob)
        return [files.find((f) => f.hash === part.blob), part.blob];
    return [files[part.file], part.part === undefined ? part.file : `${part.file}.${part.part}`];
}

function filePart(part, files, address) {
    const [file, which] = placed(part, files);
    const kind = part.word || file?.kind;
    const name = file?.name || part.name || kind;
    const look = isDrawn(kind) ? picture(`/page/${address}/thumbnails/${which}`, { kind }, 96) : picture("", { kind }, 40);
    return h("figure", { class: "file" },
        file && address ? opener({ address, which, name, kind, pages: part.part === undefined ? part.pages || file.pages : 0 }, look) : null,
        h("figcaption", null, h("b", null, name), part.name && part.name !== name ? ` as “${part.name}”` : null, " ", h("span", { class: "quiet" }, part.type),
            file?.delivery ? [h("br"), badge(file), " ", h("span", { class: "quiet" }, file.words || file.as)] : null,
            file?.dropped ? h("p", { class: "why" }, "dropped: left out of later requests") : null,
            part.found_in ? h("p", { class: "quiet" }, `found as base64 in ${part.found_in}`) : null,
            file?.why ? h("p", { class: "why" }, file.why) : null,
            file?.lost?.length ? h("p", { class: "why" }, `lost: ${[].concat(file.lost).join(", ")}`) : null));
}

function onePart(part, side) {
    if (part.kind === "file")
        return filePart(part, side.files, side.address);
    if (part.kind === "text_file")
        return h("div", { class: side.mark("") }, long(part.text, 0, "text"), filePart(part, side.files, side.address));
    if (part.kind === "result")
        return h("div", { class: `result${part.failed ? " failed" : ""}` },
            h("p", { class: "call-head" }, "result of ", h("b", null, part.name || "a tool"), " ", h("span", { class: "mono quiet" }, part.id)),
            part.parts.map((p) => onePart(p, side)));
    if (part.kind === "call")
        return h("div", { class: "call" }, h("p", { class: "call-head" }, "calls ", h("b", null, part.name), " ", h("span", { class: "mono quiet" }, part.id)),
            long(part.text, part.cut, "json"));
    const differs = part.kind !== "thinking" && !side.other.has(part.text.trim());
    return h("div", { class: differs ? side.changed : "same" },
        differs ? h("span", { class: "mark" }, side.word) : null,
        part.kind === "thinking" ? h("p", { class: "call-head" }, "thinks") : null, long(part.text, part.cut, part.kind));
}

function message(m, side, i) {
    return h("section", { class: `message ${m.role}` },
        h("h4", null, m.role, m.tool ? [" ", h("b", null, m.tool)] : null, m.failed ? h("span", { class: "chip bad" }, "failed") : null,
            side.sent && m.model ? h("span", { class: "by" }, `${m.provider}:${m.model}`) : null),
        m.parts.map((p) => onePart(p, side)), m.parts.length ? null : h("p", { class: "quiet" }, "nothing"),
        side.sent && m.model && i ? side.sent(`${m.provider}:${m.model}`, i) : null);
}

function column(title, view, side, missing) {
    return h("section", { class: "column", "aria-label": title },
        h("h3", null, title),
        view ? [
            view.system ? h("section", { class: "message system" }, h("h4", null, "system"), long(view.system.text, view.system.cut, "text")) : null,
            view.tools?.length ? h("p", { class: "quiet tools-named" }, `tools: ${view.tools.join(", ")}`) : null,
            view.messages.map((m, i) => message(m, side, i)),
        ] : h("p", { class: "empty" }, missing));
}

export function modelColumn(title, model, client, files, address, missing) {
    return column(title, model, {
        files, address, other: textsOf(client), changed: "added", word: "by refract", mark: () => "added",
    }, missing);
}

/** What a model was sent before it said message `i`, made again when it is asked for. */
function sentTo(model, i, client, address) {
    const into = h("div", null, "…");
    const details = h("details", { class: "turn" }, h("summary", null, "What it was sent"), into);
    details.addEventListener("toggle", async () => {
        try {
            const [plan] = await api.get(`${address}/models?models=${encodeURIComponent(model)}&messages=${i}`);
            fill(into, plan.error ? h("p", { class: "wrong" }, plan.error) : [
                h("p", { class: "quiet" }, `~${format.number(plan.tokens)} tokens, ${format.bytes(plan.body_bytes)}; made again of what is stored`),
                modelColumn(`As ${model} got it`, plan.model_view, client, plan.files, null, ""),
            ]);
        } catch (error) {
            fill(into, error.message);
        }
    }, { once: true });
    return details;
}

/** One alone, of a session. */
export function conversation(title, view, files, address) {
    return column(title, view, {
        files, address, other: textsOf(view), changed: "same", word: "", mark: () => "same", sent: (model, i) => sentTo(model, i, view, address),
    }, "Nothing was said.");
}

export function conversations(client, model, files, address, entry) {
    const passed = entry.status === 200 ? "The model got the same bytes: the client speaks its API, and nothing had to change."
        : "Nothing was sent to a model.";
    return h("div", { class: "columns" },
        column("As the client sent it", client, {
            files: model ? files : [], address, other: model ? textsOf(model) : textsOf(client), changed: "changed", word: "not sent as it is",
            mark: () => "same",
        }, "This request cannot be read."),
        modelColumn("As the model got it", model, client, files, address, passed));
}
