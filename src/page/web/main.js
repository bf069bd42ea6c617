// The page: which view is shown, by its address, and what the keys do.

import { fill, announce } from "./dom.js";
import * as api from "./api.js";
import * as feed from "./feed.js";
import * as help from "./help.js";
import * as login from "./login.js";
import * as theme from "./theme.js";
import { Requests } from "./requests.js";
import { Sessions } from "./sessions.js";
import { Overview } from "./overview.js";

const main = document.getElementById("main");
const nav = document.getElementById("nav");
const leave = document.getElementById("leave");
const VIEWS = { requests: Requests, sessions: Sessions, overview: Overview };
let offered = Object.keys(VIEWS); // a store without a gateway has only some; the first is usual
let made = {}; // views, when they are first shown
let current = null;
let asking = false; // the login form is shown

/** Show an address. Steps through a list take the place of the one before: Back leaves the list. */
function go(address, { replace = false } = {}) {
    if (!replace) {
        location.hash = `#/${address}`;
        return;
    }
    history.replaceState(null, "", `#/${address}`);
    route();
}

function route() {
    const [name, ...rest] = location.hash.replace(/^#\/?/, "").split("/");
    const view = offered.includes(name) ? name : offered[0];
    made[view] = made[view] || new VIEWS[view](go);
    if (current !== made[view]) {
        current?.hide?.();
        current = made[view];
        fill(main, current.element);
        for (const link of nav.children)
            link.dataset.view === view ? link.setAttribute("aria-current", "page") : link.removeAttribute("aria-current");
        document.title = `${view} – refract`;
    }
    current.show(view === name ? rest : []);
}

/** No view is shown any more, and nothing of one lives on. */
function forget() {
    feed.stop();
    current?.hide?.();
    current = null;
}

/** Everything from the start, by what the server says of who looks. */
async function begin() {
    forget();
    const me = await api.me(ask);
    if (!me.admitted) {
        ask();
        return;
    }
    asking = false;
    offered = me.gateway ? Object.keys(VIEWS) : ["sessions"];
    nav.hidden = false;
    for (const link of nav.children)
        link.hidden = !offered.includes(link.dataset.view);
    leave.hidden = !me.keys;
    route();
    feed.start(state, again);
}

/** The form for a key, which is left alone where it is shown: somebody may be typing. */
function ask() {
    if (asking)
        return;
    asking = true;
    forget();
    feed.forget();
    Object.values(made).forEach((view) => view.close?.());
    made = {};
    nav.hidden = leave.hidden = true;
    document.title = "log in – refract";
    state("login");
    login.show(main, begin);
}

/** Who looks may have changed with the server, and the token has. */
function again() {
    api.me(ask).then((me) => me.admitted || ask(), () => {});
}

function state(now) {
    const live = document.getElementById("live");
    live.hidden = now === "login"; // nobody asks for anything
    live.className = `live ${now}`;
    live.firstElementChild.textContent = now === "live" ? "live" : "not connected";
    if (now === "login" && current)
        again();
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
    const jump = before === "g" && offered.find((view) => view[0] === event.key);
    before = event.key;
    if (jump)
        go(jump);
    else if (event.key === "?")
        help.show(offered);
    else if (!current?.key?.(event))
        return;
    event.preventDefault();
}

theme.start(document.getElementById("theme"));
document.getElementById("help").addEventListener("click", () => help.show(offered));
document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault(); // its address is not that of a view
    main.focus();
});
leave.addEventListener("click", () => api.post("logout").then(begin, (error) => announce(error.message)));
document.addEventListener("keydown", press);
window.addEventListener("hashchange", () => current && route());
begin();
