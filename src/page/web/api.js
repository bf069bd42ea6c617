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

/** The browser's own words for a server that is down ("Failed to fetch") say nothing to people. */
async function reach(address, options) {
    try {
        return await fetch(`/page/${address}`, options);
    } catch (error) {
        throw error.name === "AbortError" ? error : new Refused(0, "the server cannot be reached: it may be restarting");
    }
}

export async function get(address, signal) {
    return read(await reach(address, { signal }));
}

/** The bytes of a file, or of a body as it came. */
export async function bytes(address) {
    const answer = await reach(address);
    return answer.ok ? answer.blob() : read(answer);
}

export async function post(address, fields) {
    return read(await reach(address, {
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
