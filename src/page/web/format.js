// Numbers and times, as people read them.

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });
const dated = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const days = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric" });
const years = new Intl.DateTimeFormat(undefined, { year: "numeric", month: "short", day: "numeric" });
const whole = new Intl.NumberFormat("en-US");

export const time = (ms) => clock.format(ms);
/** With its year, where that is not this one. */
export const day = (ms) => (new Date(ms).getFullYear() === new Date().getFullYear() ? days : years).format(ms);
/** Its day, where that is not today. */
export const otherDay = (ms) => (new Date(ms).toDateString() === new Date().toDateString() ? "" : day(ms));
export const date = (ms) => dated.format(ms);
export const number = (n) => (n === null || n === undefined ? "–" : whole.format(n));

export function short(n) {
    if (n === null || n === undefined)
        return "–";
    if (n < 1000)
        return String(n);
    return n < 1e6 ? `${(n / 1e3).toFixed(n < 1e4 ? 1 : 0)}k` : `${(n / 1e6).toFixed(1)}M`;
}

/** In and out; where nobody told of any, there are none to show. */
export const tokens = (input, output) => (input || output ? `${short(input)} → ${short(output)}` : "– → –");

/** A share of 1, of which a little is not nothing. */
export function percent(share) {
    const n = 100 * share;
    return `${!n ? "0" : n < 0.05 ? "< 0.1" : n.toFixed(n < 2 ? 1 : 0)} %`;
}

export function money(micros) {
    if (micros === null || micros === undefined || micros < 0)
        return "–";
    const dollars = micros / 1e6;
    return dollars === 0 ? "$0" : dollars < 0.0001 ? `$${dollars.toFixed(6)}` : dollars < 0.01 ? `$${dollars.toFixed(5)}` : dollars < 1 ? `$${dollars.toFixed(4)}`
        : `$${dollars.toFixed(2)}`;
}

export function bytes(n) {
    if (n === null || n === undefined || n < 0)
        return "–";
    if (n < 1000)
        return `${n} B`;
    return n < 1e6 ? `${Math.round(n / 1e3)} KB` : `${(n / 1e6).toFixed(1)} MB`;
}

export function duration(us) {
    if (!us)
        return "–";
    if (us < 1000)
        return `${us} µs`;
    return us < 1e6 ? `${Math.round(us / 1e3)} ms` : us < 6e7 ? `${(us / 1e6).toFixed(2)} s` : `${Math.round(us / 6e7)} min`;
}

export const plural = (n, word) => `${number(n)} ${word}${n === 1 ? "" : "s"}`;

const where = { native: "in its place", fallback: "after the results", text: "as text", omitted: "left out", error: "refused" };

/** What a delivery means, for those who do not know the word. */
export const meaning = (delivery) => where[delivery] || delivery;
