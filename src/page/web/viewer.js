// One file, as large as the window: a picture, the pages of a document one by one, or its text.

import { h, fill, announce } from "./dom.js";
import * as api from "./api.js";

const DRAWN = ["image", "pdf", "video"];

export const isDrawn = (kind) => DRAWN.includes(kind);

let dialog = null;
let shown = null; // { address, which, name, kind, pages }
let page = 1;

/** The picture of a page; what is wrong with it in its place. */
function pictureOf(file) {
    const address = `/page/${file.address}/thumbnails/${file.which}?size=large&page=${page}`;
    const image = h("img", { class: "looked-at", src: address, alt: `${file.name}${file.kind === "pdf" ? `, page ${page}` : ""}` });
    image.addEventListener("error", async () => {
        const words = await api.get(`${file.address}/thumbnails/${file.which}?size=large&page=${page}`).then(() => "", (error) => error.message);
        image.replaceWith(h("p", { class: "empty wrong" }, words || "this picture cannot be shown"));
    }, { once: true });
    return image;
}

function textOf(file) {
    const text = h("pre", { class: "body", tabindex: "0" }, "…");
    api.get(`${file.address}/texts/${file.which}`).then((words) => fill(text, words || "There is no text in it."),
        (error) => fill(text, error.message));
    return text;
}

function paging(file) {
    if (file.kind !== "pdf")
        return null;
    return [
        h("button", { type: "button", class: "before", "aria-label": "The page before", disabled: page <= 1, onclick: () => turn(-1) }, "‹"),
        h("span", { class: "quiet" }, `page ${page}${file.pages ? ` of ${file.pages}` : ""}`),
        h("button", { type: "button", class: "after", "aria-label": "The next page", disabled: page === file.pages, onclick: () => turn(1) }, "›"),
    ];
}

function draw() {
    fill(dialog,
        h("header", { class: "tools" }, h("h2", { id: "viewer-title" }, shown.name), paging(shown), h("span", { class: "spread" }),
            h("a", { href: `/page/${shown.address}/files/${shown.which}`, download: shown.name }, "Save"),
            h("form", { method: "dialog" }, h("button", null, "Close"))),
        h("div", { class: "looking" }, isDrawn(shown.kind) ? pictureOf(shown) : textOf(shown)));
}

function turn(by) {
    if (shown.kind !== "pdf" || page + by < 1 || (shown.pages && page + by > shown.pages))
        return;
    page += by;
    draw();
    dialog.querySelector(by > 0 ? ".after:enabled, .before" : ".before:enabled, .after").focus();
    announce(`page ${page}`);
}

function press(event) {
    const by = { ArrowRight: 1, ArrowLeft: -1, PageDown: 1, PageUp: -1 }[event.key];
    if (!by)
        return;
    turn(by);
    event.preventDefault();
}

function view(file) {
    if (!dialog) {
        dialog = h("dialog", { class: "viewer", "aria-labelledby": "viewer-title", onkeydown: press });
        document.body.append(dialog);
    }
    shown = file;
    page = 1;
    draw();
    dialog.showModal();
}

/** What opens a file: `address` is of its request or session, `which` its place there; `content` is what is seen of it. */
export function opener(file, content) {
    const name = file.name || file.kind;
    return h("button", { type: "button", class: "opener", "aria-label": `Open ${name}`, onclick: () => view({ ...file, name }) }, content);
}
