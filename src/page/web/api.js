// What the server is asked, besides the requests as they happen: feed.js.

let token = "";
let onLogin = () => {};

export class Refused extends Error {
    constructor(status, words) {
        super(words);
        this.status = status;
    }
}

async function read(answer) {
    const type = answer.headers.get("content-type") || "";
    const said = type.startsWith("application/json") ? await answer.json() : await answer.text();
    if (answer.status === 401)
        onLogin();
    if (!answer.ok)
        throw new Refused(answer.status, said.error || "the server refused that");
    return said;
}

export async function get(address, signal) {
    return read(await fetch(`/page/${address}`, { signal }));
}

export async function post(address, fields) {
    return read(await fetch(`/page/${address}`, {
        method: "POST", body: new URLSearchParams(fields || {}), headers: { "x-refract-token": token },
    }));
}

/** Who looks; `login` is called whenever that is nobody. */
export async function me(login) {
    onLogin = login;
    const said = await get("me");
    token = said.token;
    return said;
}
