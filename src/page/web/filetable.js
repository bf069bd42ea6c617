// What became of each file, one row each.

import { h } from "./dom.js";
import * as format from "./format.js";
import { badge, thumbnail } from "./file.js";
import { opener } from "./viewer.js";

function look(entry, f, i) {
    const shown = thumbnail(entry, f, i, 40);
    return entry.kept ? opener({ address: `requests/${entry.id}`, which: i, ...f }, shown) : shown;
}

/** What is sent, and what it was made of: that may be less. Of what goes as text no bytes are counted. */
function size(f) {
    const sent = format.bytes(f.sent_bytes), own = format.bytes(f.bytes);
    return !f.sent_bytes || sent === own ? own : `${sent} ${f.sent_bytes > f.bytes ? "made of" : "of"} ${own}`;
}

export function fileTable(entry, files) {
    const rows = files.filter((f) => typeof f === "object");
    if (!rows.length)
        return h("p", { class: "empty" }, "No files.");
    return h("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Files" }, h("table", { class: "file-table" },
        h("thead", null, h("tr", null, ["File", "Delivered", "As", "Why", "Tokens", "Bytes"].map((t) => h("th", { scope: "col" }, t)))),
        h("tbody", null, rows.map((f, i) => h("tr", null,
            h("th", { scope: "row" }, h("span", { class: "named" }, look(entry, f, i), f.name || f.kind)),
            h("td", null, badge(f), h("br"), h("span", { class: "quiet" }, format.meaning(f.delivery))),
            h("td", null, f.words),
            h("td", null, f.why || h("span", { class: "quiet" }, "–"), f.lost.length ? h("p", { class: "why" }, `lost: ${f.lost.join(", ")}`) : null,
                f.limit ? h("p", { class: "why" }, `limit: ${f.limit}`) : null),
            h("td", { class: "n" }, format.number(f.tokens)),
            h("td", { class: "n" }, size(f)))))));
}
