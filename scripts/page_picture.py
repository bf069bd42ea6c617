#!/usr/bin/env python3
"""The picture of the web page for the docs: page_picture.py REFRACT [--to FILE]

An agent's request with a picture, a PDF and a Word document goes through a gateway to the simulator, and some others
before it; then the page is opened in Chromium (scripts/setup.sh test), and drawn. Needs Pillow (scripts/setup.sh docs).
"""
import argparse
import io
import math
import pathlib
import sys
import tempfile

from PIL import Image, ImageDraw

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.dont_write_bytecode = True
arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
arguments.add_argument("refract")
arguments.add_argument("--to", default=str(ROOT / "docs/page.png"))
ARGS = arguments.parse_args()
sys.argv = [sys.argv[0], ARGS.refract]
sys.path[:0] = [str(ROOT / "tests/page"), str(ROOT / "tests/gateway")]
import harness  # noqa: E402 (they lie with the tests)
from browser import Browser  # noqa: E402

PRICES = """models:
  "anthropic:claude-sonnet-4-5": {limits: {price_input: 3, price_output: 15}}
  "openai:gpt-5.4-mini": {limits: {price_input: 0.25, price_output: 2}}
  "openai-chat:gpt-4o": {limits: {price_input: 2.5, price_output: 10}}
  "google:gemini-3.5-flash": {limits: {price_input: 0.3, price_output: 2.5}}
  "ollama:gemma3": {limits: {price_input: 0.01, price_output: 0.01}}
"""
OTHERS = (("google:gemini-3.5-flash", "claude-cli/2.1"), ("anthropic:claude-sonnet-4-5", "aider/0.9"), ("ollama:gemma3", "codex/1.4"),
          ("openai:gpt-5.4-mini", "gemini-cli/3"), ("ollama:llama3.1", "claude-cli/2.1"), ("google:gemini-3.5-flash", "opencode/2"),
          ("openai-chat:gpt-4o", "codex/1.4"), ("anthropic:claude-sonnet-4-5", "gemini-cli/3"), ("openai:gpt-5.4-mini", "claude-cli/2.1"),
          ("google:gemini-3.5-flash", "aider/0.9"))
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


def landscape(width, height, tint=(0, 0, 0)):
    """Hills before a sky. As large as a camera's picture it has to be made smaller."""
    picture = Image.new("RGB", (width, height))
    draw = ImageDraw.Draw(picture)

    def colour(*rgb):
        return tuple(max(0, min(255, int(c + t))) for c, t in zip(rgb, tint))

    for y in range(height):
        draw.line((0, y, width, y), fill=colour(250 - y * 90 / height, 205 - y * 40 / height, 150 + y * 60 / height))
    scale = width / 4800
    draw.ellipse([scale * n for n in (3300, 500, 3900, 1100)], fill=colour(255, 244, 214))
    for depth in range(5):
        base, size = 1500 + 380 * depth, 520 - 60 * depth
        ridge = [(scale * x, scale * (base - size * abs(math.sin(x / (900 - 120 * depth) + depth)) - 60 * math.sin(x / 170 + depth)))
                 for x in range(0, 4840, 40)]
        draw.polygon([(0, height), *ridge, (width, height)], fill=colour(120 - 22 * depth, 128 - 18 * depth, 160 - 26 * depth))
    out = io.BytesIO()
    picture.save(out, "JPEG", quality=92)
    return out.getvalue()


def ask(g, client, model, text, calls, agent):
    g.ask(client.path(model, True), client.body(model, True, text, calls), user_agent=agent)


def document(mime, data, name):
    return {"type": "document", "title": name, "source": {"type": "base64", "media_type": mime, "data": harness.b64(data)}}


def the_request(g, photo, pdf, docx):
    """An agent that read three files."""
    client = harness.Anthropic()
    names = ("photo.jpg", "report.pdf", "minutes.docx")
    calls = [("read_file", {"path": n}, "", False) for n in names]
    body = client.body("openai-chat:gpt-4o", True, "Read photo.jpg, report.pdf and minutes.docx, and sum them up.", calls)
    body["tools"][0]["name"] = "read_file"
    files = [{"type": "image", "source": {"type": "base64", "media_type": "image/jpeg", "data": harness.b64(photo)}},
             document("application/pdf", pdf, names[1]), document(DOCX, docx, names[2])]
    for result, file in zip(body["messages"][-1]["content"], files):
        result["content"] = [file]
    r, _ = g.ask("/v1/messages", body, user_agent="claude-cli/2.1 (external)")
    return r.headers["x-refract-request-id"]


def main():
    fixtures = ROOT / "tests/fixtures"
    pdf, docx = (fixtures / "report.pdf").read_bytes(), (fixtures / "letter.docx").read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        own = pathlib.Path(folder, "refract")
        own.mkdir()
        (own / "config.yaml").write_text(PRICES, encoding="utf-8")
        with harness.Gateway(env={"XDG_CONFIG_HOME": folder}) as g, Browser(1280, 1080) as b:
            b.size(1280, 1080)
            b.open(f"http://127.0.0.1:{g.port}/")
            b.wait("document.querySelector('.live.live')")
            for i, (client, (model, agent)) in enumerate(zip(harness.CLIENTS * 3, OTHERS)):
                seen = landscape(1200, 800, (40 * (i % 3) - 40, 30 * (i % 4) - 45, 90 - 30 * i))
                ask(g, client, model, "What is in this picture?", [("screenshot", {}, ("image/jpeg", seen), False)], agent)
            ask(g, harness.Chat(), "gpt-nine", "Hello", [], "curl/8.14")
            shown = the_request(g, landscape(4800, 3200), pdf, docx)
            b.wait("document.querySelector(arguments[0] + ' .chip.good')", f"#row-{shown}")
            b.click(f"#row-{shown}")
            b.wait("document.querySelectorAll('.columns img').length > 2 && "
                   "[...document.querySelectorAll('img')].every(i => i.complete && i.naturalWidth)")
            b.picture(ARGS.to)
    print(ARGS.to)


if __name__ == "__main__":
    main()
