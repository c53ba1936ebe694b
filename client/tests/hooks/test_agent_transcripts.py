"""Transcripts of Codex and Gemini CLI are read like Claude Code's, and give summaries of sessions."""

import json
from pathlib import Path
from typing import Any

import pytest

from suture_client.hooks import summaries, transcript_formats, transcripts
from suture_client.hooks.hook_call import HookCall

pytestmark = pytest.mark.pure

TRANSCRIPTS = Path(__file__).parent / "transcripts"
ANSWER = "The file notes.txt says hello."


def path_of(agent: str) -> str:
    return str(TRANSCRIPTS / f"{agent}.jsonl")


def written(path: Path, *lines: dict[str, Any]) -> str:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return str(path)


def test_a_session_of_codex() -> None:
    found = transcripts.activity(path_of("codex"))
    assert found.prompts == ["What does notes.txt say?", "Thank you"]
    assert found.tools == {"exec_command": 1}
    assert found.response == ANSWER
    assert transcripts.last_turn(path_of("codex")).text == ANSWER
    assert transcripts.last_turn(path_of("codex")).identity == "msg_01a207c9-28e4-75a2-83dc-40819f0d7e9b"
    assert transcripts.position(path_of("codex")) == "msg_1"


def test_a_session_of_gemini() -> None:
    found = transcripts.activity(path_of("gemini"))
    # neither what hooks said nor the results of tools; a message that was written twice counts once
    assert found.prompts == ["What does notes.txt say?"]
    assert found.tools == {"run_shell_command": 1}
    assert found.response == ANSWER


@pytest.mark.parametrize("agent", ["codex", "gemini"])
def test_the_end_of_a_session_has_a_summary(agent: str) -> None:
    call = HookCall(agent=agent, event="SessionEnd", session_id="s", reason="exit", transcript_path=path_of(agent))
    said = summaries.of_session(call)
    assert said.startswith("The session ended (exit).\nPrompts:\n- What does notes.txt say?\n")
    assert said.endswith(f"It ended with: {ANSWER}")


def test_files_that_codex_and_gemini_changed(tmp_path: Path) -> None:
    patch = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-x\n+y\n*** Add File: src/b.py\n+z\n*** End Patch\n"
    codex = written(
        tmp_path / "codex.jsonl",
        {"type": "response_item", "payload": {"type": "custom_tool_call", "name": "apply_patch", "input": patch}},
    )
    assert transcripts.activity(codex).changed == ["src/a.py", "src/b.py"]
    calls = [{"name": "write_file", "args": {"file_path": "c.md"}}, {"name": "replace", "args": {"file_path": "d.md"}}]
    gemini = written(tmp_path / "gemini.jsonl", {"id": "1", "type": "gemini", "content": "", "toolCalls": calls})
    assert transcripts.activity(gemini).changed == ["c.md", "d.md"]


@pytest.mark.parametrize("said", ["<environment_context>\n  <cwd>/x</cwd>", "# AGENTS.md instructions for /x"])
def test_messages_of_codex_in_the_users_name_are_not_prompts(tmp_path: Path, said: str) -> None:
    content = [{"type": "input_text", "text": said}]
    line = {"type": "response_item", "payload": {"type": "message", "role": "user", "content": content}}
    assert transcripts.activity(written(tmp_path / "a.jsonl", line)).prompts == []


@pytest.mark.parametrize("agent", ["codex", "gemini"])
def test_lines_of_other_forms_are_left_out(agent: str) -> None:
    for line in (TRANSCRIPTS / f"{agent}.jsonl").read_text().splitlines():
        entry = json.loads(line)
        for name in entry:
            for wrong in (None, 7, "x", [], [7], {}, {"type": ["message"], "role": {}, "content": 7}):
                transcript_formats.normalized({**entry, name: wrong})
