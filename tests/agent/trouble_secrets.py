"""What the programs that we start get to see of our secrets: cases of trouble.py."""
import base64
import ctypes
import json
import os
import shutil
import subprocess

from troubling import (KEY, LIMIT_S, MODEL, Server, Skip, block, case, expect, response, rows, said, simulator, sse,
                       streamed, text)

# Names that a list of forbidden ones would have to know.
UNGUESSED = ("DB_PASS", "MYSQL_PWD", "DATABASE_URL", "ANTHROPIC_API_KEY2", "REFRACT_TEST_PLAIN")
VALUE = "value-that-is-not-for-tools-81c2"
NOBODY = 65534
LANDLOCK_CREATE_RULESET, LANDLOCK_WITH_SCOPES = 444, 6

SPY = r"""
ls -l /proc/self/fd > fds
env > env
grep NoNewPrivs /proc/self/status > status
tr '\0' '\n' < /proc/$PPID/environ > environ
ls -l /proc/$PPID/fd > parent-fds
cat /proc/$PPID/maps > maps # root may, and learns where to look
at=$(($(stat -c %s maps) ? 0x$(head -1 maps | cut -d- -f1) : 0x400000))
dd if=/proc/$PPID/mem bs=1 count=1 skip=$at > mem
: < /dev/tty && echo terminal > tty
"""


def as_nobody(t):
    """How a process is started that is an ordinary user's."""
    if os.geteuid() != 0:
        return {}
    for path in (t.folder, *t.folder.rglob("*")):
        os.chown(path, NOBODY, NOBODY)
    for path in (t.folder, t.folder.parent):
        path.chmod(0o755)
    who = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
    if t.finish(t.start("--help", **who)).status != 0:
        raise Skip("the program cannot be run by an ordinary user here")
    return who


def seen(t, name):
    path = t.folder / name
    return path.read_text(errors="replace") if path.exists() else ""


@rows("what a tool sees of us", [("as we are", False), ("as an ordinary user", True)])
def spied(t, ordinary):
    t.configure("tools: {spy: {command: [sh, spy.sh], read_only: yes}}\n")
    t.write("spy.sh", SPY + "true\n")
    t.env.update({name: VALUE for name in UNGUESSED})
    who = as_nobody(t) if ordinary else {}
    with t.sim("- {calls: [{name: spy}]}\n"):
        done = t.ask("Run it", **who)
    expect(done.status == 0, done.err)
    env = seen(t, "env")
    expect("PATH=" in env and "XDG_DATA_HOME=" in env, f"it lacks what it needs: {env}")
    expect(VALUE not in env and KEY not in env, f"it was given: {env}")
    expect("NoNewPrivs:\t1" in seen(t, "status"), seen(t, "status"))
    numbers = {line.split()[8] for line in seen(t, "fds").splitlines() if "->" in line}
    expect(numbers <= {"0", "1", "2", "3"}, f"descriptors are open: {seen(t, 'fds')}")  # 3: the folder itself
    expect(not seen(t, "environ").strip("\0\n"), f"our environment is read: {seen(t, 'environ')[:300]}")
    expect("->" not in seen(t, "parent-fds"), f"it sees our files: {seen(t, 'parent-fds')}")
    expect(not seen(t, "mem"), "our memory is read")
    expect(not seen(t, "tty"), "it has our terminal")


@case("a tool reads no other process of the user")
def others(t):
    if ctypes.CDLL(None).syscall(LANDLOCK_CREATE_RULESET, None, 0, 1) < LANDLOCK_WITH_SCOPES:
        raise Skip("this Landlock does not know scopes")
    who = as_nobody(t)
    with subprocess.Popen(["sleep", "1000"], env={"OF_ANOTHER": VALUE}, **who) as other:
        t.configure("tools: {spy: {command: [sh, spy.sh], read_only: yes}}\n")
        t.write("spy.sh", f"cat /proc/{other.pid}/environ > other; sh -c 'cat /proc/$PPID/environ' > own; true\n")
        with t.sim("- {calls: [{name: spy}]}\n"):
            done = t.ask("Run it", **as_nobody(t))
        other.kill()
    expect(done.status == 0 and "PATH=" in seen(t, "own"), f"it does not read its own: {done.err}")
    expect(VALUE not in seen(t, "other"), "it reads that of another")


@case("a tool gets the variables that the person names for it")
def named(t):
    t.configure("tools: {spy: {command: [env], read_only: yes, env: [DB_PASS, NOT_SET]}}\n")
    t.env.update({name: VALUE for name in UNGUESSED})
    with t.sim("- {calls: [{name: spy}]}\n"):
        expect(t.ask("Run it").status == 0, "it failed")
    result = str(t.kept()[2])
    expect("DB_PASS=" + VALUE in result and result.count(VALUE) == 1, result)


@case("a project does not say which variables its tools get")
def project(t):
    t.write(".refract.yaml", "tools: {spy: {command: [env], env: [DB_PASS]}}\n")
    t.env["DB_PASS"] = VALUE
    with t.sim("- {calls: [{name: spy}]}\n"):
        done = t.ask("--allow", "spy", "Run it")
    expect("which variables a tool gets" in done.err and VALUE not in done.out, f"{done.out}{done.err}")


@case("a command that prints a key gets what password managers need, and no more")
def key_command(t):
    t.configure("providers: {anthropic: {key_command: 'env > env; ls -l /proc/self/fd > fds; echo " + KEY + "'}}\n")
    given = {"DISPLAY": ":7", "SSH_AUTH_SOCK": "/x", "GPG_TTY": "/dev/pts/9", "BW_SESSION": "s",
             "DBUS_SESSION_BUS_ADDRESS": "unix:path=/x"}
    t.env.update({name: VALUE for name in UNGUESSED}, **given)
    with t.sim("- {text: Hello}\n"):
        expect(t.ask("Hello").status == 0, "it failed")
    env = seen(t, "env").splitlines()
    expect(all(f"{name}={value}" in env for name, value in given.items()), env)
    expect(not any(VALUE in line or "API_KEY" in line for line in env), env)
    for name in ("env", "xdg/refract/config.yaml"):
        (t.folder / name).unlink()


@case("what a shell hands over is still read where nobody may look at us")
def handed_over(t):
    shell = shutil.which("bash")
    if not shell:
        raise Skip("there is no bash")
    t.write("c.json", '{"refract":1,"messages":[{"role":"user","content":"The blue whale"}]}')
    done = subprocess.run(
        [shell, "-c", '"$0" encode -m "$1" <(cat c.json) && "$0" encode -m "$1" /dev/stdin < c.json', t.program, MODEL],
        cwd=t.folder, env=t.env, capture_output=True, check=False, **as_nobody(t))
    expect(done.stdout.count(b"The blue whale") == 2, f"{done.stdout} {done.stderr}")


@rows("a token that an account was given", [("is kept for the next run", (), True),
                                            ("is not kept with --no-save", ("--no-save",), False)])
def token(t, args, kept):
    grant = b'{"access_token":"ya29.given-for-an-hour","expires_in":3599}'
    with Server(response(grant, "HTTP/1.1 200 OK\r\nContent-Type: application/json")) as server:
        account = {"type": "authorized_user", "client_id": "c", "client_secret": "s", "refresh_token": "r",
                   "quota_project_id": "p", "token_uri": server.url + "/token"}
        t.env["GOOGLE_APPLICATION_CREDENTIALS"] = t.write("account.json", json.dumps(account))
        with simulator(t.program, t.env, "-q") as (url, _):
            t.env["VERTEX_BASE_URL"] = url + "/vertex"
            done = t.ask(*args, "Hello", model="vertex:gemini-2.5-flash")
        expect(done.status == 0 and len(server.asked) == 1, f"{done.err} {server.asked}")
    expect(bool(list(t.folder.glob("cache/refract/tokens/*"))) == kept, list(t.folder.rglob("cache/*")))


# A server that repeats the key that it was sent, spelled in some way.


def all_percent(s):
    return "".join(f"%{b:02x}" for b in s.encode())


def escaped(s):
    return "".join(f"\\u{ord(c):04x}" if i % 3 else c for i, c in enumerate(s))


def after(n, encode=base64.b64encode):
    return encode(("x" * n + KEY + " and more").encode()).decode()


# (how, what is sent, what of it must not be seen)
SPELLINGS = [
    ("as it is", KEY, KEY),
    ("percent-encoded", KEY.replace("-", "%2D"), "%2Dto%2Dbe%2Dseen"),
    ("percent-encoded to the last byte", all_percent(KEY), all_percent(KEY)[30:60]),
    ("escaped", escaped(KEY), escaped(KEY)[30:60]),
    *((f"in base64 after {n} bytes", after(n), after(n)[8:36]) for n in range(3)),
    ("in base64 for addresses", after(1, base64.urlsafe_b64encode), after(1, base64.urlsafe_b64encode)[8:36]),
    ("in base64, percent-encoded", all_percent(after(2)), all_percent(after(2))[24:108]),
]
JSON_HEAD = "HTTP/1.1 200 OK\r\nContent-Type: application/json"
BAD_HEAD = "HTTP/1.1 400 Bad Request\r\nContent-Type: application/json"


def in_pieces(words):
    return [words[i:i + 5] for i in range(0, len(words), 5)]


def answers(words):
    """Where a server may say something: (place, arguments of the run, answer)."""
    error = {"type": "error", "error": {"type": "invalid_request_error", "message": f"bad {words} bad"}}
    message = {"id": words, "type": "message", "role": "assistant", "model": words, "stop_reason": "end_turn",
               "content": [{"type": "thinking", "thinking": f"Hm {words}", "signature": words},
                           {"type": "text", "text": f"Say {words} now", "unknown": {"deep": [words]}}],
               "usage": {"input_tokens": 9, "output_tokens": 9}}
    thoughts = [{"type": "thinking_delta", "thinking": p} for p in in_pieces(words)]
    call = [{"type": "input_json_delta", "partial_json": p} for p in in_pieces(json.dumps({"path": words}))]
    return [
        ("a text", (), response(said("Say ", *in_pieces(words), " now"))),
        ("a text that ends with it", (), response(said("Say ", *in_pieces(words)))),
        ("thoughts", (), response(streamed(
            block({"type": "thinking", "thinking": "", "signature": ""}, *thoughts,
                  {"type": "signature_delta", "signature": words}), text("Fine.")))),
        ("a call", (), response(streamed(
            block({"type": "tool_use", "id": words, "name": "read_file", "input": {}}, *call), stop="tool_use"))),
        ("an unknown block", (), response(streamed(block({"type": "new_kind", "data": [words]}), text("Fine.")))),
        ("an answer in one piece", ("--no-stream",), response(json.dumps(message).encode(), JSON_HEAD)),
        ("an error in a stream", (), response(sse(error))),
        ("a refusal", (), response(json.dumps(error).encode(), BAD_HEAD)),
        ("a refusal that is not JSON", (), response(f"<p>{words}</p>".encode(), BAD_HEAD)),
    ]


@rows("a key that a server repeats", SPELLINGS)
def repeated(t, words, unseen):
    for place, args, answer in answers(words):
        for way in ((), ("--json",), ("--stream-json",)):
            with Server(answer, response(said("Fine."))) as server:
                t.move(server.url)
                shown = b"".join(t.start("-m", MODEL, *args, *way, "Hello").communicate(timeout=LIMIT_S)).decode()
            expect(unseen not in shown and KEY not in shown, f"{place}: it is shown: {shown}")
            expect("[redacted]" in shown or place in ("thoughts", "a call", "an unknown block"),
                   f"{place}: nothing was taken out: {shown}")
        expect(unseen.encode() not in t.run("sessions", "show", "last", "--json", "--full").out, f"{place}: it is kept")
    for path in t.folder.rglob("*"):
        expect(not path.is_file() or unseen.encode() not in path.read_bytes(), f"it is in {path}")


@case("what looks like the beginning of a key is shown, to the last letter")
def beginnings(t):
    words = f"Keys begin with {KEY[:20]}, s, sk, c2st, %73 and \\u0073; the end is s"
    with Server(response(said(*in_pieces(words)))) as server:
        t.move(server.url)
        expect(t.ask("Hello").out == words + "\n", "it was changed")
