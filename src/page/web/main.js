// The page: which view is shown, by its address, and what the keys do.

import { fill } from "./dom.js";
import * as api from "./api.js";
import * as feed from "./feed.js";
import * as help from "./help.js";
import * as login from "./login.js";
import * as theme from "./theme.js";
import { Requests } from "./requests.js";
import { Sessions } from "./sessions.js";
import { Overview } from "./overview.js";

const go = (address) => { location.hash = `#/${address}`; };
const main = document.getElementById("main");
const made = {}; // views, when they are first shown
const VIEWS = { requests: Requests, sessions: Sessions, overview: Overview };
let first = "requests"; // the view that is shown where none is named
let current = null;

function route() {
    const [name, ...rest] = location.hash.replace(/^#\/?/, "").split("/");
    const view = name in VIEWS ? name : first;
    made[view] = made[view] || new VIEWS[view](go);
    if (current !== made[view]) {
        current?.hide?.();
        current = made[view];
        fill(main, current.element);
        for (const link of document.querySelectorAll("#nav a"))
            link.dataset.view === view ? link.setAttribute("aria-current", "page") : link.removeAttribute("aria-current");
        document.title = `${view} – refract`;
    }
    current.show(view === name ? rest : []);
}

/** Everything from the start, by what the server says of who looks. */
async function begin() {
    feed.stop();
    current = null;
    const me = await api.me(ask);
    if (!me.admitted) {
        ask();
        return;
    }
    if (!me.gateway) {
        first = "sessions";
        for (const link of document.querySelectorAll("#nav a:not([data-view=sessions])"))
            link.hidden = true;
    }
    const leave = document.getElementById("leave");
    leave.hidden = !me.keys;
    leave.onclick = async () => {
        await api.post("logout");
        begin();
    };
    route();
    feed.start(state);
}

function ask() {
    feed.stop();
    feed.forget();
    current = null;
    state("login");
    login.show(main, begin);
}

function state(now) {
    const live = document.getElementById("live");
    live.className = `live ${now}`;
    live.textContent = now === "live" ? "live" : "not connected";
    if (now === "login" && current)
        api.me(ask).then((me) => me.admitted || ask(), () => {});
}

let before = ""; // the key that was pressed before this one

function press(event) {
    const typing = event.target.closest?.("input, select, textarea");
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]"))
        return;
    if (typing) {
        if (event.key === "Escape")
            event.target.blur();
        return;
    }
    const jump = before === "g" && { r: "requests", s: "sessions", o: "overview" }[event.key];
    before = event.key;
    if (jump)
        go(jump);
    else if (event.key === "?")
        help.show();
    else if (!current?.key?.(event))
        return;
    event.preventDefault();
}

theme.start(document.getElementById("theme"));
document.getElementById("help").addEventListener("click", help.show);
document.addEventListener("keydown", press);
window.addEventListener("hashchange", () => current && route());
begin();
