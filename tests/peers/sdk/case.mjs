// The shape of every program here, as in case.py: four cases of one SDK against the simulator.
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { extname, join } from "node:path";
import { pathToFileURL } from "node:url";

export const SIM = process.env.SIM;
export const PARTS = Object.fromEntries(readdirSync(process.env.PARTS).map(
    (name) => [extname(name).slice(1), readFileSync(join(process.env.PARTS, name))]));
export const PICTURE = PARTS.png;
export const BASE64 = PICTURE.toString("base64");
export const DATA_URL = `data:image/png;base64,${BASE64}`;

export const HELLO = "Say hello.";
export const LOOK = "What is in chart.png?";
export const REFUSED = "Refuse this with 429.";
export const SYSTEM = "Be brief.";
export const TOOL = "view_image";
export const TOOL_ABOUT = "Show a picture.";
export const SCHEMA = {
    type: "object", properties: { path: { type: "string" } }, required: ["path"],
};
export const CHAT_TOOL = {
    type: "function", function: { name: TOOL, description: TOOL_ABOUT, parameters: SCHEMA },
};

const WANT = {
    plain: ["I was given", HELLO], streamed: ["I was given", HELLO], tool: ["image/png 320x200"],
};

// What a tool returns: the suffixes of files in $PARTS.
const TOGETHER = ["txt", "png", "pdf", "json", "mp3"];
const BUNDLES = [...TOGETHER.map((part) => [part]), TOGETHER];
export const TYPES = { png: "image/png", pdf: "application/pdf", mp3: "audio/mpeg" };

// The packages are below $MODULES, not beside this file.
const modules = process.env.MODULES;
const require = createRequire(join(modules, "package.json"));
export const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const version = (name) =>
    JSON.parse(readFileSync(join(modules, "node_modules", name, "package.json"))).version;

export function expect(truth, what) {
    if (!truth)
        throw new Error(typeof what === "string" ? what : JSON.stringify(what));
}

export async function joined(stream, textOf) {
    let text = "";
    for await (const piece of stream)
        text += textOf(piece) ?? "";
    return text;
}

// The tool case of an SDK that speaks chat completions, where a picture follows the results.
export async function chatLook(send) {
    const asked = { role: "user", content: LOOK };
    const said = await send([asked]);
    const call = said.tool_calls[0];
    expect(JSON.parse(call.function.arguments).path === "chart.png", call);
    const result = { role: "tool", tool_call_id: call.id, content: "See the picture below." };
    const picture = {
        role: "user", content: [{ type: "text", text: "The picture:" },
                                { type: "image_url", image_url: { url: DATA_URL } }],
    };
    return (await send([asked, said, result, picture])).content;
}

// What is wrong with a case, or null. `refused` tells whether an error is the one of status 429.
async function one(run, name, refused) {
    let got;
    try {
        got = await run();
    } catch (e) {
        return name === "error" && refused(e) ? null
            : `${e?.name}: ${e?.message}`.slice(0, 500);
    }
    if (name === "error")
        return `no error, but ${JSON.stringify(got)}`;
    const lost = WANT[name].filter((words) => !got?.includes(words));
    return lost.length ? `${JSON.stringify(lost)} is not in ${JSON.stringify(got)}` : null;
}

export async function run(peer, packageName, refused, cases) {
    for (const [name, f] of Object.entries(cases)) {
        const wrong = await one(f, name, refused);
        console.log(JSON.stringify({ peer, version: version(packageName), case: name, wrong }));
    }
}

// A framework: `models` by endpoint; `say` and `stream` a text, `look` with a tool of parts.
export async function framework(peer, packageName, models, { say, stream, look }) {
    const refused = (e) => e.statusCode === 429 || `${e}`.includes("429");
    for (const [endpoint, model] of Object.entries(models)) {
        await run(`${peer}, ${endpoint}`, packageName, refused, {
            plain: () => say(model, HELLO), streamed: () => stream(model, HELLO),
            tool: () => look(model, ["png"]), error: () => say(model, REFUSED),
        });
        for (const parts of BUNDLES) {
            const line = { peer, version: version(packageName), endpoint, parts };
            try {
                line.answer = await look(model, parts);
            } catch (e) {
                line.error = `${e?.name}: ${e?.message}`;
            }
            line.last = await (await fetch(`${SIM}/last`)).json();
            console.log(JSON.stringify(line));
        }
    }
}
