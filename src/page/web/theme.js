// Light, dark, or as the system has it.

import { announce } from "./dom.js";

const NAMES = { auto: "Auto", light: "Light", dark: "Dark" };
const KEY = "refract-theme";

export function start(button) {
    const kept = localStorage.getItem(KEY);
    let theme = Object.hasOwn(NAMES, kept) ? kept : "auto";
    const apply = () => {
        document.documentElement.dataset.theme = theme;
        button.textContent = NAMES[theme];
        button.setAttribute("aria-label", `Colours: ${theme === "auto" ? "as the system" : theme}`);
    };
    button.addEventListener("click", () => {
        const all = Object.keys(NAMES);
        theme = all[(all.indexOf(theme) + 1) % all.length];
        localStorage.setItem(KEY, theme);
        apply();
        announce(`colours: ${theme}`);
    });
    apply();
}
