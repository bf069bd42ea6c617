// Bars over time, each made of parts; with a table of the same for who does not see them.

import { h, svg } from "./dom.js";

const WIDTH = 600, HEIGHT = 120, LEFT = 54, BOTTOM = 16;

/** The next round number at or above n. */
function round(n) {
    const power = 10 ** Math.floor(Math.log10(n || 1));
    return [1, 2, 5, 10].map((f) => f * power).find((m) => m >= n) || 1;
}

/** `bars`: [{ label, parts: [number, …] }]; `names`: of the parts; `word(n)`: a number for people. */
export function chart(title, bars, names, word) {
    const top = Math.max(0, ...bars.map((b) => b.parts.reduce((a, n) => a + n, 0)));
    const most = top ? round(top) : 0;
    const step = (WIDTH - LEFT) / Math.max(1, bars.length), high = HEIGHT - BOTTOM;
    const drawn = bars.flatMap((bar, i) => {
        let y = high;
        return bar.parts.map((n, k) => {
            const size = most ? n / most * (high - 8) : 0;
            y -= size;
            return n ? svg("rect", { class: `part-${k}`, x: LEFT + i * step + 0.5, y, width: Math.max(0.5, step - 1), height: size },
                svg("title", null, `${bar.label}: ${names[k]} ${word(n)}`)) : null;
        });
    });
    const ticks = [0, 0.5, 1].map((f) => {
        const y = high - f * (high - 8);
        return [svg("line", { class: "tick", x1: LEFT, x2: WIDTH, y1: y, y2: y }),
            svg("text", { class: "axis", x: LEFT - 5, y: y + 3, "text-anchor": "end" }, f && most * f !== Math.round(most * f) || (f && !most) ? "" : word(most * f))];
    });
    const labels = bars.length ? [svg("text", { class: "axis", x: LEFT, y: HEIGHT - 3 }, bars[0].label),
        svg("text", { class: "axis", x: WIDTH, y: HEIGHT - 3, "text-anchor": "end" }, bars.at(-1).label)] : [];
    const sums = names.map((name, k) => [name, bars.reduce((a, b) => a + b.parts[k], 0)]);
    return h("figure", { class: "chart" },
        h("figcaption", null, h("h3", null, title), h("ul", { class: "legend" },
            sums.map(([name, sum], k) => h("li", null, h("i", { class: `part-${k}` }), name, " ", h("b", null, word(sum)))))),
        svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `${title}: ${sums.map(([n, s]) => `${n} ${word(s)}`).join(", ")}` },
            ticks, drawn, labels));
}
