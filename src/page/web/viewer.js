// One file, as large as the window: a picture, the pages of a document one by one, a sound, or its text.

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
    const text = h("pre", { class: "body", tabindex: "0", autofocus: true }, "…"); // so that the keys scroll it
    api.get(`${file.address}/texts/${file.which}`).then((words) => fill(text, words || "There is no text in it."),
        (error) => fill(text, error.message));
    return text;
}

/** Sound and film are loaded whole: then a person can go to any place in them. */
function playerOf(file) {
    const player = h(file.kind === "audio" ? "audio" : "video", { controls: true, class: "played", "aria-label": file.name });
    const place = h("div", { class: "playing" }, player);
    const fail = (words) => fill(place, file.kind === "video" ? pictureOf(file) : null, h("p", { class: "empty wrong" }, words));
    player.addEventListener("error", () => fail("this browser cannot play it"), { once: true });
    api.bytes(`${file.address}/files/${file.which}`).then((blob) => {
        const address = URL.createObjectURL(blob);
        player.src = address;
        dialog.addEventListener("close", () => { player.pause(); URL.revokeObjectURL(address); }, { once: true });
    }, (error) => fail(error.message));
    return place;
}

const isPlayed = (kind) => kind === "audio" || kind === "video";
const isText = (kind) => !isPlayed(kind) && !isDrawn(kind);

function content(file) {
    return isPlayed(file.kind) ? playerOf(file) : isText(file.kind) ? textOf(file) : pictureOf(file);
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
            saver(`${shown.address}/files/${shown.which}`, shown.name),
            h("form", { method: "dialog" }, h("button", { autofocus: !isText(shown.kind) }, "Close"))),
        h("div", { class: "looking" }, content(shown)));
}

/** False: there is no such page. */
function turn(by) {
    if (shown.kind !== "pdf" || page + by < 1 || (shown.pages && page + by > shown.pages))
        return false;
    page += by;
    draw();
    dialog.querySelector(by > 0 ? ".after:enabled, .before" : ".before:enabled, .after").focus();
    announce(`page ${page}`);
    return true;
}

function press(event) {
    const by = { ArrowRight: 1, ArrowLeft: -1, PageDown: 1, PageUp: -1 }[event.key];
    if (by && turn(by))
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

/** Saves a file by its name; one without an ending gets a name of the server's, which ends by what it is. */
export function saver(address, name) {
    return h("a", { href: `/page/${address}${/.\.\w+$/.test(name) ? "?named=1" : ""}`, download: name }, "Save");
}

/** What opens a file: `address` is of its request or session, `which` its place there; `content` is what is seen of it. */
export function opener(file, content) {
    const name = file.name || file.kind;
    return h("button", { type: "button", class: "opener", "aria-label": `Open ${name}`, onclick: () => view({ ...file, name }) }, content);
}
