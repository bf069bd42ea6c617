// Requests as the server tells of them: all that there are, then every change.

import { meaning } from "./format.js";
import { Stream } from "./stream.js";

export const entries = new Map(); // by id
let ordered = []; // the newest first
let older = []; // of the store's log, the newest first
let stale = false;
let epoch = "";
let stream = null;
let paused = false;
const listeners = new Set();

/** All requests, the newest first. */
export function list() {
    if (stale) {
        ordered = [...entries.values()].sort((a, b) => b.number - a.number).concat(older.filter((e) => !entries.has(e.id)));
        stale = false;
    }
    return ordered;
}

export const onChange = (listener) => (listeners.add(listener), () => listeners.delete(listener));

const MOST = 10000;
let waiting = new Map(); // by id: what came, and is not shown yet
let due = 0;

/** What came is shown with the next frame, however much it is; while it is paused, only how much. */
function tell(changed) {
    for (const entry of changed)
        waiting.set(entry.id, entry);
    while (waiting.size > MOST)
        waiting.delete(waiting.keys().next().value);
    if (paused)
        listeners.forEach((listener) => listener([]));
    if (due || paused)
        return;
    due = setTimeout(() => {
        due = 0;
        take();
    }, 50);
}

function take() {
    const changed = [...waiting.values()];
    waiting = new Map();
    for (const entry of changed)
        entries.set(entry.id, prepared(entry));
    stale = true;
    if (entries.size > MOST)
        for (const old of [...entries.values()].sort((a, b) => b.number - a.number).slice(MOST))
            entries.delete(old.id);
    for (const listener of listeners)
        listener(changed);
}

/** What the server leaves out. */
const NONE = {
    number: 0, stage: "over", client: "", key: "", dialect: "", operation: "", asked: "", provider: "", model: "", status: 0, streamed: false, gone: false,
    error: "", error_words: "", input: null, output: null, cached: null, cost_micros: null, attempts: 0, heals: 0, bytes_in: 0, bytes_out: 0,
    first_us: 0, total_us: 0, own_us: 0, files: [], kept: false,
};

/** As it is searched: who types has no multiplication sign. */
export const plain = (text) => text.toLowerCase().replaceAll("×", "x");

const fileWords = (f) => [f.name, f.kind, f.type, f.delivery, meaning(f.delivery), f.form, f.words, f.why || "", f.lost.join(" ")].join(" ");

/** Notices tell of what a model did not get, and of what was only done in another way. */
const isLoss = (notice) => /left out|(was|were) cut|became a line/.test(notice);

/** A request as the server tells of it: of its files the first few, the `rest` of them in short, and
 * the `notices` besides, those of what was `left` out apart; with all words that can be searched for in one text. */
export function prepared(told) {
    const entry = { ...NONE, ...told }, all = entry.files;
    if (entry.stage !== "over" || entry.cost_micros < 0)
        entry.cost_micros = null; // what it costs is known at its end
    entry.rest = all.find((f) => f.more) || { more: 0, changed: false, words: "" };
    entry.files = all.filter((f) => f.delivery);
    entry.notices = all.filter((f) => typeof f === "string");
    entry.left = entry.notices.filter(isLoss);
    entry.healed = entry.heals > 0 && entry.status >= 200 && entry.status < 300 && !entry.error;
    entry.text = plain([entry.id, entry.client, entry.key, entry.dialect, entry.operation, entry.asked, `${entry.provider}:${entry.model}`,
        entry.status || "", entry.stage === "over" ? "" : "running", entry.streamed ? "streamed" : "", entry.error, entry.error_words,
        entry.healed ? "healed" : "", entry.gone ? "gone" : "", entry.left.length ? "left out" : "", ...entry.notices,
        ...entry.files.map(fileWords), entry.rest.words || "",
    ].join("\n"));
    return entry;
}

/** Those of the log that began before all that are here. */
export function addOlder(rows) {
    older = older.concat(rows.map(prepared));
    stale = true;
    for (const listener of listeners)
        listener([]);
}

export function pause(yes) {
    paused = yes;
    if (!yes)
        tell([]);
}

export const isPaused = () => paused;
export const held = () => waiting.size;

/** Begin; `state` is told "live", "lost" or "login", `again` is called where another process has taken over. */
export function start(state, again) {
    stream = new Stream("events", {
        open: () => state("live"),
        hello: (event) => {
            const said = JSON.parse(event.data);
            if (epoch && said.epoch !== epoch) {
                forget();
                again();
            }
            epoch = said.epoch;
            tell([]); // what there is comes with it: by then it is known whether that is nothing
        },
        requests: (event) => tell(JSON.parse(event.data)),
        silent: () => state("lost"),
        error: (event) => state(event.target.readyState === EventSource.CLOSED ? "login" : "lost"),
    });
}

/** Of which process the requests are; empty before any was heard of. */
export const process = () => epoch;

/** One, wherever it is. */
export const find = (id) => entries.get(id) || older.find((e) => e.id === id);

export function stop() {
    stream?.stop();
    stream = null;
}

export function forget() {
    entries.clear();
    waiting = new Map();
    older = [];
    stale = true;
    for (const listener of listeners)
        listener([]);
}
