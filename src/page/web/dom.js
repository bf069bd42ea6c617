// Elements, made without markup: what a client, a file or a model wrote only ever becomes text.

/** An element. Properties: class, on… (listeners), others are attributes, of which those of ARIA say "true" and "false";
 * children: nodes, text, lists of them. */
export function h(tag, properties, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(properties || {})) {
        if (value === null || value === undefined || (value === false && !name.startsWith("aria-")))
            continue;
        if (name.startsWith("on"))
            element.addEventListener(name.slice(2), value);
        else if (name === "class")
            element.className = value;
        else
            element.setAttribute(name, value === true && !name.startsWith("aria-") ? "" : String(value));
    }
    add(element, children);
    return element;
}

function add(element, children) {
    for (const child of children) {
        if (child === null || child === undefined || child === false || child === "")
            continue;
        if (Array.isArray(child))
            add(element, child);
        else
            element.append(child instanceof Node ? child : document.createTextNode(String(child)));
    }
}

const SVG = "http://www.w3.org/2000/svg";

/** The same of a drawing. */
export function svg(tag, attributes, ...children) {
    const element = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes || {}))
        if (value !== null && value !== undefined)
            element.setAttribute(name, String(value));
    add(element, children);
    return element;
}

export function fill(element, ...children) {
    element.replaceChildren();
    add(element, children);
    return element;
}

/** Is what has the focus in there, or nowhere? It would be lost with the element. */
export function focusIsIn(element) {
    return element.contains(document.activeElement) || document.activeElement === document.body;
}

/** Told to a screen reader, and to nobody else. */
export function announce(text) {
    document.getElementById("news").textContent = text;
}
