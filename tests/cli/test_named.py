#!/usr/bin/env python3
"""Files as a person names them: parts, references, web addresses, the clipboard, passwords. Driven through the program,
with the model in it and a small server on this machine.

    test_named.py PATH-OF-REFRACT

Prints a line a case, then "N passed, N failed"; the status is 1 when one failed.
"""
import base64
import contextlib
import http.server
import json
import os
import pathlib
import re
import signal
import socket
import struct
import subprocess
import sys
import threading
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "terminal"))
from driver import Terminal
from test_ask import FIXTURES, run_cases
from test_cli import expect
from test_read import media_fixtures

CASES = []


def case(name):
    def add(function):
        CASES.append((name, function))
        return function
    return add


@contextlib.contextmanager
def chat(t, *args, **how):
    """A chat in a terminal, ready for the first question; it leaves well."""
    with Terminal([t.program, "chat", "-m", "offline", "--images", "none", *args], cwd=t.folder, columns=110, **how) as tty:
        tty.wait_for("Ctrl-D leaves")
        tty.wait_for(re.compile(r"^>", re.M))
        yield tty
        tty.press("Ctrl-D")
        expect(tty.wait_exit() == 0, "it did not end well")
        tty.check_restored()


# Parts.


@case("lines and members are attached and referred to by the same names")
def _(t):
    t.write("hello.py", "".join(f"line {i}\n" for i in range(1, 61)))
    with zipfile.ZipFile(t.folder / "bundle.zip", "w") as z:
        z.writestr("data.csv", "a,b\n1,2\n")
    done = t.ask("-m", "offline", "-a", "hello.py#L10-12", "-a", "bundle.zip#data.csv", "What?")
    expect(b"line 10" in done.out and b"line 13" not in done.out and b"1,2" in done.out, done.out)
    expect("+ hello.py#L10-12" in done.err and "+ data.csv" in done.err, done.err)
    for name in ("hello.py#L10-12", "bundle.zip#data.csv"):
        done = t.ask("-m", "offline", f"What is in @{name}?")
        expect(f"~ {name.split('#')[0]}" in done.err and f"> read_file {name} " in done.err, done.err)
        expect((b"line 10" in done.out) == ("hello" in name) and b"line 13" not in done.out, done.out)
    done = t.ask("-m", "offline", "-a", "hello.py#lines=3", "What?", status=2)
    expect("lines are named with #L10-40" in done.err, done.err)


@case("a stretch of a film goes as frames, and as sound to a model that hears")
def _(t):
    picture = (FIXTURES / "blue.jpg").read_bytes()
    t.write("clip.avi", media_fixtures.avi([picture] * 6, 8, bytes(range(0, 240, 5)) * 1000))
    done = t.ask("-m", "offline", "-a", "clip.avi#t=2-4", "What?")
    expect(re.findall(r"^\+ clip.avi at (\S+ s)", done.err, re.M) == ["2.0 s", "3.0 s", "4.0 s"], done.err)
    expect(done.out.count(b"image/jpeg 8x8") == 3 and b"audio/wav" in done.out, done.out)


# References.


@case("a mistyped reference gets a line, a folder is one, and a name may have spaces")
def _(t):
    t.write("my report.pdf", (FIXTURES / "report.pdf").read_bytes())
    (t.folder / "docs").mkdir()
    t.write("docs/a.txt", "words\n")
    done = t.ask("-m", "offline", "What is in @plon.png?")
    expect(done.err.startswith("note: there is no file @plon.png. Did you mean plan.png?\n"), done.err)
    done = t.ask("-m", "offline", "What is in plon.png?")
    expect(done.err.startswith("note: there is no file plon.png. Did you mean plan.png?\n"), done.err)
    done = t.ask("-m", "offline", "Make a plan.jpg of plan.png")
    expect("there is no file" not in done.err and "~ plan.png" in done.err, done.err)
    done = t.ask("-m", "offline", "@my report.pdf what is it")
    expect(re.match(r"~ my report.pdf +pdf +567 B: announced", done.err) and "> read_file my report.pdf" in done.err, done.err)
    done = t.ask("-m", "offline", "What is in @docs/?")
    expect(re.match(r"~ docs/ +folder announced; the model may read it\n", done.err), done.err)
    done = t.ask("-m", "offline", "What does @property do, bob@example.com asks? And @app.route(x)?")
    expect(done.err.startswith("="), done.err)


@case("a chat says what was probably meant")
def _(t):
    with chat(t) as tty:
        tty.type("What is in @plon.png?")
        tty.press("Enter")
        tty.wait_for("Did you mean plan.png?")


@case("base_path is where references of a person start, and of nobody else")
def _(t):
    (t.folder / "papers").mkdir()
    t.write("papers/one.txt", "words of the paper\n")
    t.write("xdg/refract/config.yaml", f"references: {{base_path: {t.folder}/papers}}")
    done = t.ask("-m", "offline", "What is in @one.txt?")
    expect("~ one.txt" in done.err and b"words of the paper" in done.out, (done.err, done.out))
    t.write("papers/photo.png", (FIXTURES / "red.png").read_bytes())
    for name in "@photo.png", "photo.png": # marked and bare: the tool opens what was announced
        done = t.ask("-m", "offline", f"What is in {name}?")
        expect("papers/photo.png" in done.err and b"image/png 8x8" in done.out, (name, done.err, done.out))
    done = t.ask("-m", "offline", "What is in @onee.txt?")
    expect("Did you mean one.txt?" in done.err, done.err)
    done = t.ask("-m", "offline", given=b"What is in @one.txt?")
    expect("~" not in done.err and b"words of the paper" not in done.out, (done.err, done.out))
    t.write("xdg/refract/config.yaml", "references: {base_path: papers}")
    t.bad(8, "not a whole path", "config", "check")


@case("models that references are not for are not offered view_image")
def _(t):
    for patterns, offered in (("[offline]", True), ("[claude-*]", False)):
        t.write("xdg/refract/config.yaml", f"references: {{model_requirements: {patterns}}}")
        done = t.ask("-m", "openai-chat:offline", "--no-save", "-n", "What is in it?")
        names = [tool["function"]["name"] for tool in done.json()["tools"]]
        expect(("view_image" in names) == offered and "read_file" in names, names)


# Web addresses.


@contextlib.contextmanager
def server(answers, address="127.0.0.1"):
    """A server that has these: a path is (status, headers, bytes). Yields its address and the paths that were asked for."""
    asked = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            status, headers, body = answers.get(self.path.split("?")[0], (404, {}, b"no such thing"))
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                self.wfile.write(body)

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer((address, 0), Handler) as served:
        threading.Thread(target=served.serve_forever, daemon=True).start()
        try:
            yield f"http://{address}:{served.server_address[1]}", asked
        finally:
            served.shutdown()


@case("an address that a person names is fetched, named, kept and sent; its type is that of its bytes")
def _(t):
    picture = (FIXTURES / "red.png").read_bytes()
    answers = {"/pictures/red%20one.png": (200, {"Content-Type": "text/plain"}, picture),
               "/get": (200, {"Content-Disposition": 'attachment; filename="../two.gif"'},
                        (FIXTURES / "green.gif").read_bytes()),
               "/old.png": (302, {"Location": "/get"}, b""),
               "/report.pdf": (200, {}, (FIXTURES / "report.pdf").read_bytes())}
    t.env["TMPDIR"] = str(t.folder / "tmp")
    os.mkdir(t.env["TMPDIR"])
    with server(answers) as (address, asked):
        done = t.ask("-m", "offline", "-a", address + "/pictures/red%20one.png?key=secret", "-a", address + "/old.png",
                     "-a", address + "/report.pdf#p=1", "What?")
        expect(asked == ["/pictures/red%20one.png?key=secret", "/old.png", "/get", "/report.pdf"], asked)
    expect("+ red one.png" in done.err and "+ two.gif" in done.err and "+ report.pdf" in done.err, done.err)
    expect(b"image/png 8x8" in done.out and b"image/gif 8x8" in done.out, done.out)
    session = t.sessions()[0]["id"]
    media = t.good("sessions", "media", session).out
    expect(b"red one.png" in media and b"two.gif" in media, media)
    done = t.ask("-m", "offline", "-c", "And again?")
    expect(b"image/gif 8x8" in done.out and not os.listdir(t.env["TMPDIR"]), (done.out, os.listdir(t.env["TMPDIR"])))


@case("what cannot be fetched is said, with the address and what to do")
def _(t):
    answers = {"/report.pdf": (200, {"Content-Type": "application/pdf"}, b"<!DOCTYPE html><html><body>Sign in</body></html>"),
               "/large.bin": (200, {}, b"x" * ((50 << 20) + 1)), "/round": (302, {"Location": "/round"}, b""),
               "/away": (302, {"Location": "file:///etc/passwd"}, b""), "/login": (401, {}, b""), "/down": (500, {}, b""),
               "/gone": (410, {}, b"")}
    with socket.socket() as silent, server(answers) as (address, _):
        silent.bind(("127.0.0.1", 0))
        nobody = f"http://127.0.0.1:{silent.getsockname()[1]}/a.png"
        for given, status, words in (
                (address + "/nope.png?key=secret", 4, "/nope.png?...: the server has no such file: it answered with status 404"),
                (address + "/gone", 4, "/gone: the server has no such file: it answered with status 410"),
                (address + "/login", 4, "/login: the server wants a login: it answered with status 401"),
                (address + "/down", 4, "/down: the server did not give the file: it answered with status 500\nhint: Try again"),
                (address + "/away", 4, "/away: the address leads to something that is not fetched\nhint: Only what is at"),
                (address + "/report.pdf", 4, "/report.pdf: the server sent HTML, and no PDF as the address says"),
                (address + "/large.bin", 5, "more than 52428800 bytes"),
                (address + "/round", 4, "leads on and on"), (nobody, 4, "127.0.0.1"),
                ("http://user:word@127.0.0.1/a.png", 2, "user name or a password"),
                ("https://", 2, "not a web address"), ("http:// /", 2, "not a web address")):
            done = t.ask("-m", "offline", "--no-save", "-a", given, "What?", status=status)
            expect(words in done.err and "secret" not in done.err and "word@" not in done.err, done.err)


@case("in a chat an address is attached by command and by paste; one that brings nothing stays as text")
def _(t):
    with server({"/red.png": (200, {}, (FIXTURES / "red.png").read_bytes()),
                 "/green.gif": (200, {}, (FIXTURES / "green.gif").read_bytes())}) as (address, asked), chat(t) as tty:
        tty.type(f"/attach {address}/red.png")
        tty.press("Enter")
        tty.wait_for("with red.png")
        tty.paste(f"{address}/green.gif")
        tty.wait_for("green.gif")
        tty.wait_for(f"{address}/green.gif")
        tty.paste(f"{address}/nope.gif")
        tty.wait_for("it answered with status 404")
        tty.wait_for(f"> {address}/nope.gif")
        expect(asked == ["/red.png", "/green.gif", "/nope.gif"], asked)
        tty.type(" say")
        tty.press("Enter")
        tty.wait_for("I was given image/png 8x8")
        tty.wait_for("image/gif 8x8")


@case("lines that nobody types have nothing fetched")
def _(t):
    with server({"/a.txt": (200, {}, b"fetched words")}) as (address, asked):
        done = t.run("chat", "-m", "offline", "--no-save", given=f"/attach {address}/a.txt\nwell?\n".encode())
        expect(not asked and "where a person types it" in done.err, (asked, done.err))


# The clipboard.


def clipboard(t, script):
    """A program in the place of the desktop's."""
    (t.folder / "bin").mkdir(exist_ok=True)
    program = t.folder / "bin" / "wl-paste"
    program.write_text("#!/bin/sh\n" + script)
    program.chmod(0o755)
    t.env.update(PATH=f"{t.folder}/bin:{os.environ['PATH']}", WAYLAND_DISPLAY="wayland-0")
    t.env.pop("DISPLAY", None)


@case("--clipboard gives its picture along, or else its text, in which nothing is a reference")
def _(t):
    clipboard(t, f'case "$*" in *image/png*) cat "{FIXTURES}/red.png";; esac\n')
    done = t.ask("-m", "offline", "--clipboard", "What?")
    expect(b"image/png 8x8" in done.out and "+ clipboard.png" in done.err, done.err)
    expect(b"clipboard.png" in t.good("sessions", "media", "last").out, "it is not kept")
    clipboard(t, 'case "$*" in *text*) printf "words and @plan.png";; *) exit 1;; esac\n')
    done = t.ask("-m", "offline", "--no-save", "--clipboard", "What?")
    expect(done.err.startswith("+ clipboard.txt") and "announced" not in done.err and b"words and @plan.png" in done.out, done.err)


@case("a clipboard that has nothing, and one that nobody gives")
def _(t):
    clipboard(t, "exit 1\n")
    done = t.ask("-m", "offline", "--no-save", "--clipboard", "What?", status=6)
    expect("no picture and no text" in done.err, done.err)
    t.env["PATH"] = str(t.folder / "nowhere")
    done = t.ask("-m", "offline", "--no-save", "--clipboard", "What?", status=8)
    expect("Install wl-clipboard (Wayland) or xclip (X11)." in done.err, done.err)


# Passwords.


@case("an encrypted file is opened with --password-file, and goes without its encryption")
def _(t):
    t.write("locked.pdf", media_fixtures.locked_pdf(b"Nobody else reads this.", b"open sesame"))
    t.write("right", "open sesame\n")
    t.write("wrong", "close sesame\n")
    for given, words in ((), "a password is needed"), (("--password-file", "wrong"), "the password does not open"):
        done = t.ask("-m", "offline", *given, "-a", "locked.pdf", "What?", status=6)
        expect(words in done.err and "--password-file" in done.err, done.err)
    for name in ("locked.pdf", "locked.pdf#p=1"):
        done = t.ask("-m", "offline", "--password-file", "right", "-a", name, "What?")
        expect(done.err.startswith("+ locked.pdf") and b"application/pdf" in done.out, (done.err, done.out))
    done = t.ask("-m", "offline", "-c", "And again?")
    expect(b"application/pdf" in done.out, done.out)
    done = t.ask("-m", "offline", "--password-file", "-", "What is in @locked.pdf?", given=b"open sesame\n")
    expect(b"Nobody else reads this." in done.out and b"application/pdf" in done.out, (done.err, done.out))
    expect(re.search(r"^\+ locked.pdf +pdf", done.err, re.M) and "encrypted" not in done.err, done.err)
    text = t.good("read", "--no-cache", "--password-file", "right", "locked.pdf").out
    expect(b"Nobody else reads this." in text, text)


@case("of an encrypted letter the text goes")
def _(t):
    t.write("locked.odt", media_fixtures.locked_odt("Nobody else reads this.", b"open sesame"))
    t.write("right", "open sesame\n")
    t.write("wrong", "close sesame\n")
    for given, words in ((), "the document is encrypted"), (("--password-file", "wrong"), "the password does not open"):
        done = t.ask("-m", "offline", *given, "-a", "locked.odt", "What?", status=6)
        expect(words in done.err and "--password-file" in done.err, done.err)
    done = t.ask("-m", "offline", "--password-file", "right", "-a", "locked.odt", "What?")
    expect(done.err.startswith("+ locked.odt") and b"Nobody else reads this." in done.out, (done.err, done.out))


@case("a file that needs no password is read without one, and kept as ever")
def _(t):
    t.write("report.pdf", (FIXTURES / "report.pdf").read_bytes())
    t.write("right", "open sesame\n")
    kept = []
    for name, given in ("without", ()), ("with", ("--password-file", "right")):
        t.env["XDG_CACHE_HOME"] = str(t.folder / name)
        done = t.ask("-m", "offline", "--no-save", *given, "What is in @report.pdf?")
        expect("> read_file report.pdf" in done.err and "failed" not in done.err, done.err)
        kept.append(sorted(str(p.relative_to(t.folder / name)) for p in (t.folder / name).rglob("*") if p.is_file()))
    expect(kept[0] and kept[0] == kept[1], kept)


@case("a chat asks for the password of an encrypted file, and shows nothing of it")
def _(t):
    t.write("locked.pdf", media_fixtures.locked_pdf(b"Nobody else reads this.", b"open sesame"))
    with chat(t) as tty:
        for key in "Enter", "Escape", "Ctrl-C":
            tty.type("/attach locked.pdf")
            tty.press("Enter")
            tty.wait_for("password of locked.pdf (not shown")
            tty.press(key)
            tty.wait_for("locked.pdf stays closed")
            tty.press("Ctrl-L")
            tty.wait_gone("stays closed")
        tty.paste(f"{t.folder}/locked.pdf")
        for _ in range(2):
            tty.wait_for("password of locked.pdf (not shown")
            tty.type("wrong")
            tty.press("Enter")
            tty.wait_for("the password does not open the document; try again")
        tty.wait_for("password of locked.pdf (not shown")
        tty.type("wrong\rwrong again")
        tty.wait_for("hint: /attach FILE asks for the password")
        expect("a chat asks for it" not in tty.everything(), tty.picture())
        tty.paste(f"{t.folder}/locked.pdf")
        tty.wait_for("password of locked.pdf (not shown")
        tty.type("wrong\ropen sesame\r")
        tty.wait_for("with locked.pdf")
        tty.press("Ctrl-C")
        tty.wait_for("no file goes along any more")
        tty.paste(f"{t.folder}/locked.pdf")
        tty.wait_for("password of locked.pdf (not shown")
        tty.paste("open sesame")
        tty.press("Enter")
        tty.wait_for("with locked.pdf")
        tty.type("say")
        tty.press("Enter")
        tty.wait_for("I was given application/pdf")
        expect("sesame" not in tty.everything() and "wrong" not in tty.everything(), tty.picture())


@case("so does one on a terminal that nothing is drawn on, and one without a terminal says what takes it")
def _(t):
    t.write("locked.pdf", media_fixtures.locked_pdf(b"Nobody else reads this.", b"open sesame"))
    with Terminal([t.program, "chat", "-m", "offline"], cwd=t.folder, columns=110, plays="dumb") as tty:
        tty.wait_for(">")
        tty.type("/attach locked.pdf\r")
        tty.wait_for("password of locked.pdf (not shown):")
        tty.press("Ctrl-C")
        tty.wait_for("locked.pdf stays closed")
        tty.type("/attach locked.pdf\r")
        tty.wait_until(lambda: tty.everything().count("(not shown)") == 2)
        tty.type("wrong\r")
        tty.wait_for("the password does not open the document; try again")
        tty.wait_until(lambda: tty.everything().count("(not shown)") == 3)
        tty.type("open sesame\r")
        tty.wait_until(lambda: tty.everything().count("\n>") == 2)
        tty.type("say\r")
        tty.wait_for("I was given application/pdf")
        expect("sesame" not in tty.everything() and "wrong" not in tty.everything(), tty.picture())
        tty.press("Ctrl-D")
        expect(tty.wait_exit() == 0, "it did not end well")
        tty.check_restored()
    with Terminal([t.program, "chat", "-m", "offline"], cwd=t.folder, columns=110, plays="dumb") as tty:
        tty.wait_for(">")
        tty.type("/attach locked.pdf\r")
        tty.wait_for("password of locked.pdf (not shown):")
        tty.process.terminate()
        expect(tty.wait_exit() == 128 + signal.SIGTERM, "it did not end by the signal")
        tty.check_restored()
    done = t.run("chat", "-m", "offline", given=b"/attach locked.pdf\n")
    expect("a password is needed" in done.err and "/attach in a chat on a terminal asks for it." in done.err, done.err)


@case("a person is told what opens an encrypted file that a model wants, and the model asks for no password")
def _(t):
    t.write("locked.pdf", media_fixtures.locked_pdf(b"Nobody else reads this.", b"open sesame"))
    done = t.ask("-m", "offline", "What is in @locked.pdf?")
    expect("encrypted, " in done.err and re.search(r"^hint: .*--password-file", done.err, re.M), done.err)
    expect(b"Give the password" not in done.out and b"Do not ask for its password" in done.out, done.out)
    with chat(t) as tty:
        tty.type("What is in @locked.pdf?")
        tty.press("Enter")
        tty.wait_for("hint: /attach locked.pdf asks for the password, and shows nothing of it")


@case("of pages of an encrypted file that are not all there none goes along")
def _(t):
    t.write("locked.pdf", media_fixtures.locked_pdf(b"Nobody else reads this.", b"open sesame"))
    with chat(t) as tty:
        tty.type("/attach locked.pdf#p=1,9")
        tty.press("Enter")
        tty.wait_for("password of locked.pdf#p=1,9 (not shown")
        tty.type("open sesame")
        tty.press("Enter")
        tty.wait_for("locked.pdf: the document ends with page 1")
        tty.type("say")
        tty.press("Enter")
        tty.wait_for("I was given")
        expect("application/pdf" not in tty.everything(), tty.picture())


# What is said in them.


SRT = "1\n00:00:01,000 --> 00:00:04,200\nGood morning\nto you.\n\n2\n00:01:05,500 --> 00:01:06,000\nGoodbye.\n"


def transcriber(t, script, more=""):
    program = t.folder / "hear"
    program.write_text("#!/bin/sh\n" + script)
    program.chmod(0o755)
    t.write("xdg/refract/config.yaml", f"transcribe: {{command: [{program}, --as, srt]{more}}}")


def heard(t, *args, model="anthropic:claude-sonnet-5"):
    """The request that would be sent, and the lines."""
    done = t.ask("-m", model, "--no-save", "-n", *args, "What is said?")
    return done.out.decode(), done.err


@case("a recording goes as a transcript to a model that does not hear, with times, and is kept")
def _(t):
    t.write("talk.wav", (FIXTURES / "tone.wav").read_bytes())
    t.write("said.srt", SRT)
    transcriber(t, f'echo "$#:$1:$2:${{3##*/}}" >>"{t.folder}/runs"; env >"{t.folder}/env"; cmp -s "$3" "{t.folder}/talk.wav" && cat "{t.folder}/said.srt"\n')
    t.env["ANTHROPIC_API_KEY"] = "sk-secret"
    for _ in range(2):
        out, err = heard(t, "-a", "talk.wav")
        expect("[0:01] Good morning to you.\\n[1:05] Goodbye." in out and "-->" not in out, out)
        expect(re.match(r"! talk.wav +audio +as transcript by hear, .*lost: the sound", err), err)
    expect((t.folder / "runs").read_text() == "3:--as:srt:recording.wav\n", "it ran once, on a copy")
    t.write("said.vtt", "WEBVTT\n\n00:01.000 --> 00:02.000\nHi.\n\n01:00:02.000 --> 01:00:03.000 align:start\nBye.\n")
    transcriber(t, f'cat "{t.folder}/said.vtt"\n', ", timeout_s: 77")
    expect("[0:01] Hi.\\n[60:02] Bye." in heard(t, "-a", "talk.wav")[0], heard(t, "-a", "talk.wav")[0])
    transcriber(t, "echo Only words.\n", ", timeout_s: 78")
    expect("Only words." in heard(t, "-a", "talk.wav")[0], "text as it is")
    expect("sk-secret" not in (t.folder / "env").read_text(), "it has the key")
    out, err = heard(t, "-a", "talk.wav", model="google:gemini-3.5-flash")
    expect(err.startswith("+ talk.wav") and "Good morning" not in out, err)
    line = json.loads(t.good("deliveries", "--json", "-m", "anthropic:claude-sonnet-5", "talk.wav").out)
    expect(line["form"] == "transcript" and line["as"] == "a transcript by hear and a note" and line["lost"] == ["the sound"], line)


@case("of a film that goes as frames, what is said goes along")
def _(t):
    picture = (FIXTURES / "blue.jpg").read_bytes()
    t.write("clip.avi", media_fixtures.avi([picture] * 6, 8, bytes(range(0, 240, 5)) * 1000))
    t.write("mute.mp4", (FIXTURES / "clip.mp4").read_bytes())
    t.env["ANTHROPIC_API_KEY"] = "sk-secret"
    transcriber(t, f'echo >>"{t.folder}/runs"; cat "{t.write("said.srt", SRT)}"\n')
    out, err = heard(t, "-a", "clip.avi", "-a", "mute.mp4")
    expect('[Transcript of \\"clip.avi\\" by hear]\\n[0:01] Good morning to you.\\n[1:05] Goodbye.' in out, out)
    expect(out.count("[Transcript of") == 1 and out.count("image/jpeg") == 6, out)
    expect(re.search(r"clip.avi +video .*5 x 8x8 jpeg and a transcript by hear, .*lost: .*sound but for what is said", err), err)
    expect((t.folder / "runs").read_text() == "\n", "it ran once, and not for a film without sound")
    line = json.loads(t.good("deliveries", "--json", "-m", "anthropic:claude-sonnet-5", "clip.avi").out)
    expect(line["form"] == "frames" and line["as"] == "image/jpeg x 5 frames and a transcript by hear", line)
    transcriber(t, "exit 3\n", ", timeout_s: 79")
    out, err = heard(t, "-a", "clip.avi")
    expect("[Transcript of" not in out and "lost: all but 5 frames, sound\n" in err, err)
    out, err = heard(t, "-a", "clip.avi", model="google:gemini-3.5-flash")
    expect("frames" not in err, "a film goes as it is")


@case("what cannot be transcribed is a note that says why")
def _(t):
    t.write("talk.wav", (FIXTURES / "tone.wav").read_bytes())
    for script, more, words in (("echo no model >&2; exit 3\n", "", "it failed with status 3: no model"),
                                ("exit 0\n", "", "it printed nothing"), ("sleep 60\n", ", timeout_s: 1", "longer than 1 seconds"),
                                ("yes | head -c 3000000\n", "", "more than 1 MiB"), ("printf '\\377'\n", "", "not UTF-8")):
        transcriber(t, script, more)
        out, err = heard(t, "-a", "talk.wav")
        expect(err.startswith("x talk.wav") or err.startswith("! talk.wav"), err)
        expect(f'"hear" did not transcribe it: {words}' in err or words in err, err)
        expect(words in out, out)
    transcriber(t, "echo words\n", ", timeout_s: 1")
    expect("longer than 1 seconds" in heard(t, "-a", "talk.wav")[1], "it was waited for again")
    transcriber(t, "echo words\n", ", timeout_s: 100")
    expect("as transcript by hear" in heard(t, "-a", "talk.wav")[1], "it was given no more time")
    t.write("xdg/refract/config.yaml", "transcribe: {command: [/nowhere/hear]}")
    expect("could not be started" in heard(t, "-a", "talk.wav")[1], "not there")
    t.write("xdg/refract/config.yaml", "{}")
    for words in heard(t, "-a", "talk.wav"):
        expect("and no transcribe command is configured" in words, words)
    text = json.dumps(called_by_host(t, "claude-code", "talk.wav")["content"])
    expect("and no transcribe command is configured" in text, text)


@case("a project's file does not say what transcribes")
def _(t):
    t.write(".refract.yaml", "transcribe: {command: [hear]}")
    t.bad(8, "a project's file cannot say what runs to transcribe sound", "config", "check")
    os.unlink(t.folder / ".refract.yaml")
    t.write("xdg/refract/config.yaml", "transcribe: {command: hear}")
    t.bad(8, "is not a command", "config", "check")


# What becomes of them.


@case("deliveries shows what each model would get: where, as what, what is lost, tokens and price")
def _(t):
    t.write("red.png", (FIXTURES / "red.png").read_bytes())
    t.write("clip.mp4", (FIXTURES / "clip.mp4").read_bytes())
    t.write("notes.txt", "words\n")
    t.write("xdg/refract/config.yaml",
            "models: {priced: {provider: anthropic, model: claude-sonnet-5, limits: {price_input: 3}}}")
    t.env["COLUMNS"] = "200"
    text = t.good("deliveries", "-m", "priced", "-m", "ollama:llama3.1", "red.png", "clip.mp4", "notes.txt").out.decode()
    first, second = text.split("\n\n")
    expect(re.match(r"anthropic:claude-sonnet-5: ~\d+ tokens?, <?\$0\.\d{4}\n", first), first)
    expect(re.search(r"^  red.png +native +original +PNG image +~\d+ tokens?, (<)?\$0.00", first, re.M), first)
    expect(re.search(r"^  clip.mp4 +(native|fallback) +frames .*\n +lost: all but 1 frame", first, re.M), first)
    expect(re.search(r"^  notes.txt +\S+ +original +\S.*~\d+ tokens?", first, re.M), first)
    expect(re.search(r"^  red.png +text +note .*\n +lost: .*; ollama:llama3.1 takes no PNG images$", second, re.M), second)
    lines = [json.loads(line) for line in t.good("deliveries", "--json", "-m", "priced", "red.png", "clip.mp4").out.splitlines()]
    expect([(x["model"], x["name"], x["delivery"], x["form"]) for x in lines][0] ==
           ("anthropic:claude-sonnet-5", "red.png", "native", "original"), lines)
    expect(lines[0]["price"] == lines[0]["tokens"] * 3 / 1e6 and lines[1]["lost"] == ["all but 1 frame"], lines)


@case("deliveries takes standard input as a file, more than once, and leaves nothing of it")
def _(t):
    t.env["TMPDIR"] = t.write("tmp/of-others", "").rsplit("/", 1)[0]
    done = t.good("deliveries", "--json", "-m", "anthropic:claude-sonnet-5", "-m", "mcp:claude-code", "-m", "ollama:nobody-knows", "-", "-#p=1",
                  given=(FIXTURES / "report.pdf").read_bytes())
    lines = [json.loads(line) for line in done.out.splitlines()]
    expect([(x["model"], x["name"]) for x in lines] == [(m, "stdin") for m in ("anthropic:claude-sonnet-5", "mcp:claude-code", "ollama:nobody-knows") for _ in "ab"], lines)
    expect([x.get("model_known") for x in lines] == [None, None, None, None, False, False], lines)
    expect(os.listdir(t.env["TMPDIR"]) == ["of-others"], os.listdir(t.env["TMPDIR"]))


@case("a host of MCP tools gets a file as one result, pictures for what it cannot show, and is never asked")
def _(t):
    for name in ("report.pdf", "tone.mp3"):
        t.write(name, (FIXTURES / name).read_bytes())
    text = t.good("deliveries", "-m", "mcp:claude-code", "report.pdf", "tone.mp3").out.decode()
    expect(text.count("mcp:claude-code: ~") == 2, text)
    expect("page_images" in text and "PNG image x 1 page" in text and "mcp:claude-code takes no MP3 sound" in text, text)
    lines = [json.loads(line) for line in
             t.good("deliveries", "--json", "-m", "mcp:gemini-cli", "report.pdf", "tone.mp3").out.splitlines()]
    expect([line["delivery"] for line in lines] == ["native", "text"], lines)
    line = "the quick brown fox jumps over the lazy dog, and runs on"
    t.write("long.pdf", media_fixtures.long_pdf([[f"{page}.{i}: {line}".encode() for i in range(40)] for page in range(30)]))
    t.write("long.txt", f"{line}\n" * 3000)
    lines = [json.loads(line) for line in
             t.good("deliveries", "--json", "-m", "mcp:claude-code", "long.pdf", "long.txt").out.splitlines()]
    expect(lines[0]["as"] == "image/png x 6 pages" and not lines[0]["lost"], lines)
    expect(lines[1]["form"] == "original" and 20000 < lines[1]["bytes"] < 40960, lines)
    text = t.good("mcp", "--doctor", "claude-code", "long.pdf", "tone.mp3").out.decode()
    first, second = text.split("\n\n")
    expect("long.pdf for claude-code:" in first and "  long.pdf  native    page_images " in first, text)
    expect("  tone.mp3  text      note " in second and "lost: all of it; mcp:claude-code takes no MP3" in second, text)
    blocks = re.findall(r"^ +(\d+)  (text|image)  (?:(image/\w+), \d+x\d+ pixels, )?[\d,]+ bytes(?=\n +(.*))", first, re.M)
    expect([int(number) for number, *_ in blocks] == list(range(1, 16)), text)
    expect(blocks[0][3].startswith("Pages 1-6 of 30. Use page_start=6") and blocks[2][3] == "[Its text:]", text)
    expect([kind for _, kind, *_ in blocks[3:]] == ["text", "image"] * 6 and blocks[4][2] == "image/png", text)
    sums = re.search(r"^  ([\d,]+) bytes, at most 921,600; ([\d,]+) bytes of text, at most 40,960$", first, re.M)
    expect(sums and int(sums[1].replace(",", "")) < 921600 and int(sums[2].replace(",", "")) < 40960, text)
    t.bad(2, "--doctor needs to know which files", "mcp", "--doctor", "codex")
    t.bad(2, 'mcp does not know "long.txt"', "mcp", "long.txt")
    t.bad(2, '"mcp:codex" is a host: it is given the results of tools, and cannot be asked', "ask", "-m", "mcp:codex", "Hi")


def called_by_host(t, host, file, *options):
    """What the server gives a host that calls read_file."""
    asked = [{"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {},
                                                          "clientInfo": {"name": host, "version": "1"}}},
             {"method": "notifications/initialized"},
             {"id": 2, "method": "tools/call", "params": {"name": "read_file", "arguments": {"file_path": str(file)}}}]
    given = "".join(json.dumps({"jsonrpc": "2.0", **message}) + "\n" for message in asked).encode()
    return json.loads(t.good("mcp", *options, given=given).out.splitlines()[1])["result"]


@case("mcp --doctor shows what the server itself gives the host, goes on after a bad file, and knows --json")
def _(t):
    inside = t.folder / "inside"
    inside.mkdir()
    for name in ("report.pdf", "tone.mp3"):
        (inside / name).write_bytes((FIXTURES / name).read_bytes())
    (inside / "long.txt").write_text("the quick brown fox\n" * 9000)
    t.write("outside.txt", "not for hosts\n")
    files = ["inside/report.pdf", "inside/no.pdf", "outside.txt", "inside/tone.mp3", "inside/long.txt", "inside"]
    done = t.run("mcp", "--root", "inside", "--json", "--doctor", "codex", *files)
    expect(done.status == 1, done)
    lines = [json.loads(line) for line in done.out.splitlines()]
    expect([(x["file"], x["host"], x["failed"]) for x in lines] ==
           [(file, "codex", i in (1, 2)) for i, file in enumerate(files)], lines)
    for x in lines:
        got = called_by_host(t, "codex", t.folder / x["file"], "--root", "inside")
        expect(x["failed"] == got["isError"] and x["max_text_bytes"] == 11264, x)
        expect([(b["type"], b.get("text"), b.get("media_type")) for b in x["blocks"]] ==
               [(b["type"], b.get("text"), b.get("mimeType")) for b in got["content"]], "the server sends other blocks")
        expect(x["text_bytes"] == sum(len(b.get("text", "").encode()) for b in got["content"]), x)
        for mine, its in zip(x["blocks"], got["content"]):
            data = base64.b64decode(its.get("data", ""))
            expect("data" not in its or (mine["bytes"], mine["width"], mine["height"]) ==
                   (len(data), *struct.unpack(">II", data[16:24])), mine)
    expect(lines[3]["deliveries"][0]["lost"] == ["all of it"] and not lines[4]["deliveries"], lines)
    text = subprocess.run([t.program, "mcp", "--root", "inside", "--doctor", "codex", "inside/no.pdf", "inside/tone.mp3"],
                          capture_output=True, text=True, env=t.env, cwd=t.folder)
    expect(text.returncode == 1 and "inside/no.pdf for codex: the tool read_file fails\n" in text.stdout and
           "inside/tone.mp3 for codex:\n" in text.stdout, text)


@case("a host that is not known is taken for any other, and the one that was meant is named")
def _(t):
    t.write("a.txt", "hello\n")
    for host, hint in (("claudecode", "Did you mean claude-code? Known are claude-code, "),
                       ("nobody", "Known are claude-code, ")):
        err = t.good("mcp", "--doctor", host, "a.txt").err
        expect(f'nothing is known of a host "{host}"' in err and f"hint: {hint}" in err, err)
        t.bad(2, f"hint: {hint}", "mcp", "--host", host)


@case("deliveries says of an archive and of an empty file what goes of them, and of a text that it all goes")
def _(t):
    with zipfile.ZipFile(t.folder / "b.zip", "w") as z:
        z.writestr("a.txt", "hello\n")
    t.write("empty.txt", b"")
    t.write("a.txt", "words\n")
    t.write("red.png", (FIXTURES / "red.png").read_bytes())
    text = t.good("deliveries", "-m", "ollama:llama3.1", "b.zip", "empty.txt", "a.txt", "red.png").out.decode()
    rows = re.split(r"^  (?=\w)", text, flags=re.M)[1:]
    expect("lost: all but its text; no API takes" in rows[0] and "lost: all of it; the file is empty" in rows[1], text)
    expect("takes no" not in rows[2] and "its description and a note" in rows[3] and "text_fallback" not in text, text)
    expect("~1 tokens" not in t.good("deliveries", "red.png").out.decode(), "one token is one")


@case("deliveries without a model shows eight; what is wrong has its status")
def _(t):
    out = t.good("deliveries", str(FIXTURES / "red.png")).out.decode()
    expect(len(out.split("\n\n")) == 8 and out.startswith("anthropic:claude-sonnet-5: "), out)
    t.bad(2, "which files", "deliveries")
    t.bad(6, "no such file", "deliveries", "nope.png")
    t.bad(2, "unknown provider", "deliveries", "-m", "nobody:x", "plan.png")


if __name__ == "__main__":
    sys.exit(run_cases(CASES))
