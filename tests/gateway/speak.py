"""What clients of each API send: one conversation, written in the words of each.

A conversation is a list of turns, each a tuple that begins with who speaks:

    ("user", part...)             a part is a text, or a Media
    ("model", Said)
    ("results", Result...)        of the calls of the model before

and a Request says with which tools, choice, thinking and system prompt it is asked.
"""
import base64
import dataclasses
import json


def b64(data):
    return base64.b64encode(data).decode()


@dataclasses.dataclass
class Media:
    mime: str
    data: bytes
    name: str = "file"

    def url(self):
        return f"data:{self.mime};base64,{b64(self.data)}"


@dataclasses.dataclass
class Call:
    id: str
    name: str
    arguments: dict


@dataclasses.dataclass
class Result:
    call: Call
    parts: list
    failed: bool = False


@dataclasses.dataclass
class Said:
    text: str = ""
    calls: list = dataclasses.field(default_factory=list)
    thought: str = ""
    mark: str = ""  # the signature of the thought, or its encrypted form
    marks: list = dataclasses.field(default_factory=list)  # of the calls
    details: list = dataclasses.field(default_factory=list)  # of the thought, as chat completions have them


@dataclasses.dataclass
class Request:
    turns: list
    tools: list = dataclasses.field(default_factory=lambda: ["look", "listen"])
    choice: str = ""  # "auto", "none", "required", or a tool's name
    system: str = ""
    thinks: bool = False
    cached: bool = False  # Anthropic's marks, where the API has them
    most: int = 0


SCHEMA = {"type": "object", "properties": {"at": {"type": "string"}}}


class Messages:
    name = "anthropic"
    tells_failures = keeps_marks = True
    odd_ids = ("toolu_" + "a" * 58, "toolu_-_-" + "b" * 50)  # long, as far as this API takes them

    def part(self, part):
        if isinstance(part, str):
            return {"type": "text", "text": part}
        kind = "image" if part.mime.startswith("image/") else "document"
        return {"type": kind, "source": {"type": "base64", "media_type": part.mime, "data": b64(part.data)}}

    def said(self, s):
        blocks = [{"type": "thinking", "thinking": s.thought, "signature": s.mark}] if s.mark else []
        blocks += [{"type": "text", "text": s.text}] if s.text else []
        return blocks + [{"type": "tool_use", "id": c.id, "name": c.name, "input": c.arguments} for c in s.calls]

    def result(self, r):
        return {"type": "tool_result", "tool_use_id": r.call.id, "content": [self.part(p) for p in r.parts],
                "is_error": r.failed}

    def message(self, who, *what):
        if who == "model":
            return {"role": "assistant", "content": self.said(what[0])}
        write = self.part if who == "user" else self.result
        return {"role": "user", "content": [write(p) for p in what]}

    def body(self, model, stream, request):
        body = {"model": model, "max_tokens": request.most or 4000, "stream": stream,
                "messages": [self.message(*turn) for turn in request.turns]}
        if request.tools:
            body["tools"] = [{"name": t, "description": f"To {t}", "input_schema": SCHEMA} for t in request.tools]
        if request.choice:
            words = {"auto": "auto", "none": "none", "required": "any"}
            kind = words.get(request.choice, "tool")
            body["tool_choice"] = {"type": kind, **({"name": request.choice} if kind == "tool" else {})}
        if request.system:
            body["system"] = [{"type": "text", "text": request.system}]
        if request.thinks:
            body["thinking"] = {"type": "enabled", "budget_tokens": 2000}
        if request.cached:
            for marked in (body["system"][-1], body["tools"][-1], body["messages"][-1]["content"][-1]):
                marked["cache_control"] = {"type": "ephemeral"}
        return body


class Chat:
    name = "openai-chat"
    tells_failures = keeps_marks = False
    odd_ids = ("functions.look:0", "functions.look:1")  # as some models make them

    def part(self, part):
        if isinstance(part, str):
            return {"type": "text", "text": part}
        if part.mime.startswith("image/"):
            return {"type": "image_url", "image_url": {"url": part.url()}}
        if part.mime.startswith("audio/"):
            return {"type": "input_audio", "input_audio": {"data": b64(part.data), "format": part.mime[6:]}}
        return {"type": "file", "file": {"filename": part.name, "file_data": part.url()}}

    def call(self, c):
        return {"id": c.id, "type": "function", "function": {"name": c.name, "arguments": json.dumps(c.arguments)}}

    def messages(self, who, *what):
        if who == "results":
            return [{"role": "tool", "tool_call_id": r.call.id, "content": [self.part(p) for p in r.parts]}
                    for r in what]
        if who == "user":
            return [{"role": "user", "content": [self.part(p) for p in what]}]
        message = {"role": "assistant", "content": what[0].text or None}
        if what[0].details:
            message |= {"reasoning_content": what[0].thought, "reasoning_details": what[0].details}
        if what[0].calls:
            message["tool_calls"] = [self.call(c) for c in what[0].calls]
        return [message]

    def body(self, model, stream, request):
        body = {"model": model, "stream": stream, "messages": []}
        if stream:  # without it a stream that passes does not tell of its tokens
            body["stream_options"] = {"include_usage": True}
        if request.system:
            body["messages"].append({"role": "system", "content": request.system})
        for turn in request.turns:
            body["messages"] += self.messages(*turn)
        if request.tools:
            body["tools"] = [{"type": "function", "function": {"name": t, "description": f"To {t}",
                                                               "parameters": SCHEMA}} for t in request.tools]
        if request.choice:
            plain = request.choice in ("auto", "none", "required")
            body["tool_choice"] = request.choice if plain else {"type": "function", "function": {
                "name": request.choice}}
        if request.thinks:
            body["reasoning_effort"] = "medium"
        if request.most:
            body["max_completion_tokens"] = request.most
        return body


class Responses:
    name = "openai-responses"
    tells_failures, keeps_marks = False, True
    odd_ids = ("call|one/é", "call|two/é")

    def part(self, part):
        if isinstance(part, str):
            return {"type": "input_text", "text": part}
        if part.mime.startswith("image/"):
            return {"type": "input_image", "image_url": part.url()}
        return {"type": "input_file", "filename": part.name, "file_data": part.url()}

    def items(self, who, *what):
        if who == "user":
            return [{"role": "user", "content": [self.part(p) for p in what]}]
        if who == "results":
            return [{"type": "function_call_output", "call_id": r.call.id, "output": [self.part(p) for p in r.parts]}
                    for r in what]
        said, = what
        items = []
        if said.mark:
            items.append({"type": "reasoning", "id": "rs_1", "encrypted_content": said.mark,
                          "summary": [{"type": "summary_text", "text": said.thought}]})
        if said.text:
            items.append({"role": "assistant", "content": [{"type": "output_text", "text": said.text}]})
        return items + [{"type": "function_call", "call_id": c.id, "name": c.name,
                         "arguments": json.dumps(c.arguments)} for c in said.calls]

    def body(self, model, stream, request):
        body = {"model": model, "stream": stream, "store": False,
                "input": [item for turn in request.turns for item in self.items(*turn)]}
        if request.system:
            body["instructions"] = request.system
        if request.tools:
            body["tools"] = [{"type": "function", "name": t, "description": f"To {t}", "parameters": SCHEMA,
                              "strict": False} for t in request.tools]
        if request.choice:
            plain = request.choice in ("auto", "none", "required")
            body["tool_choice"] = request.choice if plain else {"type": "function", "name": request.choice}
        if request.thinks:
            body |= {"reasoning": {"effort": "medium", "summary": "auto"}, "include": ["reasoning.encrypted_content"]}
        if request.most:
            body["max_output_tokens"] = request.most
        return body


class Gemini:
    name = "gemini"
    tells_failures = keeps_marks = True
    odd_ids = ("look at: left?", "look at: right?")

    def part(self, part):
        return {"text": part} if isinstance(part, str) else {"inlineData": {"mimeType": part.mime,
                                                                            "data": b64(part.data)}}

    def result(self, r):
        texts = [p for p in r.parts if isinstance(p, str)]
        answer = {"id": r.call.id, "name": r.call.name,
                  "response": {"error" if r.failed else "output": "\n".join(texts)} if texts else {}}
        media = [self.part(p) for p in r.parts if not isinstance(p, str)]
        return {"functionResponse": {**answer, "parts": media} if media else answer}

    def said(self, s):
        parts = [{"text": s.thought, "thought": True}] if s.thought else []
        if s.mark:
            parts[0]["thoughtSignature"] = s.mark
        parts += [{"text": s.text}] if s.text else []
        calls = [{"functionCall": {"id": c.id, "name": c.name, "args": c.arguments}} for c in s.calls]
        for call, mark in zip(calls, s.marks):
            call |= {"thoughtSignature": mark} if mark else {}
        return parts + calls

    def content(self, who, *what):
        if who == "model":
            return {"role": "model", "parts": self.said(what[0])}
        write = self.part if who == "user" else self.result
        return {"role": "user", "parts": [write(p) for p in what]}

    def body(self, model, stream, request):
        body = {"contents": [self.content(*turn) for turn in request.turns]}
        if request.system:
            body["systemInstruction"] = {"parts": [{"text": request.system}]}
        if request.tools:
            body["tools"] = [{"functionDeclarations": [{"name": t, "description": f"To {t}", "parameters": SCHEMA}
                                                       for t in request.tools]}]
        if request.choice:
            modes = {"auto": {"mode": "AUTO"}, "none": {"mode": "NONE"}, "required": {"mode": "ANY"}}
            body["toolConfig"] = {"functionCallingConfig": modes.get(
                request.choice, {"mode": "ANY", "allowedFunctionNames": [request.choice]})}
        if request.thinks:
            body["generationConfig"] = {"thinkingConfig": {"thinkingBudget": 2000, "includeThoughts": True}}
        if request.most:
            body.setdefault("generationConfig", {})["maxOutputTokens"] = request.most
        return body


CLIENTS = {c.name: c for c in (Messages(), Chat(), Responses(), Gemini())}
