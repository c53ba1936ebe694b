"""Says in plain words what a tool call does and what came of it."""

import json
from typing import Any

from suture_client.hooks.call import POST_TOOL_USE, HookCall

#: Characters: of one field of a tool's input, of a line of its output, and of what an agent says that it does.
_FIELD, _LINE, _DESCRIPTION = 600, 300, 20_000
#: Lines of an output, from its beginning and from its end.
_FIRST, _LAST = 5, 5
#: Where a text may be cut. A secret has none of these, so a cut leaves no half of one.
_BREAKS = frozenset(" \t\r\n,;\"'<>&(){}[]")

#: What a tool does, with the fields of its input: the names that coding agents use, in lower case.
_VERBS = {
    "read": "Reading file {path}",
    "read_file": "Reading file {path}",
    "write": "Writing file {path}",
    "write_file": "Writing file {path}",
    "edit": "Editing file {path}",
    "multiedit": "Editing file {path}",
    "replace": "Editing file {path}",
    "notebookedit": "Editing notebook {path}",
    "apply_patch": "Applying a patch",
    "bash": "Running command {command}",
    "shell": "Running command {command}",
    "run_shell_command": "Running command {command}",
    "glob": "Finding files {pattern}",
    "grep": "Searching for {pattern}",
    "webfetch": "Fetching {url}",
    "web_fetch": "Fetching {url}",
    "websearch": "Searching the web for {query}",
    "task": "Starting a subagent: {description}",
    "agent": "Starting a subagent: {description}",
}
#: Fields of an input, under the names that agents give them.
_NAMES = {
    "path": ("file_path", "filePath", "notebook_path", "absolute_path", "path", "target_file", "filename"),
    "command": ("command", "cmd", "script"),
    "pattern": ("pattern", "regex"),
    "url": ("url", "uri"),
    "query": ("query", "search_term", "q"),
    "description": ("description", "title", "subject"),
}
#: What a call does, by the first of these fields that it has, where the tool is not known.
_BY_FIELD = (
    ("command", "Running command {command}"),
    ("url", "Fetching {url}"),
    ("query", "Searching for {query}"),
    ("pattern", "Searching for {pattern}"),
    ("path", "Using file {path}"),
    ("description", "{description}"),
)
_CODES = ("exit_code", "exitCode", "returncode", "returnCodeInterpretation", "code", "status_code")
_OUTPUTS = ("stdout", "output", "content", "result", "text", "llmContent", "results", "filenames", "matches", "answer")
#: Fields of an output that have a line of their own.
_SAID = {*_CODES, *_OUTPUTS, "error", "is_error", "isError", "success", "interrupted", "isImage", "stderr", "type"}


def describe(call: HookCall) -> str:
    """The content of a tool call's capture: "" where nothing is known of it."""
    does = shortened(call.description.strip(), _DESCRIPTION) if call.description.strip() else _what(call)
    if call.event != POST_TOOL_USE:
        return does
    came = _outcome(call.tool_output, call.cwd)
    return f"{does}\n{came}".strip()


def paths(call: HookCall) -> list[str]:
    """The files that a tool call is about."""
    given = call.tool_input if isinstance(call.tool_input, dict) else {}
    return [value for name in _NAMES["path"] if isinstance(value := given.get(name), str) and value]


def shortened(text: str, most: int) -> str:
    """The text, or its beginning and an ellipsis, cut where no word is."""
    if len(text) <= most:
        return text
    end = most
    while end and text[end] not in _BREAKS:
        end -= 1
    return f"{text[:end].rstrip()} …".strip()


def _what(call: HookCall) -> str:
    """The tool, and what it does."""
    if not call.tool_name and call.tool_input in (None, "", {}, []):
        return ""
    if isinstance(call.tool_input, dict):
        does = _sentence(call.tool_name, call.tool_input, call.cwd)
    else:
        does = shortened(_json(call.tool_input), _FIELD) if call.tool_input is not None else ""
    return f"{call.tool_name}: {does}".strip(": ") if call.tool_name else does


def _sentence(tool: str, given: dict[str, Any], cwd: str) -> str:
    fields = {name: _field(given, names, cwd) for name, names in _NAMES.items()}
    pattern = _VERBS.get(tool.lower(), "")
    if not pattern or not all(fields[name] for name in fields if f"{{{name}}}" in pattern):
        pattern = next((words for name, words in _BY_FIELD if fields[name]), "")
    if not pattern:
        return shortened(", ".join(f"{name} {_json(value)}" for name, value in given.items()), _FIELD)
    sentence = pattern.format(**fields)
    if "{command}" in pattern and fields["description"]:
        sentence = f"{fields['description']}. {sentence}"
    if "{pattern}" in pattern and fields["path"]:
        sentence += f" in {fields['path']}"
    old, new = given.get("old_string"), given.get("new_string")
    if isinstance(old, str) and isinstance(new, str):
        sentence += f"\nReplacing: {shortened(old.strip(), _LINE)}\nWith: {shortened(new.strip(), _LINE)}"
    prompt = given.get("prompt")
    if isinstance(prompt, str) and prompt.strip():
        sentence += f"\n{shortened(prompt.strip(), _FIELD)}"
    return sentence


def _field(given: dict[str, Any], names: tuple[str, ...], cwd: str) -> str:
    for name in names:
        value = given.get(name)
        if isinstance(value, list) and value and all(isinstance(one, str) for one in value):
            value = " ".join(value)
        if isinstance(value, str) and value.strip():
            return shortened(relative(value.strip(), cwd), _FIELD)
    return ""


def relative(text: str, cwd: str) -> str:
    """A path within the working directory, from there."""
    directory = cwd.rstrip("/") + "/"
    return text.removeprefix(directory) if len(directory) > 1 and len(text) > len(directory) else text


def _outcome(output: Any, cwd: str) -> str:
    """What came of a tool call: errors, its exit code, and the first and last lines of what it put out."""
    lines = []
    if isinstance(output, dict):
        error = output.get("error")
        failed = output.get("is_error") is True or output.get("isError") is True or output.get("success") is False
        if error:
            lines.append(f"Error: {_some_lines(_plain(error))}")
        elif failed:
            lines.append("It failed.")
        if output.get("interrupted") is True:
            lines.append("It was interrupted.")
        code = next((str(output[name]) for name in _CODES if type(output.get(name)) in (int, str)), "")
        if code:
            lines.append(f"Exit code: {code[:100]}")
        standard_error = output.get("stderr")
        if isinstance(standard_error, str) and standard_error.strip():
            lines.append(f"Standard error: {_some_lines(standard_error)}")
        written = output.get("filePath")
        if isinstance(written, str) and written and isinstance(output.get("type"), str):
            lines.append(f"{str(output['type'])[:40].capitalize()}: {relative(written, cwd)}")
            output = None
    said = _some_lines(_plain(output)) if output is not None else ""
    return "\n".join([*lines, f"Output: {said}"] if said else lines)


def _plain(value: Any) -> str:
    """The text that a tool put out, whatever it is packed in."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(one for one in map(_plain, value) if one.strip())
    if isinstance(value, dict):
        if isinstance(value.get("file"), dict):
            return _plain(value["file"])
        for name in _OUTPUTS:
            if found := _plain(value.get(name)).strip("\n"):
                return found
        known = {
            *_CODES,
            *_OUTPUTS,
            "error",
            "is_error",
            "isError",
            "success",
            "interrupted",
            "isImage",
            "stderr",
            "type",
        }
        rest = {name: one for name, one in value.items() if name not in known}
        return _json(rest) if rest else ""
    return "" if value is None or isinstance(value, bool) else str(value)


def _some_lines(text: str) -> str:
    lines = [line.rstrip() for line in text.strip("\r\n").splitlines() if line.strip()]
    if len(lines) > _FIRST + _LAST:
        lines = [*lines[:_FIRST], "[...]", *lines[-_LAST:]]
    return "\n".join(shortened(line, _LINE) for line in lines)


def _json(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
