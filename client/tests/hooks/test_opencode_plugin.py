"""The plugin that runs Suture's hooks in OpenCode, replayed by Node with the events that OpenCode 1.18.33 sends."""

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from suture_client.installing.hooks.plugin import plugin

NODE = shutil.which("node")
pytestmark = [pytest.mark.pure, pytest.mark.skipif(NODE is None, reason="needs node")]

SESSION = "ses_1"
#: Replays [hook, ...arguments], and prints the additions to the system prompt and the durations.
DRIVER = """
import { Suture } from "./suture.mjs"
const hooks = await Suture({ directory: "/home/ada/notes" })
const answer = { system: [], took: [] }
for (const [name, ...given] of JSON.parse(process.argv[2])) {
  const began = Date.now()
  if (name === "experimental.chat.system.transform") {
    const output = { system: ["You are OpenCode."] }
    await hooks[name](...given, output)
    answer.system.push(output.system)
  } else {
    await hooks[name](...given)
  }
  answer.took.push(Date.now() - began)
}
console.log(JSON.stringify(answer))
"""
#: Replaces `suture hook`: records its input, and prints context if the agent accepts it.
HOOK = """
import json, sys, time
given = json.load(sys.stdin)
time.sleep(float(sys.argv[2]))
with open(sys.argv[1], "a") as file:
    file.write(json.dumps(given) + "\\n")
if given["hook"] in ("session.created", "chat.message"):
    print("Context of", given["hook"])
"""


def event(kind: str, **properties: Any) -> list[Any]:
    return ["event", {"event": {"type": kind, "properties": properties}}]


def created(session: str = SESSION, **info: Any) -> list[Any]:
    return event("session.created", sessionID=session, info={"id": session, **info})


def prompt(text: str, message: str = "msg_user") -> list[Any]:
    parts = [{"type": "text", "text": text}, {"type": "file", "url": "data:image/png;base64,AAAA"}]
    return ["chat.message", {"sessionID": SESSION}, {"message": {"id": message, "role": "user"}, "parts": parts}]


def says(message: str, *texts: str, session: str = SESSION) -> list[list[Any]]:
    part = {"type": "text", "sessionID": session, "messageID": message}
    return [
        event("message.updated", sessionID=session, info={"id": message, "sessionID": session, "role": "assistant"}),
        *(
            event("message.part.updated", sessionID=session, part={**part, "id": f"prt_{place}", "text": shown})
            for place, text in enumerate(texts)
            for shown in ("", text)
        ),
    ]


def idle(session: str = SESSION) -> list[list[Any]]:
    return [
        event("session.status", sessionID=session, status={"type": "idle"}),
        event("session.idle", sessionID=session),
    ]


TRANSFORM = ["experimental.chat.system.transform", {"sessionID": SESSION}]
END = ["dispose"]


class Replay:
    """The plugin in a separate directory."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.answer: dict[str, Any] = {}

    def run(self, *steps: list[Any], takes: float = 0.0, command: list[str] | None = None) -> list[dict[str, Any]]:
        """The hook's inputs in order, without the directory that the plugin adds."""
        given = self.directory / "given.jsonl"
        (self.directory / "hook.py").write_text(HOOK)
        (self.directory / "driver.mjs").write_text(DRIVER)
        hook = [sys.executable, "-S", "-E", str(self.directory / "hook.py"), str(given), str(takes)]
        (self.directory / "suture.mjs").write_text(plugin(command or hook))
        assert NODE is not None
        done = subprocess.run(
            [NODE, "driver.mjs", json.dumps(steps)], cwd=self.directory, capture_output=True, text=True, timeout=60
        )
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        self.answer = json.loads(done.stdout)
        found = [json.loads(line) for line in given.read_text().splitlines()] if given.exists() else []
        assert all(one.pop("directory") == "/home/ada/notes" for one in found)
        return found


@pytest.fixture
def replay(tmp_path: Path) -> Replay:
    return Replay(tmp_path)


def test_a_session(replay: Replay) -> None:
    bash = {"tool": "bash", "sessionID": SESSION, "callID": "call_1"}
    given = replay.run(
        created(),
        prompt("What does notes.txt say?"),
        TRANSFORM,
        ["tool.execute.before", bash, {"args": {"command": "cat notes.txt"}}],
        ["tool.execute.after", {**bash, "args": {}}, {"title": "cat", "output": "hello\n", "metadata": {"exit": 0}}],
        *says("msg_1", "Let me look."),
        *says("msg_2", "It says", "hello."),
        *idle(),
        END,
    )
    assert replay.answer["system"] == [["You are OpenCode.", "Context of session.created", "Context of chat.message"]]
    assert {one["hook"]: one for one in given} == {
        "session.created": {"hook": "session.created", "sessionID": SESSION, "reason": "startup"},
        "chat.message": {
            "hook": "chat.message",
            "input": {"sessionID": SESSION},
            "output": {"message": {"id": "msg_user"}, "parts": [{"type": "text", "text": "What does notes.txt say?"}]},
        },
        "tool.execute.before": {
            "hook": "tool.execute.before",
            "input": bash,
            "output": {"args": {"command": "cat notes.txt"}},
        },
        "tool.execute.after": {
            "hook": "tool.execute.after",
            "input": {**bash, "args": {}},
            "output": {"title": "cat", "output": "hello\n"},
        },
        "session.idle": {
            "hook": "session.idle",
            "sessionID": SESSION,
            "parentID": None,
            "messageID": "msg_2",
            "text": "It says\nhello.",
        },
        "dispose": {"hook": "dispose", "sessionID": SESSION, "reason": "exit"},
    }
    assert len(given) == 6


def test_a_session_that_is_opened_again_starts_with_its_first_prompt(replay: Replay) -> None:
    given = replay.run(prompt("Go on"), TRANSFORM, prompt("And on", "msg_3"), TRANSFORM)
    starts = [one for one in given if one["hook"] == "session.created"]
    assert starts == [{"hook": "session.created", "sessionID": SESSION, "reason": "resume"}]
    assert len(replay.answer["system"][1]) == 3


def test_a_subagent_starts_nothing_and_answers_with_its_parent(replay: Replay) -> None:
    child = "ses_child"
    asked = [
        "chat.message",
        {"sessionID": child},
        {"message": {"id": "m"}, "parts": [{"type": "text", "text": "Look"}]},
    ]
    given = replay.run(
        created(child, parentID=SESSION), asked, *says("msg_9", "Found it.", session=child), *idle(child), END
    )
    assert [(one["hook"], one["parentID"], one["text"]) for one in given] == [("session.idle", SESSION, "Found it.")]


def test_each_response_is_passed_on_once(replay: Replay) -> None:
    given = replay.run(*says("msg_1", "One."), *idle(), *idle(), *says("msg_2"), *idle(), END)
    assert [one["text"] for one in given if one["hook"] == "session.idle"] == ["One."]


def test_opencode_waits_for_no_tool_and_no_response(replay: Replay) -> None:
    bash = {"tool": "bash", "sessionID": SESSION, "callID": "call_1"}
    steps = [
        ["tool.execute.after", {**bash, "args": {}}, {"title": "", "output": ""}],
        *says("msg_1", "Done."),
        *idle(),
    ]
    given = replay.run(*steps, END, takes=1.5)
    assert max(replay.answer["took"][:-1]) < 1_000
    # but at the end for what is still under way
    assert {one["hook"] for one in given} == {"tool.execute.after", "session.idle", "dispose"}


def test_a_slow_hook_is_stopped_and_the_prompt_continues(replay: Replay) -> None:
    began = time.monotonic()
    assert replay.run(["tool.execute.before", {"sessionID": SESSION}, {"args": {}}], END, takes=30) == []
    assert time.monotonic() - began < 10
    assert replay.run(prompt("Hello"), TRANSFORM, takes=30) == []
    assert replay.answer["system"] == [["You are OpenCode."]]
    assert replay.answer["took"][1] < 6_000


@pytest.mark.parametrize("command", [["/does/not/exist", "hook"], ["/", "hook"], ["false"]])
def test_a_command_that_fails_disturbs_nothing(replay: Replay, command: list[str]) -> None:
    steps = [created(), prompt("Hello"), TRANSFORM, *says("msg_1", "Hi."), *idle(), END]
    assert replay.run(*steps, command=command) == []
    assert replay.answer["system"] == [["You are OpenCode."]]


@pytest.mark.parametrize(
    "step",
    [
        event("session.created"),
        event("message.part.updated", part=None),
        event("file.edited", file="x"),
        ["chat.message", {}, {}],
        ["tool.execute.after", {}, None],
        ["event", {"event": {"type": "constructor"}}],
    ],
)
def test_an_event_of_another_form_disturbs_nothing(replay: Replay, step: list[Any]) -> None:
    given = replay.run(step, *says("msg_1", "Hi."), *idle(), END)
    assert "session.idle" in {one["hook"] for one in given}
