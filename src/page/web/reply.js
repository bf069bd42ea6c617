// The reply: what it says, and as the client was sent it. It comes as a stream, whether it is under way or over, and only
// ever grows: what is shown of it stays where it is.

import { h, fill, announce } from "./dom.js";
import * as format from "./format.js";
import { Stream } from "./stream.js";

/** How it stands: [class of the chip, its words, what a screen reader is told]. */
function standing(e) {
    if (e.stage !== "over")
        return ["running", e.stage === "began" ? "asked" : "under way", ""];
    if (e.gone)
        return ["bad", "the client left", "the client left before the end of the reply"];
    if (e.error && e.status < 300)
        return ["bad", "broke off", "the reply broke off"];
    return ["", "", e.error ? "the request was refused" : "the reply is complete"];
}

/** What a block is shown in, and the text of it that grows. */
function made(kind, text) {
    const grows = document.createTextNode("");
    if (kind === "call" || kind === "arguments")
        return { grows, element: h("div", { class: "call" }, h("p", { class: "call-head" }, "calls ", h("b", null, kind === "call" ? text : "")), h("pre", null, grows)) };
    if (kind === "thinking")
        return { grows, element: h("div", { class: "same" }, h("p", { class: "call-head" }, "thinks"), h("p", { class: "said thinking" }, grows)) };
    if (kind === "text")
        return { grows, element: h("p", { class: "said text" }, grows) };
    return { grows, element: h("p", { class: "quiet" }, kind === "stop" ? `stopped: ${text}` : `[${text}]`) };
}

/** Arguments, once they are whole, as people read them: unless more than spaces would change, as digits of a large number. */
function spread(text) {
    try {
        const lines = text.endsWith("}") ? JSON.stringify(JSON.parse(text), null, 2) : text, bare = (words) => words.replace(/\s/g, "");
        return bare(lines) === bare(text) ? lines : text;
    } catch {
        return text;
    }
}

const BASE64 = /[A-Za-z0-9+/]{1000,}={0,2}/g; // so long that it is a file, and nothing to read

/** What was sent, with files folded to how long they are. */
const readable = (text) => text.replace(BASE64, (found) => `… ${format.number(found.length)} characters of base64 …`);

export class Reply {
    /** `ended` is called once all of it is here. */
    constructor(address, ended) {
        Object.assign(this, { address, ended, stream: null, over: false, stands: "", blocks: new Map(), last: null });
        this.chip = h("span", { class: "chip", hidden: true });
        this.blank = h("p", { class: "quiet" });
        this.note = h("p", { class: "quiet", hidden: true });
        this.message = h("section", { class: "message assistant" }, h("h4", null, "assistant"));
        this.pieces = h("ol", { class: "pieces" });
        this.title = h("h3", null, "In the client's words");
        this.cut = ["said", "sent"].map(() => h("p", { class: "quiet", hidden: true }, "The rest is not kept."));
        this.said = h("section", { class: "replied", "aria-label": "The reply" }, h("h3", null, "What it says ", this.chip), this.note, this.blank, this.message,
            this.cut[0]);
        this.sent = h("section", { class: "replied", "aria-label": "The reply as it was sent" }, this.title, this.pieces, this.cut[1]);
    }

    /** Take what comes, until it is over or nobody looks. */
    follow() {
        if (this.stream || this.over)
            return;
        this.forget();
        this.stream = new Stream(`${this.address}/reply`, {
            reply: (event) => this.add(JSON.parse(event.data)),
            end: (event) => {
                this.over = true;
                JSON.parse(event.data).cut.forEach((cut, i) => { this.cut[i].hidden = !cut; });
                this.leave();
                this.ended();
            },
        });
    }

    leave() {
        this.stream?.stop();
        this.stream = null;
    }

    forget() {
        this.drop();
        fill(this.pieces);
        this.last = null;
    }

    /** A piece of what the client was sent, or more of the last one. */
    send(after, text, goesOn) {
        if (!goesOn || !this.last) {
            this.last = { raw: "", words: h("pre", null) };
            this.pieces.append(h("li", null, h("span", { class: "quiet at" }, format.duration(after)), this.last.words));
        }
        this.last.raw += text;
        this.last.words.textContent = readable(this.last.raw);
    }

    drop() {
        for (const { element } of this.blocks.values())
            element.remove();
        this.blocks.clear();
    }

    add({ sent, said, goes_on: goesOn, late }) {
        const scroller = this.said.closest(".beside"), follows = scroller && !this.said.nextSibling && this.said.getAttribute("aria-busy") === "true"
            && scroller.scrollTop + scroller.clientHeight > scroller.scrollHeight - 40;
        for (const [, text, kind, block] of said)
            this.say(text, kind, block);
        sent.forEach(([after, text], i) => this.send(after, text, goesOn && !i));
        const n = this.pieces.childElementCount;
        this.title.textContent = n > 1 ? `In the client's words, in ${format.number(n)} pieces` : "In the client's words";
        fill(this.note, late ? "It had begun before somebody looked: this is what came since." : "").hidden = !late;
        this.tell();
        if (follows)
            scroller.scrollTop = scroller.scrollHeight;
    }

    say(text, kind, block) {
        if (kind === "again") {
            this.drop();
            return;
        }
        const key = kind === "stop" ? kind : block;
        if (!this.blocks.has(key)) {
            this.blocks.set(key, { ...made(kind, text), raw: "" });
            this.message.append(this.blocks.get(key).element);
        }
        const to = this.blocks.get(key);
        if (kind === "text" || kind === "thinking")
            to.grows.appendData(text);
        else if (kind === "arguments")
            to.grows.data = spread(to.raw += text);
    }

    /** What stands there before a word has come, or where none does. */
    tell() {
        this.blank.hidden = this.blocks.size > 0;
        this.message.hidden = !this.blank.hidden;
        this.blank.textContent = !this.done ? "Nothing has come yet." : this.isRefused ? "Nothing: the request was refused."
            : this.pieces.childElementCount ? "There are no words in it." : "No reply was written.";
    }

    /** How it stands, by its summary. */
    mark(entry) {
        const [kind, words, news] = standing(entry);
        this.done = entry.stage === "over";
        this.isRefused = entry.error && entry.status >= 300;
        if (this.stands && this.done && this.stands !== news)
            announce(news);
        this.stands = news || "under way";
        this.chip.className = `chip ${kind}`;
        this.chip.textContent = words;
        this.chip.hidden = !words;
        this.said.setAttribute("aria-busy", !this.done);
        this.tell();
    }
}
