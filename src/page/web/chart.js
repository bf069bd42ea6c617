// Bars over time, each made of parts. The words beside them are HTML: they keep their size however
// narrow the drawing is.

import { h, svg } from "./dom.js";

const WIDTH = 600, HEIGHT = 104, GAP = 6;

/** The next round number at or above n. */
function round(n) {
    const power = 10 ** Math.floor(Math.log10(n || 1));
    return [1, 2, 5, 10].map((f) => f * power).find((m) => m >= n) || 1;
}

/** At most two words: of half of it only where that is a number people would say. */
function scale(most, word) {
    const half = most / 2;
    return [[1, most ? word(most) : ""], [0.5, most && half === Math.round(half) ? word(half) : ""], [0, most ? "0" : ""]];
}

function placed(element, side, share) {
    element.style[side] = `${100 * share}%`;
    return element;
}

/** `bars`: [{ label, parts: [number, …] }]; `names`: of the parts, `colours`: their classes; `marks`: [[share, text], …]
 * on the axis of time; `word(n)`: a number for people. */
export function chart(title, bars, names, colours, marks, word) {
    const most = round(Math.max(0, ...bars.map((b) => b.parts.reduce((a, n) => a + n, 0)))), some = bars.some((b) => b.parts.some((n) => n));
    const step = WIDTH / Math.max(1, bars.length), high = HEIGHT - GAP;
    const drawn = bars.flatMap((bar, i) => {
        let y = HEIGHT;
        return bar.parts.map((n, k) => {
            const size = n / most * high;
            y -= size;
            return n ? svg("rect", { class: colours[k], x: i * step + 0.5, y, width: Math.max(0.5, step - 1), height: size },
                svg("title", null, `${bar.label}: ${names[k]} ${word(n)}`)) : null;
        });
    });
    const ticks = scale(some ? most : 0, word);
    const sums = names.map((name, k) => [name, bars.reduce((a, b) => a + b.parts[k], 0)]);
    return h("figure", { class: "chart" },
        h("figcaption", null, h("h2", null, title), h("ul", { class: "legend" },
            sums.map(([name, sum], k) => h("li", null, h("i", { class: colours[k] }), name, " ", h("b", null, word(sum)))))),
        h("div", { class: "plot" },
            h("div", { class: "scale", "aria-hidden": "true" }, ticks.map(([f, text]) => placed(h("span", null, text), "bottom", f * high / HEIGHT))),
            svg("svg", {
                viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img",
                "aria-label": `${title}: ${sums.map(([n, s]) => `${n} ${word(s)}`).join(", ") || "nothing"}`,
            }, ticks.map(([f]) => svg("line", { class: "tick", x1: 0, x2: WIDTH, y1: HEIGHT - f * high, y2: HEIGHT - f * high })), drawn),
            h("div", { class: "times", "aria-hidden": "true" }, marks.map(([share, text]) => placed(h("span", null, text), "left", share)))));
}
