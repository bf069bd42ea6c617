#!/usr/bin/env python3
"""What `refract mcp` offers to the conformance suite under its hidden option: it is there then and only then, asks in both
eras, and keeps its rounds apart. The suite itself runs in `make conformance`.

    test_fixtures.py PATH-OF-REFRACT

Prints a line a case, then "N passed, N failed"; the status is 1 when one failed.
"""
import pathlib
import subprocess
import sys
import tempfile

from wire import PREFIX, Modern, Wire, expect, texts

ROUNDS = "test_input_required_result_"
EVERYTHING = {"elicitation": {}, "sampling": {}, "roots": {}}
PARAMS, CAPABILITY = -32602, -32021


class Setting:
    def __init__(self, program, folder):
        self.how = {"cwd": folder, "env": {"HOME": folder, "XDG_CACHE_HOME": folder}}
        self.command = [program, "mcp", "--conformance"]

    def modern(self, capabilities=None):
        return Modern(self.command, capabilities=EVERYTHING if capabilities is None else capabilities, **self.how)

    def legacy(self):
        return Wire(self.command, **self.how)


def hidden_without_the_option(s):
    with Modern(s.command[:2], **s.how) as c:
        expect(not any(t["name"].startswith("test_") for t in c.result("tools/list")["tools"]), "it has tests' tools")
        expect(c.error("prompts/list")["code"] == -32601, "it has prompts")
    told = subprocess.run([*s.command[:2], "--help"], capture_output=True, text=True, check=True).stdout
    expect("conformance" not in told, told)


def blocks_of_every_kind(s):
    with s.modern() as c:
        kinds = [b["type"] for b in c.tool("test_multiple_content_types")["content"]]
        expect(kinds == ["text", "image", "resource"], kinds)
        expect(c.tool("test_audio_content")["content"][0]["mimeType"] == "audio/wav", "no sound")
        expect(c.tool("test_error_handling")["isError"], "it did not fail")
        read = c.result("resources/read", {"uri": "test://template/7/data"})
        expect('"id":"7"' in read["contents"][0]["text"] and read["ttlMs"] >= 0, read)
        said = c.result("prompts/get", {"name": "test_prompt_with_arguments", "arguments": {"arg1": "a", "arg2": "b"}})
        expect("arg1='a', arg2='b'" in said["messages"][0]["content"]["text"], said)


def a_legacy_client_is_asked_meanwhile(s):
    with s.legacy() as c:
        c.initialize(capabilities=EVERYTHING)
        number = c.ask("tools/call", {"name": "test_elicitation", "arguments": {"message": "say \"it\""}})
        asked = c.wait_for(lambda m: m.get("method") == "elicitation/create")
        expect(asked["params"]["message"] == "say \"it\"", asked)
        c.send({"jsonrpc": "2.0", "id": asked["id"], "result": {"action": "accept", "content": {"username": "u"}}})
        expect('"username":"u"' in texts(c.answer(number)["result"]), "the answer is lost")


def a_modern_client_is_asked_in_rounds(s):
    with s.modern() as c:
        first = c.tool(ROUNDS + "multi_round")
        expect(first["resultType"] == "input_required" and list(first["inputRequests"]) == ["step1"], first)
        second = c.tool(ROUNDS + "multi_round", requestState=first["requestState"],
                        inputResponses={"step1": {"action": "accept", "content": {"name": "A"}}})
        expect(list(second["inputRequests"]) == ["step2"] and second["requestState"] != first["requestState"], second)
        third = c.tool(ROUNDS + "multi_round", requestState=second["requestState"],
                       inputResponses={"step2": {"action": "accept", "content": {"color": "b"}}})
        expect(third["resultType"] == "complete" and texts(third), third)


def a_state_that_is_not_ours_is_refused(s):
    with s.modern() as c:
        name, answers = ROUNDS + "tampered_state", {"confirm": {"action": "accept", "content": {"ok": True}}}
        state = c.tool(name)["requestState"]
        for wrong in (state + "x", state[:-2], "x"):
            error = c.error("tools/call", {"name": name, "arguments": {}, "requestState": wrong, "inputResponses": answers})
            expect(error["code"] == PARAMS, error)
        other = c.error("tools/call", {"name": ROUNDS + "multi_round", "arguments": {}, "requestState": state})
        expect(other["code"] == PARAMS, other)


def only_what_a_client_can_is_asked(s):
    with s.modern({"sampling": {}}) as c:
        asked = c.tool(ROUNDS + "capabilities")["inputRequests"]
        expect([q["method"] for q in asked.values()] == ["sampling/createMessage"], asked)
    with s.modern({}) as c:
        error = c.error("tools/call", {"name": "test_missing_capability", "arguments": {}})
        expect(error["code"] == CAPABILITY and error["data"] == {"requiredCapabilities": {"sampling": {}}}, error)


def a_wrong_answer_is_no_answer(s):
    with s.modern() as c:
        again = c.tool(ROUNDS + "elicitation", inputResponses={"another": {"action": "accept"}})
        expect(again["resultType"] == "input_required", again)
        answer = c.call("tools/call", {"name": ROUNDS + "elicitation", "arguments": {},
                                       "inputResponses": {"user_name": 12345}})
        expect("error" in answer or answer["result"]["resultType"] == "input_required", answer)


def lists_change_on_demand(s):
    with s.modern() as c:
        number = c.ask("subscriptions/listen", {"notifications": {"toolsListChanged": True}})
        c.notified("notifications/subscriptions/acknowledged")
        c.tool("test_trigger_prompt_change")
        c.tool("test_trigger_tool_change")
        told = c.notified("notifications/tools/list_changed")
        expect(told["_meta"][PREFIX + "subscriptionId"] == number, told)
        expect(not any("prompts" in m.get("method", "") for m in c.other), c.other)


CASES = (hidden_without_the_option, blocks_of_every_kind, a_legacy_client_is_asked_meanwhile,
         a_modern_client_is_asked_in_rounds, a_state_that_is_not_ours_is_refused, only_what_a_client_can_is_asked,
         a_wrong_answer_is_no_answer, lists_change_on_demand)


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    passed = failed = 0
    for function in CASES:
        name = function.__name__.replace("_", " ")
        with tempfile.TemporaryDirectory(prefix="refract-mcp-") as folder:
            try:
                function(Setting(program, folder))
                passed += 1
                print(f"ok      {name}", flush=True)
            except Exception as why:  # a case that breaks has failed
                failed += 1
                print(f"FAILED  {name}\n    {type(why).__name__}: {str(why)[:1500]}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return failed > 0 or passed == 0


if __name__ == "__main__":
    sys.exit(main())
