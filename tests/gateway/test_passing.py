#!/usr/bin/env python3
"""refract serve: what passes as it is costs no worker, and what needs one still gets it. harness.py says how it is
run."""
import re

import harness
from harness import CLIENTS, PDF, PNG, Gateway, b64, case, converse, expect, shared
import media_fixtures

CHAT = "openai-chat:gpt-4o"
LARGE = PNG + bytes(1 << 20)  # what follows the end of a picture is not looked at; a thread translates it


def send(g, media_type, data, model=CHAT):
    """The upstream's body, for a file that a tool returned to a client of Messages."""
    return converse(g, CLIENTS[0], model, False, calls=[("look", {}, (media_type, data), False)])[2]


def named(body):
    return re.findall(r"att_[0-9a-f]{12}\b", body)


@case("a picture passes without a worker, small and large")
def _():
    with Gateway(env={"REFRACT_WORKERS": "/nonexistent"}) as g:
        for picture in (PNG, LARGE):
            expect(b64(picture) in send(g, "image/png", picture).replace("\\/", "/"), len(picture))


@case("a file in a small body that a worker has to read is read")
def _():
    body = send(shared(), "application/pdf", PDF, "cohere:command-a-plus-05-2026")
    expect(b64(PDF) not in body and "Page 1 of 1" in body, body)


@case("a picture has the same name in every request, and another one another")
def _():
    g = shared()
    first, again = named(send(g, "image/png", PNG)), named(send(g, "image/png", PNG))
    other = named(send(g, "image/png", media_fixtures.png(64, (1, 2, 3))))
    expect(first and other, (first, other))
    expect(first == again and not set(first) & set(other), (first, again, other))


if __name__ == "__main__":
    harness.main()
