// A file as it stands in lists and conversations: its badge and its small picture.

import { h } from "./dom.js";
import { meaning } from "./format.js";
import { isDrawn } from "./viewer.js";

/** "native · smaller", in the words of the reports. */
export function badge(file) {
    return h("span", { class: `badge ${file.delivery}`, title: meaning(file.delivery) },
        file.delivery, h("span", { class: "form" }, file.form));
}

const SIGNS = { image: "▧", pdf: "▤", office: "▤", text: "≡", audio: "♪", video: "▶" };

function sign(file, size) {
    const element = h("span", { class: "thumb sign", "aria-hidden": "true" }, SIGNS[file.kind] || "◻");
    element.style.width = element.style.height = `${size}px`;
    return element;
}

/** A picture of it, where there is one; a sign in its place otherwise. */
export function picture(address, file, size) {
    if (!address)
        return sign(file, size);
    const image = h("img", { class: "thumb", loading: "lazy", alt: "", src: address });
    image.style.height = `${size}px`;
    image.addEventListener("error", () => image.replaceWith(sign(file, size)), { once: true });
    return image;
}

export function thumbnail(entry, file, index, size) {
    return entry.kept && isDrawn(file.kind) ? picture(`/page/requests/${entry.id}/thumbnails/${index}`, file, size) : sign(file, size);
}
