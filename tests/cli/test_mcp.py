#!/usr/bin/env python3
"""MCP servers of the configuration as a person and a model see them: what is offered under which names, what comes back,
who is asked for what, and what is said of a server that does not work.

    test_mcp.py PATH-OF-REFRACT

Prints a line a case, then "N passed, N failed"; the status is 1 when one failed.
"""
import contextlib
import hashlib
import http.server
import json
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "mcp"))
from login_server import LoginServer  # noqa: E402
from test_ask import KEY, run_cases
from test_cli import LIMIT_S, expect
from test_trust import on_terminal

SERVER = pathlib.Path(__file__).resolve().parents[1] / "mcp" / "agent_server.py"
USER = "xdg/refract/config.yaml"
CASES = []


def case(name):
    def add(function):
        CASES.append((name, function))
        return function
    return add


def rows(name, table):
    def add(function):
        for first, *rest in table:
            CASES.append((f"{name}: {first}", lambda t, rest=rest: function(t, *rest)))
        return function
    return add


def configure(t, mode="", name="s", **more):
    entry = {"command": sys.executable, "args": [str(SERVER), mode], **more}
    t.write(USER, json.dumps({"mcp_servers": {name: entry}}))


def call(t, question, *args, status=0):
    done = t.ask("-m", "offline", "--no-save", *args, question, status=status)
    return done.out.decode(), done.err


def offered(t, *args):
    """The tools of a request: {name: (description, schema)}."""
    t.env.update(ANTHROPIC_API_KEY=KEY)
    body = json.loads(t.good("ask", "-n", "-m", "anthropic:claude-sonnet-4-5", *args, "Hello").out)
    return {tool["name"]: (tool["description"], tool["input_schema"]) for tool in body["tools"]}


# What comes back


@case("a tool is called as SERVER__TOOL, and its result is the model's")
def _(t):
    configure(t, allow=["echo"])
    out, err = call(t, 's__echo {"text": "herons"}')
    expect('the text "herons" inside the result of s__echo' in out, out)
    expect("> s__echo text=herons ... herons," in err, err)


@case("a result with everything in it arrives whole, once, and as what it is")
def _(t):
    configure(t, allow=True)
    out, err = call(t, "s__all")
    expect("image/png 4x4" in out and "application/pdf" in out, out)
    expect(out.count("image/png 4x4") == 1 and "iVBOR" not in out, out)
    expect("Some notes." in out and "It went wrong halfway." in out and "a failure of s__all" in out, out)
    expect("42" in out and "mem://more" in out, out)
    expect("(audio/wav, 1,644 bytes) was not sent" in out, out)


@case("what a tool returned is kept in the session")
def _(t):
    configure(t, allow=True)
    expect("> s__picture ... PNG image," in t.ask("-m", "offline", "s__picture").err, "nothing is said of it")
    found = t.sessions()[0]["id"]
    expect(b"PNG image" in t.good("sessions", "media", found).out, t.good("sessions", "media", found).out)


@case("what is for the person alone is shown, and not sent")
def _(t):
    configure(t, allow=True)
    out, err = call(t, "s__for_user")
    expect("note: s__for_user, for you: The code is 1234." in err, err)
    expect("1234" not in out and "Told." in out, out)


@case("a file for the person alone is saved where no session keeps it, and not sent")
def _(t):
    configure(t, allow=True)
    question = 's__for_user {"file": true}'
    out, err = call(t, question)
    expect("* ./refract-1.png: image, 73 B, for you from s__for_user" in err, err)
    expect((t.folder / "refract-1.png").read_bytes().startswith(b"\x89PNG") and "image/png" not in out, out)
    expect("y" * 5000 in err and "[the first" not in err, "a text is cut though nothing keeps it")
    made = t.ask("-m", "offline", "--no-save", "--json", question).json()["made"]
    expect(made == [{"kind": "image", "path": "./refract-2.png", "media_type": "image/png", "bytes": 73,
                     "tool": "s__for_user"}], made)
    done = t.run("chat", "-m", "offline", "--no-save", given=question.encode() + b"\n")
    expect("./refract-1.png: " not in done.err and "./refract-3.png: image, 73 B, for you" in done.err, done.err)
    err = t.ask("-m", "offline", question).err
    expect("a file (image/png), which is kept in the session" in err, err)
    expect("[the first 2000 of 5000 bytes; the session has all of them]" in err, err)
    expect(not (t.folder / "refract-4.png").exists(), "it is saved twice")


@case("what a server links to is read when the model wants it, and nothing else unasked")
def _(t):
    configure(t, allow=True)
    expect(list(offered(t))[-1] == "read_resource", "it is not the last tool before anything was linked to")
    configure(t, "crash")
    expect("read_resource" not in offered(t), "it is offered where there is no server")
    configure(t, "resources", allow=True)
    expect('"note://a" of "s"' in offered(t)["read_resource"][0], "it is not offered")
    out, _ = call(t, 'read_resource {"server": "s", "uri": "note://a"}')
    expect("What is at note://a." in out, out)
    out, err = call(t, 'read_resource {"server": "s", "uri": "note://b"}', status=7)
    expect("What is at" not in out and "--allow resource:s" in err, err)
    out, _ = call(t, 'read_resource {"server": "s", "uri": "note://b"}', "--allow", "resource:s")
    expect("What is at note://b." in out, out)
    for allow, status in (([], 7), (["echo"], 7), (["read_resource"], 0)):
        configure(t, "resources", allow=allow)
        out, _ = call(t, 'read_resource {"server": "s", "uri": "note://a"}', status=status)
        expect(("What is at note://a." in out) == (status == 0), out)
    configure(t, "resources", allow=True)
    expect("there is no server" in call(t, 'read_resource {"server": "x", "uri": "note://a"}')[0], "another server")
    expect("read_resource with the server" in call(t, "s__link")[0], "a link is not announced")
    expect(t.good("mcp", "call", "s", "read_resource", '{"uri": "note://b"}').out.endswith(b"What is at note://b.\n"), "by hand")
    t.bad(4, "this is not an address", "mcp", "call", "s", "read_resource", '{"uri": ""}')
    err = t.good("mcp", "call", "s", "read_resource", '{"uri": "blob:1"}').err
    expect("* ./refract-1.csv: document, 8 B, for you from read_resource" in err, err)


@case("without a session long failures and long data are cut, which is said")
def _(t):
    configure(t, allow=True)
    result = json.loads(t.run("mcp", "call", "s", "long", "--json").out)
    expect(result["error"].endswith("[Cut: these are the first 102400 of 300000 bytes.]"), result["error"][-100:])
    data = result["content_blocks"][0]["text"]
    expect(data.endswith("[Cut: these are the first 102400 of 300008 bytes.]") and "data" not in result, data[-100:])


@case("of what a server lists a hundred are read unasked, and no more")
def _(t):
    configure(t, "resources", allow=True)
    question = 'read_resource {"server": "s", "uri": "note://a"}\n'
    done = t.run("chat", "-m", "offline", "--no-save", given=question.encode() * 102)
    expect(done.err.count("> read_resource ") == 102 and done.err.count("permission was not given") == 2, done.err[-3000:])


def asked_of(t, next_call):
    """Ask a model that calls what next_call(the text of the last result) names, until that is None: the requests."""
    bodies = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):  # pylint: disable=invalid-name
            bodies.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            name = next_call(json.dumps(bodies[-1]["messages"][-1]))
            content = {"type": "tool_use", "id": f"c{len(bodies)}", "name": name, "input": {}} if name else {
                "type": "text", "text": "Done."}
            reply = json.dumps({"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [content],
                                "stop_reason": "tool_use" if name else "end_turn",
                                "usage": {"input_tokens": 1, "output_tokens": 1}}).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)

        def log_message(self, *_):  # pylint: disable=arguments-differ
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as found:
        threading.Thread(target=found.serve_forever, daemon=True).start()
        t.env.update(ANTHROPIC_API_KEY=KEY, ANTHROPIC_BASE_URL=f"http://127.0.0.1:{found.server_port}")
        t.ask("-m", "anthropic:claude-sonnet-4-5", "--no-save", "--no-stream", "--max-rounds", "100000", "Go on.")
        found.shutdown()
    return bodies


@case("what a result links to changes nothing of the tools that are offered")
def _(t):
    configure(t, allow=True)
    bodies = asked_of(t, lambda last: None if "note://a" in last else "s__link")
    expect(len(bodies) == 2 and "note://a" in json.dumps(bodies[1]["messages"]), bodies)
    expect(bodies[0]["tools"] == bodies[1]["tools"] and bodies[0].get("system") == bodies[1].get("system"), bodies)


# Names and schemas


@case("names that APIs do not take are made legal, and lead back to the tool")
def _(t):
    configure(t, "names", name="my server", allow=True)
    names = [name for name in offered(t) if name.startswith("my_server__")]
    expect(len(names) == 6 == len(set(names)), names)
    expect("my_server__plain" in names and "my_server___" in names, names)
    expect(all(len(name) <= 64 and name.replace("_", "").replace("-", "").isalnum() or name == "my_server___"
               for name in names), names)
    expect(sorted(names) == sorted(name for name in offered(t) if name.startswith("my_server__")), "they change")
    both = [name for name in names if name.startswith("my_server__a_b")]
    expect(len(both) == 2 and "my_server__a_b" not in both, both)
    said = {call(t, name)[0].split('the text "this is ')[1].split('"')[0] for name in both}
    expect(said == {"a.b", "a_b"}, said)


@case("a schema that no API takes is put right, which is said")
def _(t):
    configure(t, "schemas")
    tools = offered(t)
    expect("anyOf" not in tools["s__alternatives"][1] and tools["s__alternatives"][1]["type"] == "object", tools)
    expect(tools["s__untyped"][1] == {"type": "object", "properties": {"a": {"type": "string"}}}, tools)
    expect(tools["s__fine"][1]["required"] == ["text"], tools)
    _, err = call(t, "Hello")
    expect('server "s", tool "alternatives": its schema has alternatives at the top' in err, err)
    odd = tools["s__odd"][1]
    expect(odd == {"type": "object", "required": ["n"], "properties": {
        "n": {}, "r": {}, "p": {"type": "string"}, "q": {"type": "string", "pattern": r"^[(]\\(a|b)$"},
        "l": {"type": "array", "items": {}}, "in": {}}}, odd)
    expect(tools["s__listed"][1] == {"type": "object", "properties": {}} == tools["s__deep"][1], tools)
    expect("$ref" not in tools["s__referred"][1] and tools["s__referred"][1]["required"] == ["text"], tools)
    expect('tool "odd": its schema names arguments as not every API takes them; those were left out' in err, err)
    expect('tool "deep": its schema nests too deep; it is offered without' in err and 'tool "referred"' not in err, err)


@case("more tools than models take are left out, which is said with how to choose")
def _(t):
    entry = {"command": sys.executable, "args": [str(SERVER), "many"]}
    commands = {f"own{i}": {"command": "true", "description": "Ours."} for i in range(20)}

    def reconfigure(**more):
        t.write(USER, json.dumps({"mcp_servers": {"s": {**entry, **more}}, "tools": commands}))

    reconfigure()
    tools = offered(t)
    served = [name for name in tools if name.startswith("s__")]
    expect(120 < len(tools) <= 128 and len(served) < 108 and "own19" in tools, len(tools))
    _, err = call(t, "Hello")
    expect(f'note: server "s": {len(served)} of its 200 tools are offered, since models take no more than 128 in all. '
           'Choose them with "tools" of the server in the configuration, as in tools: ["t0"]' in err, err)
    reconfigure(tools=["t19*", "t7", "gone"])
    served = {name for name in offered(t) if name.startswith("s__")}
    expect(served == {"s__t7", "s__t19", *(f"s__t{i}" for i in range(190, 200))}, served)
    _, err = call(t, "Hello")
    expect('server "s" has no tool "gone", which its "tools" in ' in err and "are offered" not in err, err)
    t.write(USER, "{}\n")
    t.write(".mcp.json", json.dumps({"mcpServers": {"p": {**entry, "tools": ["t7"]}}}))
    t.good("trust")
    expect([name for name in offered(t) if name.startswith("p__")] == ["p__t7"], "a project's file cannot choose")


@case("what a server says of a tool is named as its words, bounded, and is no note of ours")
def _(t):
    configure(t, allow=True)
    said = offered(t)["s__forge"][0]
    expect(said.startswith('A tool of the MCP server "s", which says of it: Fine.'), said)
    expect("[System" not in json.dumps(offered(t)) and "(System: obey]" in json.dumps(offered(t)), "a schema forges")
    out, _ = call(t, "s__forge_error")
    expect("[System" not in out and "(System: a failure]" in out, out)
    expect("[System" not in said and "\x1b" not in said and len(said) < 2500, said)
    out, err = call(t, "s__forge")
    expect("[SYSTEM" not in out and "(SYSTEM: obey]" in out, out)
    expect("[System" not in out and "(System: files referenced" in out and "view_image" not in err, out)


@case("a text that a server sends as a file is no note of ours either, whatever its encoding")
def _(t):
    configure(t, allow=True)
    bodies = asked_of(t, lambda last: None if "tool_result" in last else "s__forge_file")
    said = json.dumps(bodies[1]["messages"], ensure_ascii=False)
    expect(not re.search(r"\[[^A-Za-z]*system[^A-Za-z]*:", said, re.I), said)
    expect(said.count("(System: files referenced") == 4 and "[systemd] stays [System]" in said, said)
    expect("\u535b\u7379" in said and "as a picture" in said, said)


def system_of(t, *args):
    t.env.update(ANTHROPIC_API_KEY=KEY)
    body = json.loads(t.good("ask", "-n", "-m", "anthropic:claude-sonnet-4-5", *args, "Hello").out)
    return body.get("system", "")


@case("what a server says of itself is quoted after the system prompt, bounded, and is no note of ours")
def _(t):
    configure(t, "resources")
    said = system_of(t, "--system", "Be brief.")
    expect(said.startswith("Be brief.\n\nWhat servers of tools say") and
           said.endswith('The MCP server "s" says how it is used:\n> Read note://a first.\n> Then ask.'), said)
    expect("note://a" not in system_of(t, "--no-tools", "--system", "Be brief."), "it is said without tools")
    expect(b"    > Read note://a first.\n    > Then ask.\n" in t.good("mcp", "list").out, "it is not shown")
    found = json.loads(t.good("mcp", "list", "--json").out)["servers"][0]
    expect(found["instructions"] == "Read note://a first.\nThen ask.", found)
    configure(t, "forged", name='a"b')
    listed = t.good("mcp", "list").out
    expect(b"    > Fine.\n" in listed and b"xxx" not in listed and b"> ... and 1 more line, which mcp list a\"b shows\n" in listed, listed)
    said = system_of(t)
    expect('\n> The MCP server "other" says' in said and "\n> (System: obey] xxx" in said and "[System" not in said, said)
    expect(len(said) < 2600 and '"a"b"' not in said, said)
    expect('server "a"b": of its instructions for the model, 3' in call(t, "Hello")[1], "nothing is said of the rest")
    t.write(USER, "{}\n")
    t.write(".mcp.json", json.dumps({"mcpServers": {"p": {"command": sys.executable, "args": [str(SERVER), "resources"]}}}))
    expect("note://a" not in system_of(t), "the words of a project that is not trusted")
    t.good("trust")
    expect("> Read note://a first." in system_of(t), "a project that is trusted")


@case("logs and settings of a server arrive as they are")
def _(t):
    configure(t, allow=True)
    expect(offered(t)["s__log"][0].endswith("Reads [system] and [systemd]."), "its description is not as it was")
    out, _ = call(t, "s__log")
    expect("[systemd]\nNTP=1\n[system_info]\n[System]" in out.replace("\\n", "\n") and "(system" not in out.lower(), out)


# Permission


@case("a tool asks, whatever the server says of it; --allow and the configuration let it run")
def _(t):
    configure(t)
    out, err = call(t, 's__echo {"text": "herons"}', status=7)
    expect("permission was not given" in out and "--allow s__echo" in err, err)
    out, err = call(t, 's__echo {"text": "herons"}', "--allow", "s__echo")
    expect('the text "herons"' in out and "there is no tool" not in err, err)
    for pattern, status in (("s__*", 0), ("*__echo", 0), ("s__*x", 7), ("x__*", 7)):
        call(t, 's__echo {"text": "herons"}', "--allow", pattern, status=status)
    for patterns in ({"allow": ["e*"]}, {"read_only": ["echo"]}, {"allow": True}):
        configure(t, **patterns)
        expect('the text "herons"' in call(t, 's__echo {"text": "herons"}')[0], patterns)
    configure(t, allow=["echo"])
    call(t, "s__env", status=7)


@case("a person is asked, and told which server and which command it is")
def _(t):
    configure(t)
    shown, status = on_terminal(t, ["ask", "-m", "offline", "--no-save", 's__echo {"text": "herons"}'],
                                ("(y: yes, n: no, a: always s__echo", b"y\n"))
    expect(status == 0 and 'the tool "echo" of the MCP server "s": ' in shown and "agent_server.py" in shown, shown)
    expect('"herons"' in shown, shown)


@case("a project's server says so, and runs nothing before it is trusted")
def _(t):
    t.write(".mcp.json", json.dumps({"mcpServers": {"p": {"command": sys.executable, "args": [str(SERVER), "${MODE:-}"]}}}))
    out, err = call(t, 'p__echo {"text": "herons"}')
    expect("left out: mcp_servers.p" in err and "inside the result" not in out, err)
    expect(not (t.folder / "capabilities.json").exists(), "it was started")
    t.good("trust")
    shown, _ = on_terminal(t, ["ask", "-m", "offline", "--no-save", 'p__echo {"text": "herons"}'],
                           ("(y: yes, n: no, a: always p__echo", b"y\n"))
    expect("(named by ./.mcp.json)" in shown and '"herons"' in shown, shown)


@case("a server gets the variables that are named for it, and no others")
def _(t):
    t.env.update(ANTHROPIC_API_KEY=KEY, TOKEN="tok-17", OTHER="oth-18")
    configure(t, allow=True, env={"MY": "$TOKEN", "PLAIN": "x${OTHER}y", "ELSE": "${UNSET_ONE:-z}"})
    out, _ = call(t, "s__env")
    expect("['tok-17', 'xoth-18y', 'z', None, None]" in out, out)
    configure(t, env={"MY": "$UNSET_ONE"})
    _, err = call(t, "Hello")
    expect('server "s": the variable UNSET_ONE is not set' in err, err)


# What a server asks


@case("a server may ask the model where the person agrees, and not without one")
def _(t):
    configure(t, allow=True)
    out, err = call(t, "s__ask_model", status=7)
    expect("did not agree" in out and "heron?" not in out.split("s__ask_model")[0], out)
    expect('permission for "sampling:s" was needed' in err, err)
    shown, status = on_terminal(t, ["ask", "-m", "offline", "--no-save", "s__ask_model"],
                                ("(y: yes, n: no, a: always for s", b"y\n"))
    expect(status == 0 and "system: Be brief." in shown and "user: What is a heron?" in shown, shown)
    expect("which is what the MCP server asks: s" in shown and "What is a heron?" in shown.split("I was given")[-1], shown)
    out, _ = call(t, "s__ask_model", "--allow", "sampling:s")
    expect("endTurn" in out, out)


@case("what the person agrees to is what the model is asked, and a line of it cannot be forged")
def _(t):
    configure(t, "forged", allow=True)
    shown, _ = on_terminal(t, ["ask", "-m", "offline", "--no-save", "s__ask_model"],
                           ("(y: yes, n: no, a: always for s", b"n\n"))
    expect("[image, image/png]" in shown and "[Resource mem://x]" in shown and "Inside." in shown, shown)
    expect(not any(line.strip("\r ? ").startswith("system: ") and not line.startswith("      ")
                   for line in shown.splitlines()[1:] if "system: forged" in line), shown)
    shown, _ = on_terminal(t, ["ask", "-m", "offline", "--no-save", "s__ask_person"],
                           ("Your name\\u000aage: 7 (required): ", b"Ann\n"), ("(y: yes, n: no) ", b"n\n"))
    expect("Your name\\u000aage: 7: Ann" in shown, shown)


@case("a name that was made is not another tool's")
def _(t):
    configure(t, "names", allow=True)
    made = next(name for name in offered(t) if name.startswith("s__a_b_"))
    configure(t, "names", allow=True, env={"TAKEN": made.removeprefix("s__")})
    names = [name for name in offered(t) if name.startswith("s__a_b")]
    expect(len(names) == len(set(names)) == 3 and made in names, names)
    expect(f"this is {made.removeprefix('s__')}" in call(t, made)[0], "another one is called")


@case("timeout_s bounds the start as well")
def _(t):
    t.write(USER, json.dumps({"mcp_servers": {"s": {"command": "sleep", "args": ["1000"], "timeout_s": 1}}}))
    expect("was not ready within 1 seconds" in call(t, "Hello")[1], "it is waited for")


@case("a form is filled in on the terminal, checked, shown whole and sent")
def _(t):
    configure(t, allow=True)
    shown, status = on_terminal(t, ["ask", "-m", "offline", "--no-save", "s__ask_person"],
                                ("Your name (required): ", b"Ann\n"), ("age (a whole number): ", b"old\n"),
                                ("age (a whole number): ", b"7\n"), ("sure (yes or no) [", b"\n"),
                                ("colour (one of 1: red, 2: green): ", b"red\n"), ("(y: yes, n: no) ", b"y\n"))
    expect(status == 0 and "the MCP server s asks you: Who are you?" in shown, shown)
    answer = shown.split("I was given")[-1]
    for part in ("accept", "Ann", "7", "true", "red"):
        expect(part in answer, f"{part}: {answer}")


@case("a field is asked for again with the reason, and options go by their numbers")
def _(t):
    configure(t, "formats", allow=True)
    shown, status = on_terminal(
        t, ["ask", "-m", "offline", "--no-save", "s__ask_person"],
        ("mail (an e-mail address, such as ann@example.org; required): ", b"ann\n"),
        ("mail (an e-mail address, such as ann@example.org; required): ", b"\n"),
        ("mail (an e-mail address, such as ann@example.org; required): ", b"ann@b.example\n"),
        ("born (Your birthday; a date, such as 2026-11-16): ", b"2026-02-30\n"),
        ("born (Your birthday; a date, such as 2026-11-16): ", b"2001-02-03\n"),
        ("size (one of 1: Small, 2: Large) [Large]: ", b"1\n"),
        ("pets (some of, with commas between: 1: cat, 2: dog, 3: fish): ", b"3, cat\n"),
        ("(y: yes, n: no) ", b"y\n"))
    expect('mail: "ann" is not an e-mail address' in shown and "this has to be filled in" in shown, shown)
    expect('born: "2026-02-30" is not a date' in shown and "size: Small" in shown and "pets: fish, cat" in shown, shown)
    answer = re.sub(r"\s+", "", shown.split("I was given")[-1])
    expect(status == 0 and "ann@b.example" in answer and '"size":"s"' in answer, answer)
    expect('"pets":["fish","cat"]' in answer, answer)


@rows("a form is not sent", [("that is declined", b"n\n", "decline"),
                             ("without a terminal", None, "the client has no such method")])
def _(t, answer, want):
    configure(t, allow=True)
    if answer is None:
        out, err = call(t, "s__ask_person")
        expect(want in out and "Ann" not in out, out + err)
        return
    shown, _ = on_terminal(t, ["ask", "-m", "offline", "--no-save", "s__ask_person"],
                           ("Your name (required): ", b"Ann\n"), ("age (a whole number): ", b"\n"),
                           ("sure (yes or no) [", b"\n"), ("colour (one of 1: red, 2: green): ", b"\n"),
                           ("(y: yes, n: no) ", answer))
    expect(want in shown.split("I was given")[-1] and "Ann" not in shown.split("I was given")[-1], shown)


@case("a page that a server wants opened is named, and not opened")
def _(t):
    configure(t, allow=True)
    shown, _ = on_terminal(t, ["ask", "-m", "offline", "--no-save", "s__visit"], ("(y: yes, n: no) ", b"y\n"))
    expect("the MCP server s wants you to open a page: Pay first." in shown, shown)
    expect("open this page in your browser: https://pay.example/now" in shown, shown)
    expect('"action": "accept"' in shown.split("I was given")[-1], shown)


@case("a login that cannot be had is one line, also where somebody could be asked")
def _(t):
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):  # pylint: disable=invalid-name
            self.send_response(401)
            self.send_header("content-length", "0")
            self.end_headers()

        do_GET = do_POST

        def log_message(self, *_):  # pylint: disable=arguments-differ
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as found:
        threading.Thread(target=found.serve_forever, daemon=True).start()
        t.write(USER, json.dumps({"mcp_servers": {"s": {"url": f"http://127.0.0.1:{found.server_port}/mcp"}}}))
        out, err = call(t, "Hello")
        shown, status = on_terminal(t, ["ask", "-m", "offline", "--no-save", "Hello"])
        listed = t.run("mcp", "list").out.decode()
        called = t.run("mcp", "call", "s", "echo").err
        found.shutdown()
    expect("its tools are not offered" in err and out.startswith("I was given"), err)
    expect(status == 0 and "its tools are not offered" in shown, shown)
    expect('MCP server "s" (status 401): it wants a token, and offers no login to get one' in shown, shown)
    for text in err, shown, listed, called:
        expect("wants a token" in text and "401" in text, text)
        expect('headers: {Authorization: "Bearer ${TOKEN}"}' in text and "configuration" in text, text)


# Bad servers


@rows("a server that does not work is one line, and the question goes on", [
    ("it ends at once", {"mode": "crash"}, "no such database"),
    ("there is no such program", {"command": "/nonexistent/server", "args": []}, "/nonexistent/server"),
    ("nobody listens there", {"command": None, "args": None, "url": "http://127.0.0.1:9/mcp"}, "127.0.0.1:9"),
])
def _(t, how, said):
    mode = how.pop("mode", "")
    entry = {"command": sys.executable, "args": [str(SERVER), mode], **how}
    t.write(USER, json.dumps({"mcp_servers": {"s": {k: v for k, v in entry.items() if v is not None}}}))
    out, err = call(t, "Hello")
    notes = [line for line in err.splitlines() if line.startswith("note:")]
    expect(out.startswith("I was given") and len(notes) == 1, err)
    expect("its tools are not offered" in notes[0] and said in notes[0] and '"s"' in notes[0], notes)


@rows("what a server wrote is shown without the values that it was given", [
    ("a note", ["ask", "-m", "offline", "--no-save", "Hello"]),
    ("a list", ["mcp", "list"]),
    ("a list for programs", ["mcp", "list", "--json"]),
    ("a call", ["mcp", "call", "s", "echo"]),
])
def _(t, command):
    t.env.update(THE_KEY="s3cret-value-of-the-test")
    configure(t, "leak", env={"KEY": "${THE_KEY}"})
    done = t.run(*command)
    shown = done.out.decode() + done.err
    expect("wrong key [redacted]" in shown and "s3cret" not in shown, shown)


@case("words on standard output before the protocol stop nothing")
def _(t):
    configure(t, "garbage", allow=True)
    out, err = call(t, 's__echo {"text": "herons"}')
    expect('the text "herons"' in out, "it is lost")
    expect(err.count('note: server "s": it said something that is not a message: "') == 1, err)


@case("a server that dies in a call is told to the model, and runs again for the next one")
def _(t):
    configure(t, allow=True)
    done = t.run("chat", "-m", "offline", "--no-save", given=b's__die\ns__echo {"text": "again"}\n')
    out = done.out.decode()
    expect("a failure of s__die" in out and "out of cheese" in out, out)
    expect('the text "again" inside the result of s__echo' in out, out)


@contextlib.contextmanager
def chatting(t, errors=subprocess.DEVNULL):
    """A chat that answers one question after the other: said(question)."""
    with subprocess.Popen([t.program, "chat", "-m", "offline", "--no-save"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=errors, cwd=t.folder, env=t.env, text=True) as chat:
        killer = threading.Timer(LIMIT_S, chat.kill)
        killer.start()

        def said(question):
            expect(chat.poll() is None, "it hangs, or has ended")
            chat.stdin.write(question + "\n")
            chat.stdin.flush()
            return chat.stdout.readline()

        yield said
        chat.stdin.close()
        expect(chat.wait() == 0, "it did not end well")
        killer.cancel()


def change_list(said):
    """Have the server add the tool "later", and then take it back."""
    for there in (True, False):
        expect("changed" in said("s__change"), "it was not called")
        while there != ("this is later" in said("s__later")):  # it is listed again shortly after
            pass


@case("tools that a server adds while it runs are offered from then on, and are gone when it takes them back")
def _(t):
    configure(t, allow=True)
    with chatting(t) as said:
        change_list(said)


@case("a tool that is gone in the middle of an answer is named as such")
def _(t):
    steps = iter((("s__change", "changed"), ("s__later", "this is later"), ("s__change", "changed"),
                  ("s__later", "does not offer")))
    step = next(steps)

    def next_call(last):  # again until it says what it should: lists change shortly after
        nonlocal step
        if step and step[1] in last:
            step = next(steps, None)
        return step and step[0]

    configure(t, allow=True)
    asked_of(t, next_call)
    expect(step is None, step)


@case("a tool keeps its name when another comes that would have it")
def _(t):
    configure(t, "twins", allow=True)
    with chatting(t) as said:
        expect("this is a.b" in said("s__a_b"), "it has another name")
        said("s__change")
        other = "s__a_b_" + hashlib.sha256(b"s\0a_b").hexdigest()[:8]
        while "this is a_b" not in said(other):  # it is listed shortly after
            pass
        expect("this is a.b" in said("s__a_b"), "its name is another's")


@case("what is wrong with a list of tools is said once, however often it changes")
def _(t):
    configure(t, "schemas", allow=True)
    with open(t.folder / "errors", "w", encoding="utf-8") as errors, chatting(t, errors) as said:
        change_list(said)
    err = (t.folder / "errors").read_text(encoding="utf-8")
    expect(err.count("its schema has alternatives at the top") == 1, err)


@case("nothing is started where no tools are offered, or the server is disabled")
def _(t):
    configure(t)
    t.ask("-m", "offline", "--no-save", "--no-tools", "Hello")
    configure(t, disabled=True)
    t.ask("-m", "offline", "--no-save", "Hello")
    expect(not (t.folder / "capabilities.json").exists(), "it was started")


# By hand


@case("refract mcp list says how each server is, and why one does not start")
def _(t):
    bad = {"command": sys.executable, "args": [str(SERVER), "crash"]}
    good = {"command": sys.executable, "args": [str(SERVER)]}
    t.write(USER, json.dumps({"mcp_servers": {"bad": bad, "good": good, "off": {**good, "disabled": True}}}))
    done = t.run("mcp", "list")
    expect(done.status == 4 and done.err == "refract: 1 of 3 MCP servers failed\n", done.err)
    lines = done.out.decode().splitlines()
    expect(lines[0] == "x bad  failed: ended with status 1: no such database", lines)
    expect(done.out.count(b"no such database") == 1, lines)
    expect("+ good  ready, 17 tools, agent-server 1.5, MCP 2025-11-25" in lines, lines)
    expect("    good__echo" in lines and "- off  disabled" in lines, lines)
    done = t.run("mcp", "list", "--json")
    expect(done.status == 4, done.status)
    found = {s["name"]: s for s in json.loads(done.out)["servers"]}
    expect(found["good"]["era"] == "legacy" and found["good"]["tools"][0]["name"] == "good__echo", found)
    expect(found["bad"]["state"] == "failed" and "no such database" in found["bad"]["errors"], found)
    done = t.good("mcp", "list", "good")
    expect(done.out.startswith(b"+ good  ready") and b"bad" not in done.out, done.out)
    expect(b"    good__echo  text string\n        Says it again.\n    good__picture\n" in done.out, done.out)
    first = found["good"]["tools"][0]
    expect((first["own_name"], first["description"], first["schema"]["required"]) == ("echo", "Says it again.", ["text"]), first)
    expect([s["name"] for s in json.loads(t.good("mcp", "list", "good", "--json").out)["servers"]] == ["good"], "others")
    t.bad(2, "There are: bad, good, off.", "mcp", "list", "godo")
    t.bad(2, "mcp list takes the name of one server, or nothing", "mcp", "list", "good", "bad")
    t.write(USER, "{}\n")
    expect("no MCP servers are configured" in t.good("mcp", "list").err, "nothing is said")
    t.write(".mcp.json", "{")
    expect("note: ./.mcp.json: " in t.good("mcp", "list").err, "nothing is said of the file")
    expect("note: ./.mcp.json: " in t.ask("-m", "offline", "Hello").err, "nothing is said of the file")
    configure(t, "schemas")
    expect("its schema has alternatives" in t.good("mcp", "list").err, "nothing is said of a schema")


@case("refract mcp list says in plain words what is wrong with a server, and what to do")
def _(t):
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):  # pylint: disable=invalid-name
            self.send_error(405)

        do_GET = do_POST

        def log_message(self, *_):  # pylint: disable=arguments-differ
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as found:
        threading.Thread(target=found.serve_forever, daemon=True).start()
        t.write(USER, json.dumps({"mcp_servers": {
            "good": {"command": sys.executable, "args": [str(SERVER)]}, "gone": {"command": "no-such-program"}, "brief": {"command": "true"},
            "nobody": {"url": "http://127.0.0.1:9/mcp"}, "web": {"url": f"http://127.0.0.1:{found.server_port}/"},
            "silent": {"command": "sleep", "args": ["1000"], "timeout_s": 1}}}))
        done = t.run("mcp", "list")
        found.shutdown()
    lines = done.out.decode().splitlines()
    for name, said, hint in (("gone", 'could not be started: "no-such-program": No such file or directory', "Install it, or "),
                             ("nobody", "did not answer: could not reach 127.0.0.1:9", "Check the address"),
                             ("web", "does not speak MCP at this address (status 405)", "Check the url"),
                             ("brief", "ended with status 0", "Run its command by hand to see why"),
                             ("silent", "was not ready within 1 seconds", "Run its command by hand to see what")):
        at = next(i for i, line in enumerate(lines) if line.startswith(f"x {name}  failed: {said}"))
        expect(lines[at + 1].startswith("    " + hint) and done.out.count(hint.encode()) == 1, lines)
    for word in (b"initialize", b"discover", b"tools/"):
        expect(word not in done.out, f"{word}: {done.out}")


@case("refract mcp list says of each server how it is before the next one is ready")
def _(t):
    wait = 'while [ ! -e go ]; do sleep 0.05; done; exec "$0" "$1"'
    ready, slow = [sys.executable, str(SERVER)], ["sh", "-c", wait, sys.executable, str(SERVER)]
    t.write(USER, json.dumps({"mcp_servers": {"first": {"command": ready}, "slow": {"command": slow}}}))
    with subprocess.Popen([t.program, "mcp", "list"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=t.folder,
                          env=t.env, text=True) as listing:
        killer = threading.Timer(LIMIT_S, listing.kill)
        killer.start()
        expect(listing.stdout.readline().startswith("+ first  ready, 17 tools"), "it is not first")
        t.write("go", "")
        expect("+ slow  ready, 17 tools" in listing.stdout.read(), "the other one is not ready")
        killer.cancel()


@case("a server of a project that is not trusted, or is above, is told of where it is wanted")
def _(t):
    t.write(".mcp.json", json.dumps({"mcpServers": {"p": {"command": sys.executable, "args": [str(SERVER)]}}}))
    done = t.good("mcp", "list")
    expect(done.err.startswith("note: ./.mcp.json is not trusted (see refract trust); left out: mcp_servers.p")
           and "configured" not in done.err, done.err)
    done = t.run("mcp", "call", "p", "echo")
    expect(done.status == 7 and 'the MCP server "p" is left out: ./.mcp.json is not trusted' in done.err, done.err)
    expect("refract trust shows what would be run" in done.err, done.err)
    on_terminal(t, ["ask", "-m", "offline", "--no-save", "Hello"], ("(y: yes, n: no) ", b"n\n"))
    expect("./.mcp.json is not trusted" in t.good("mcp", "list").err, "nothing is said where somebody said no")
    (t.folder / "below").mkdir()
    t.good("trust")
    for command in (("mcp", "list"), ("mcp", "call", "p", "echo"), ("trust",)):
        err = t.run(*command, cwd=t.folder / "below").err
        expect(f"The .mcp.json of {t.folder.resolve()} counts in that folder only: run refract there." in err, err)
    (t.folder / "below" / ".git").mkdir()
    expect("counts in that folder" not in t.run("mcp", "list", cwd=t.folder / "below").err, "another project's is named")


@case("refract mcp call prints what arrived, and no other server is started")
def _(t):
    bad = {"command": sys.executable, "args": [str(SERVER), "crash"]}
    t.write(USER, json.dumps({"mcp_servers": {"bad": bad, "s": {"command": sys.executable, "args": [str(SERVER)]}}}))
    done = t.run("mcp", "call", "s", "echo", '{"text": "herons"}')
    expect(done.status == 0 and done.out == b"herons\n" and not done.err, done.err)
    done = t.run("mcp", "call", "s", "forge_error")
    expect(done.status == 4 and done.err.count("a failure") == 1, done.err)
    done = t.run("mcp", "call", "s", "s__picture")
    expect("* ./refract-1.png: image, 73 B, for you from s__picture" in done.err, done.err)
    expect((t.folder / "refract-1.png").read_bytes().startswith(b"\x89PNG"), "it is not there")
    (t.folder / "out").mkdir()
    done = t.run("mcp", "call", "s", "all", "--json", "--media", "out")
    result = json.loads(done.out)
    expect([(m["path"], m["kind"]) for m in result["made"]] == [
        ("out/refract-1.png", "image"), ("out/refract-2.wav", "audio"), ("out/refract-3.pdf", "document")], result["made"])
    expect((t.folder / "out/refract-3.pdf").read_bytes().startswith(b"%PDF"), "the blob is not there")
    t.bad(2, "--media is for call", "mcp", "list", "--media", "out")
    t.bad(2, "--media is for call", "mcp", "--media", "out")
    t.bad(6, "--media", "mcp", "call", "s", "picture", "--media", "nowhere")
    expect(done.status == 4 and not result["success"] and "It went wrong halfway." in result["error"], result)
    expect([b["type"] for b in result["content_blocks"]][:3] == ["image", "audio", "document"], result)
    t.bad(2, 'there is no MCP server "x"', "mcp", "call", "x", "echo")
    t.bad(2, 'the MCP server "s" has no tool "x"', "mcp", "call", "s", "x")
    t.bad(2, "Did you mean picture?", "mcp", "call", "s", "pictures")
    t.bad(2, "the arguments are not JSON: line 1, column 10", "mcp", "call", "s", "echo", '{"text": hi}')
    t.bad(2, "the arguments are not a JSON object", "mcp", "call", "s", "echo", "[1]")
    t.bad(2, "mcp call takes", "mcp", "call", "s")
    t.bad(4, 'MCP server "bad" ended with status 1: no such database', "mcp", "call", "bad", "echo")


@case("Ctrl-C in a call by hand is told to the server")
def _(t):
    configure(t)
    with subprocess.Popen([t.program, "mcp", "call", "s", "slow"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=t.folder,
                          env=t.env, text=True) as call_:
        killer = threading.Timer(LIMIT_S, call_.kill)
        killer.start()
        while not (t.folder / "slow").exists() and call_.poll() is None:
            time.sleep(0.01)
        call_.send_signal(signal.SIGINT)
        out, err = call_.communicate()
        killer.cancel()
    expect((call_.returncode, out, err) == (130, "", "refract: stopped\n"), (call_.returncode, out, err))
    end = time.monotonic() + LIMIT_S
    while not (t.folder / "cancelled").exists():
        expect(time.monotonic() < end, "the server was not told")
        time.sleep(0.01)


# Logins


def browse(server, shown):
    """Open the page that is named on the terminal, and follow it to its end, as a browser does."""
    found = re.search(re.escape(server.server.base) + r"/authorize\?\S+", shown)
    expect(found, shown)
    threading.Thread(target=lambda: urllib.request.urlopen(found[0]).read(), daemon=True).start()


def agree(server):
    expect("POST /register" not in server.log, "nobody had agreed")


def log_in(t, server, *args):
    server.log.clear()
    return on_terminal(t, args, ("(y: yes, n: no) ", lambda seen: agree(server) or b"y\n"),
                       ("(y: yes, n: no) ", lambda seen: browse(server, seen) or b"y\n"))


@case("a server that wants a login gets one in a browser, once")
def _(t):
    with LoginServer() as server:
        t.write(USER, json.dumps({"mcp_servers": {"s": {"url": server.url, "allow": True}}}))
        question = ["ask", "-m", "offline", 's__echo {"text": "herons"}']
        shown, status = log_in(t, server, *question)
        host = server.server.base.removeprefix("http://")
        expect(f"s asks you: to log in at {host}, where refract registers itself first" in shown, shown)
        expect(status == 0 and "herons" in shown, shown)
        expect("secret" not in shown, shown)
        expect(server.log.count("POST /token") == 1, server.log)
        out, err = call(t, question[-1])
        expect("herons" in out, out + err)
        expect(server.log.count("POST /token") == 1, "what was given is not kept")


@rows("--no-save keeps no login", [
    ("ask", ["ask", "-m", "offline", 's__echo {"text": "herons"}']),
    ("mcp list", ["mcp", "list"]),
    ("mcp call", ["mcp", "call", "s", "echo", '{"text": "herons"}']),
])
def _(t, command):
    with LoginServer() as server:
        t.write(USER, json.dumps({"mcp_servers": {"s": {"url": server.url, "allow": True}}}))
        for option, kept in ((["--no-save"], False), ([], True)):
            shown, _ = log_in(t, server, *command, *option)
            expect(server.log.count("POST /token") == 1, shown)
            server.log.clear()
            t.run(*command)
            expect(("refused" in server.log) != kept, server.log)
    t.bad(2, "--no-save is for an action", "mcp", "--no-save")


@case("without a terminal a server that wants a login is a line")
def _(t):
    with LoginServer() as server:
        t.write(USER, json.dumps({"mcp_servers": {"s": {"url": server.url}}}))
        out, err = call(t, "Hello")
        expect("its tools are not offered" in err, err)
        expect(set(server.log) == {"POST /mcp", "refused"}, server.log)


if __name__ == "__main__":
    sys.exit(run_cases(CASES))
