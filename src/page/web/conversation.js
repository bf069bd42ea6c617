// Two conversations beside each other: what a client sent, and what the model got of it. What is
// not the same on both sides is marked.

import { h, fill } from "./dom.js";
import * as api from "./api.js";
import * as format from "./format.js";
import { badge, picture } from "./file.js";
import { opener, isDrawn } from "./viewer.js";

/** What parts say and show, whatever their ids are, so that two sides can be compared. */
function contents(parts) {
    return parts.flatMap((p) => {
        if (p.parts)
            return contents(p.parts);
        if (p.kind === "file" || p.kind === "text_file")
            return `file ${p.file}`;
        const text = p.text?.trim() || "";
        return p.kind === "call" ? `call ${p.name} ${text}` : text ? `${text}\n${p.cut || ""}` : [];
    });
}

/** All of a side, to be looked for on the other. */
const contentsOf = (view) => new Set(contents(view ? view.messages.flatMap((m) => m.parts) : []));

const MOST_TOOLS = 12, MOST_ID = 40; // that are shown in full

/** Names of tools, folded where they are many. */
function toolNames(names, title, kind) {
    const line = h("p", { class: kind }, `${title}: ${names.join(", ") || "none"}`);
    return names.length > MOST_TOOLS ? h("details", { class: "tools-folded" }, h("summary", null, `${title}: ${format.number(names.length)}`), line) : line;
}

/** The id of a call, which a client may make as long as it likes. */
const callId = (id) => h("span", { class: "mono quiet", title: id }, id.length > MOST_ID ? `${id.slice(0, MOST_ID)}…` : id);

const LONG = 4000, SHOWN = 1500; // characters of one text; of a longer one so many are shown at first

/** A text, of which the rest is folded where it is long: what comes after it is to be found. */
function long(text, cut, kind) {
    const prose = kind === "text" || kind === "error" || kind === "thinking";
    const all = prose ? text.replace(/^\n+|\s+$/g, "") : text, some = all.length > LONG ? all.slice(0, SHOWN) : all;
    const body = (words) => h(prose ? "p" : "pre", { class: `said ${kind}` }, words);
    return [
        body(some),
        some.length < all.length ? h("details", null, h("summary", null, `${format.number(all.length - SHOWN)} more characters`), body(all.slice(SHOWN))) : null,
        cut ? h("p", { class: "quiet" }, `… ${format.bytes(cut)} in all; the raw body has the rest`) : null,
    ];
}

/** Which of the files a part is, and its place in the address; of a request by number, of a session by hash. */
function placed(part, files) {
    if (part.blob)
        return [files.find((f) => f.hash === part.blob), part.blob];
    return [files[part.file], part.part === undefined ? part.file : `${part.file}.${part.part}`];
}

/** What was made of a file, a picture in a document or a page of it, is not the file: it says of what it is. */
function origin(part, file) {
    if (part.part === undefined || !file || part.word === file.kind)
        return null;
    const what = file.kind === "office" ? "a picture in" : file.kind === "pdf" ? `page ${part.part + 1} of` : "made of";
    return h("span", { class: "quiet" }, h("br"), `${what} `, h("b", null, file.name || file.kind));
}

function fate(file) {
    return [
        file.delivery ? [h("br"), badge(file), " ", h("span", { class: "quiet" }, file.words || file.as)] : null,
        file.dropped ? h("p", { class: "why" }, "dropped: left out of later requests") : null,
        file.why ? h("p", { class: "why" }, file.why) : null,
        file.lost?.length ? h("p", { class: "why" }, `lost: ${[].concat(file.lost).join(", ")}`) : null,
    ];
}

function filePart(part, files, address) {
    const [file, which] = placed(part, files);
    const kind = part.word || file?.kind, made = origin(part, file);
    const name = (made ? part.name : file?.name) || part.name || kind;
    const look = isDrawn(kind) ? picture(`/page/${address}/thumbnails/${which}`, { kind }, 96) : picture("", { kind }, 40);
    return h("figure", { class: "file" },
        file && address ? opener({ address, which, name, kind, pages: made ? 0 : part.pages || file.pages }, look) : null,
        h("figcaption", null, h("b", null, name), part.name && part.name !== name ? ` as “${part.name}”` : null, " ", h("span", { class: "quiet" }, part.type),
            made || (file ? fate(file) : null),
            part.found_in ? h("p", { class: "quiet" }, `found as base64 in ${part.found_in}`) : null));
}

/** What is marked of a part that the other side does not have, or not as it is. */
function mark(part, side) {
    const isOther = contents([part]).some((words) => !side.other.has(words));
    if (!isOther)
        return "";
    const isCut = side.cut && part.kind !== "call" && [...side.other].some((words) => words.startsWith(part.text.trim()));
    return part.kind === "thinking" ? "left out" : isCut ? side.cut : side.word;
}

const marked = (words) => (words ? h("span", { class: "mark" }, words) : null);

/** `next` comes after it: a file that was found in it is not in what is shown. */
function onePart(part, side, next) {
    if (part.kind === "file")
        return filePart(part, side.files, side.address);
    if (part.kind === "text_file")
        return h("div", { class: side.changed }, long(part.text, 0, "text"), filePart(part, side.files, side.address));
    if (part.kind === "result")
        return h("div", { class: `result${part.failed ? " failed" : ""}` },
            h("p", { class: "call-head" }, "result of ", h("b", null, part.name || "a tool"), " ", callId(part.id)),
            part.parts.map((p) => onePart(p, side)));
    const words = mark(part, side), kind = words ? side.changed : "same";
    if (part.kind === "call")
        return h("div", { class: `call ${kind}` }, marked(words), h("p", { class: "call-head" }, "calls ", h("b", null, part.name), " ", callId(part.id)),
            long(part.text, part.cut, "json"));
    return h("div", { class: kind }, marked(words || (next?.found_in ? "without the file in it" : "")),
        part.kind === "thinking" ? h("p", { class: "call-head" }, "thinks") : null, long(part.text, part.cut, part.kind));
}

/** A message, or a piece of it that begins in its middle. */
function message(m, side, i, goesOn) {
    return h("section", { class: `message ${m.role}${goesOn ? " goes-on" : ""}` },
        h("h4", null, m.role, goesOn ? " …" : null, m.tool ? [" ", h("b", null, m.tool)] : null, m.failed ? h("span", { class: "chip bad" }, "failed") : null,
            side.sent && m.model ? h("span", { class: "by" }, `${m.provider}:${m.model}`) : null),
        m.parts.map((p, i) => onePart(p, side, m.parts[i + 1])), m.parts.length ? null : h("p", { class: "quiet" }, "nothing"),
        side.sent && m.model && i ? side.sent(`${m.provider}:${m.model}`, i) : null);
}

function column(title, view, side, missing) {
    return h("section", { class: "column", "aria-label": title },
        h("h3", null, title),
        view ? [
            view.system?.text ? h("section", { class: "message system" }, h("h4", null, "system"), long(view.system.text, view.system.cut, "text")) : null,
            view.system?.added ? systemWords(view.system.added, 0, "by refract") : null,
            view.tools?.length ? toolNames(view.tools, "tools", "quiet tools-named") : null,
            view.messages.map((m, i) => (side.draw || message)(m, side, i)),
        ] : h("p", { class: "empty" }, missing));
}

const modelSide = (client, files, address) => ({
    files, address, other: contentsOf(client), changed: "added", word: "by refract", cut: "cut by refract",
});

export function modelColumn(title, model, client, files, address, missing) {
    return column(title, model, modelSide(client, files, address), missing);
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

/** One alone. */
export function conversation(title, view, files, address, more = {}) {
    return column(title, view, { files, address, other: contentsOf(view), changed: "same", word: "", ...more }, "Nothing was said.");
}

/** A session's, with what was sent before each answer. It grows: a message of `drawn` that is as it was stays, with what is open in it. */
export function session(title, view, files, address, drawn) {
    return conversation(title, view, files, address, {
        sent: (model, i) => sentTo(model, i, view, address),
        draw: (m, side, i) => {
            const of = JSON.stringify([m, m.parts.map((p) => files.find((f) => f.hash === p.blob))]);
            if (drawn.get(i)?.of !== of)
                drawn.set(i, { of, element: message(m, side, i) });
            return drawn.get(i).element;
        },
    });
}

// Beside each other

/** A model's message in pieces, each made of the client's messages `from` … `to`: [{ from, to, first, end }, …], `first` and
 * `end` being places of parts. What is not of any goes with what follows it, and so does what is of one that has its row
 * already, before `next`. Results stand in the order of their calls: where they came in another, they are one piece. */
function pieces(parts, next) {
    const found = [];
    let first = 0;
    parts.forEach((part, i) => {
        const of = part.of ?? -1;
        if (of < next)
            return;
        if (!found.some((p) => p.from <= of && of <= p.to)) {
            let to = of;
            while (found.at(-1)?.to > of) {
                const later = found.pop();
                to = Math.max(to, later.to);
                first = later.first;
            }
            found.push({ from: of, to, first });
        }
        found.at(-1).end = i + 1;
        first = i + 1;
    });
    if (found.length)
        found.at(-1).end = parts.length;
    return found;
}

/** Both conversations in rows, and each in its order: what became of a message of the client is beside it, and what was
 * said of it again later has a row of its own. [{ client: [places], model: [{ k, first, end }] }, …] */
export function aligned(client, model) {
    const rows = [];
    let next = 0; // the first of the client's that has no row yet
    const upTo = (end) => {
        for (; next < end; next++)
            rows.push({ client: [next], model: [] });
    };
    model.forEach((m, k) => {
        const all = pieces(m.parts, next);
        if (!all.length)
            rows.push({ client: [], model: [{ k, first: 0, end: m.parts.length }] });
        for (const { from, to, first, end } of all) {
            upTo(from);
            rows.push({ client: client.slice(from, to + 1).map((_, i) => from + i), model: [{ k, first, end }] });
            next = to + 1;
        }
    });
    upTo(client.length);
    return rows;
}

const isPlain = (parts, files) => parts.every((p) => (p.parts ? isPlain(p.parts, files) : p.kind !== "file" && p.kind !== "text_file"
    ? true : files[p.file]?.form === "original" && files[p.file]?.delivery === "native"));

/** Nothing to see: the same words on both sides, and no file that became something else. */
function isSame(row, client, model, files) {
    const sent = row.client.flatMap((i) => client[i].parts), got = row.model.flatMap(({ k, first, end }) => model[k].parts.slice(first, end));
    const words = (parts) => contents(parts).sort().join("\n");
    return row.client.length > 0 && row.model.length > 0 && isPlain(sent, files) && isPlain(got, files) && words(sent) === words(got);
}

const FEW = 4; // rows of one sort in a run that are all shown

/** Rows in runs of one sort: "same", "left" (nothing became of them) or "changed". The last message is always shown. */
function runsOf(rows, sortOf) {
    const runs = [];
    rows.forEach((row, i) => {
        const sort = i === rows.length - 1 ? "last" : sortOf(row);
        if (runs.at(-1)?.sort === sort)
            runs.at(-1).rows.push(row);
        else
            runs.push({ sort, rows: [row] });
    });
    return runs;
}

function pair(row, client, model, sides) {
    const got = row.model.map(({ k, first, end }) => message({ ...model.messages[k], parts: model.messages[k].parts.slice(first, end) }, sides.model, k, first));
    return [
        h("section", { class: "column client-side", "aria-label": "From the client" }, row.client.map((i) => message(client.messages[i], sides.client, i))),
        h("section", { class: "column model-side", "aria-label": "To the model" }, got.length ? got : h("p", { class: "nothing" }, "left out")),
    ];
}

/** Many that are alike, drawn when they are asked for. */
function folded(run, draw) {
    const n = run.rows.reduce((sum, row) => sum + row.client.length, 0);
    const inside = h("div", { class: "columns" });
    const details = h("details", { class: `run ${run.sort}` },
        h("summary", null, `${format.plural(n, "message")}, ${run.sort === "same" ? "the same on both sides" : "left out"}`), inside);
    details.addEventListener("toggle", () => fill(inside, run.rows.map(draw)), { once: true });
    return details;
}

/** A side's own words of the system prompt. */
function systemWords(words, cut, mark) {
    return words ? h("section", { class: "message system" }, h("h4", null, "system"),
        h("div", { class: mark ? "added" : "changed" }, h("span", { class: "mark" }, mark || "not sent as it is"), long(words, cut, "text"))) : null;
}

/** What only one side has of the system prompt, and what became of it on the other. */
function systems(own, got, isKept) {
    const sent = isKept || !own ? null : systemWords(own.text, own.cut, "");
    const added = got && systemWords(isKept ? got.added : got.text || got.added, isKept ? 0 : got.cut, "by refract");
    return sent || added ? [
        h("section", { class: "column client-side", "aria-label": "System prompt from the client" }, sent),
        h("section", { class: "column model-side", "aria-label": "System prompt to the model" }, added || h("p", { class: "nothing" }, "left out")),
    ] : null;
}

/** The system prompt and the tools, which both sides have, and what only one has of them. */
function frame(client, model) {
    const own = client.system, got = model.system, isKept = own && got && own.text === got.text && own.cut === got.cut;
    const tools = client.tools?.length ? toolNames(client.tools, "tools", "quiet tools-named") : null;
    const other = model.tools?.join() !== client.tools?.join() ? toolNames(model.tools || [], "tools to the model", "why") : null;
    const both = isKept ? h("details", { class: "run whole" },
        h("summary", null, `System prompt${client.tools?.length ? ` and ${format.plural(client.tools.length, "tool")}` : ""}`),
        long(own.text, own.cut, "text"), tools, other)
        : tools || other ? h("div", { class: "whole" }, tools, other) : null;
    return [both, systems(own, got, isKept)];
}

/** On a narrow screen there is room for one side, and a choice of it. */
function sideChoice(outer) {
    const buttons = ["client", "model"].map((side) => h("button", {
        type: "button", "aria-pressed": side === "model", onclick: () => {
            outer.dataset.side = side;
            buttons.forEach((b) => b.setAttribute("aria-pressed", b.textContent === names[side]));
        },
    }, names[side]));
    return h("div", { class: "whole side-choice", role: "group", "aria-label": "Side" }, buttons);
}

/** Was no model asked? Then what was planned for one is nothing that it got. */
export const wasUnsent = (entry) => entry.stage === "over" && !entry.attempts;

const names = { client: "As the client sent it", model: "As the model got it" };

export function conversations(client, model, files, address, entry) {
    if (!client)
        return h("p", { class: "empty" }, "This is not a conversation. “Raw bodies” has what was sent, and “Reply” what came back.");
    if (!model || wasUnsent(entry))
        return [h("p", { class: "note" }, wasUnsent(entry) ? "Nothing was sent to a model."
            : "The model got the same bytes: the client speaks its API, and nothing had to change."),
        conversation(names.client, client, [], address)];
    const sides = {
        client: { files, address, other: contentsOf(model), changed: "changed", word: "not sent as it is" },
        model: modelSide(client, files, address),
    };
    const draw = (row) => pair(row, client, model, sides);
    const sort = (row) => (!row.model.length ? "left" : isSame(row, client.messages, model.messages, files) ? "same" : "changed");
    const outer = h("div", { class: "columns pairs", "data-side": "model" });
    fill(outer, sideChoice(outer), Object.entries(names).map(([side, name]) => h("h3", { class: `side-name ${side}-side` }, name)), frame(client, model),
        runsOf(aligned(client.messages, model.messages), sort)
            .map((run) => (run.rows.length > FEW && run.sort !== "changed" ? folded(run, draw) : run.rows.map(draw))));
    return outer;
}
