// A list of any length of which only the rows in sight are there. All rows have one height.

import { h } from "./dom.js";

const SPARE = 6; // rows above and below those in sight

export class List {
    /** `row(item)` makes the content of a row; `key(item)` tells it from others; `open(item)` was asked for. */
    constructor({ label, height, row, key, open, select }) {
        Object.assign(this, { height, row, key, open, select });
        this.items = [];
        this.at = null; // the key of the one that is chosen
        this.awaited = null; // the same, where it is not there yet: it is shown when it comes
        this.rows = new Map();
        this.space = h("div", { class: "rows", role: "presentation" });
        this.element = h("div", {
            class: "list", role: "listbox", tabindex: "0", "aria-label": label,
            onscroll: () => this.draw(), onkeydown: (event) => this.press(event),
        }, this.space);
        new ResizeObserver(() => this.draw()).observe(this.element);
    }

    /** Show these. Who has scrolled down keeps what is in sight. */
    set(items) {
        const top = this.element.scrollTop;
        const first = top > this.height ? this.items[Math.floor(top / this.height)] : null;
        this.items = items;
        this.places = null;
        this.space.style.height = `${items.length * this.height}px`;
        if (first) {
            const now = this.place(this.key(first));
            if (now >= 0)
                this.element.scrollTop = now * this.height + top % this.height;
        }
        if (this.awaited !== null && this.place(this.awaited) >= 0)
            this.mark(this.awaited);
        else
            this.draw();
    }

    place(key) {
        if (!this.places)
            this.places = new Map(this.items.map((item, i) => [this.key(item), i]));
        return this.places.get(key) ?? -1;
    }

    draw() {
        const from = Math.max(0, Math.floor(this.element.scrollTop / this.height) - SPARE);
        const to = Math.min(this.items.length, Math.ceil((this.element.scrollTop + this.element.clientHeight) / this.height) + SPARE);
        const wanted = new Set(this.items.slice(from, to).map(this.key));
        for (const [key, row] of this.rows)
            if (!wanted.has(key)) {
                row.element.remove();
                this.rows.delete(key);
            }
        for (let i = from, before = null; i < to; i++) {
            const { element } = this.drawRow(i);
            if (!element.parentNode || element.previousElementSibling !== before) // who reads them hears them in order
                before ? before.after(element) : this.space.prepend(element);
            before = element;
        }
        const chosen = this.at !== null && this.rows.get(this.at);
        if (chosen)
            this.element.setAttribute("aria-activedescendant", chosen.element.id);
        else
            this.element.removeAttribute("aria-activedescendant");
    }

    drawRow(i) {
        const item = this.items[i], key = this.key(item);
        let row = this.rows.get(key);
        if (!row || row.item !== item) {
            const element = h("div", {
                class: "row", role: "option", id: `row-${key}`, onclick: () => this.choose(this.place(key), true),
            }, this.row(item));
            row?.element.replaceWith(element);
            row = { item, element };
            this.rows.set(key, row);
        }
        row.element.style.transform = `translateY(${i * this.height}px)`;
        row.element.setAttribute("aria-posinset", i + 1);
        row.element.setAttribute("aria-setsize", this.items.length);
        row.element.setAttribute("aria-selected", key === this.at);
        return row;
    }

    choose(i, opened) {
        if (i < 0 || i >= this.items.length)
            return;
        this.at = this.key(this.items[i]);
        this.reveal(i);
        this.draw();
        this.select?.(this.items[i]);
        if (opened)
            this.open(this.items[i]);
    }

    /** Mark the one with this key, without opening it. */
    mark(key) {
        this.at = key;
        const i = key === null ? -1 : this.place(key);
        this.awaited = i < 0 ? key : null;
        if (i >= 0)
            this.reveal(i);
        this.draw();
    }

    reveal(i) {
        const top = i * this.height, end = top + this.height;
        if (top < this.element.scrollTop)
            this.element.scrollTop = top;
        else if (end > this.element.scrollTop + this.element.clientHeight)
            this.element.scrollTop = end - this.element.clientHeight;
    }

    /** Go on by so many; from nowhere, to the first. */
    step(by) {
        this.element.focus({ preventScroll: true }); // what had it may go, and who does not see hears which it is
        const i = this.at === null ? -1 : this.place(this.at);
        const last = this.items.length - 1;
        const to = i < 0 && by !== Infinity ? 0 : Math.min(last, Math.max(0, i + by));
        this.choose(to, false);
    }

    press(event) {
        const page = Math.max(1, Math.floor(this.element.clientHeight / this.height) - 1);
        const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
        if (Object.hasOwn(steps, event.key) && !event.ctrlKey && !event.metaKey && !event.altKey) {
            this.step(steps[event.key]);
            event.preventDefault();
        } else if (event.key === "Enter" || event.key === " ") {
            this.openChosen();
            event.preventDefault();
        }
    }

    openChosen() {
        const i = this.at === null ? -1 : this.place(this.at);
        if (i >= 0)
            this.open(this.items[i]);
    }
}
