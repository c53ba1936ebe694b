"""Plain-English descriptions of tool calls and their results."""

import json
from typing import Any

from suture_client.hooks.hook_call import POST_TOOL_USE, HookCall

#: Characters of one field of a tool's input, of a line of its output, and of an agent's own description.
_MAX_FIELD, _MAX_LINE, _MAX_DESCRIPTION = 600, 300, 20_000
#: Lines of an output that are kept, from its start and its end.
_FIRST_LINES, _LAST_LINES = 5, 5
#: Characters at which a text may be cut. No secret contains one, so a cut never splits a secret.
_BREAKS = frozenset(" \t\r\n,;\"'<>&(){}[]")

#: A sentence for each tool, with fields of its input. The names are those that coding agents use, in lower case.
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
#: The names that agents give to each field of an input.
_NAMES = {
    "path": ("file_path", "filePath", "notebook_path", "absolute_path", "path", "target_file", "filename"),
    "command": ("command", "cmd", "script"),
    "pattern": ("pattern", "regex"),
    "url": ("url", "uri"),
    "query": ("query", "search_term", "q"),
    "description": ("description", "title", "subject"),
}
#: Sentences for unknown tools, by the first of these fields that the input has.
_BY_FIELD = (
    ("command", "Running command {command}"),
    ("url", "Fetching {url}"),
    ("query", "Searching for {query}"),
    ("pattern", "Searching for {pattern}"),
    ("path", "Using file {path}"),
    ("description", "{description}"),
)
_CODE_FIELDS = ("exit_code", "exitCode", "returncode", "returnCodeInterpretation", "code", "status_code")
_OUTPUT_FIELDS = (
    "stdout",
    "output",
    "content",
    "result",
    "text",
    "llmContent",
    "results",
    "filenames",
    "matches",
    "answer",
)
#: Fields of an output that are not "other" data.
_KNOWN_FIELDS = {
    *_CODE_FIELDS,
    *_OUTPUT_FIELDS,
    "error",
    "is_error",
    "isError",
    "success",
    "interrupted",
    "isImage",
    "stderr",
    "type",
}


def describe(call: HookCall) -> str:
    """Return the content of a tool call's capture; "" if there is nothing to describe."""
    action = shortened(call.description.strip(), _MAX_DESCRIPTION) if call.description.strip() else _action(call)
    if call.event != POST_TOOL_USE:
        return action
    outcome = _outcome(call.tool_output, call.cwd)
    return f"{action}\n{outcome}".strip()


def paths(call: HookCall) -> list[str]:
    """Return the files that a tool call names."""
    given = call.tool_input if isinstance(call.tool_input, dict) else {}
    return [value for name in _NAMES["path"] if isinstance(value := given.get(name), str) and value]


def shortened(text: str, most: int) -> str:
    """Shorten a text to `most` characters and an ellipsis, without cutting a word."""
    if len(text) <= most:
        return text
    end = most
    while end and text[end] not in _BREAKS:
        end -= 1
    return f"{text[:end].rstrip()} …".strip()


def _action(call: HookCall) -> str:
    """Describe the tool and its input."""
    if not call.tool_name and call.tool_input in (None, "", {}, []):
        return ""
    if isinstance(call.tool_input, dict):
        action = _sentence(call.tool_name, call.tool_input, call.cwd)
    else:
        action = shortened(_json(call.tool_input), _MAX_FIELD) if call.tool_input is not None else ""
    return f"{call.tool_name}: {action}".strip(": ") if call.tool_name else action


def _sentence(tool: str, given: dict[str, Any], cwd: str) -> str:
    fields = {name: _field(given, names, cwd) for name, names in _NAMES.items()}
    pattern = _VERBS.get(tool.lower(), "")
    if not pattern or not all(fields[name] for name in fields if f"{{{name}}}" in pattern):
        pattern = next((words for name, words in _BY_FIELD if fields[name]), "")
    if not pattern:
        return shortened(", ".join(f"{name} {_json(value)}" for name, value in given.items()), _MAX_FIELD)
    sentence = pattern.format(**fields)
    if "{command}" in pattern and fields["description"]:
        sentence = f"{fields['description']}. {sentence}"
    if "{pattern}" in pattern and fields["path"]:
        sentence += f" in {fields['path']}"
    old, new = given.get("old_string"), given.get("new_string")
    if isinstance(old, str) and isinstance(new, str):
        sentence += f"\nReplacing: {shortened(old.strip(), _MAX_LINE)}\nWith: {shortened(new.strip(), _MAX_LINE)}"
    prompt = given.get("prompt")
    if isinstance(prompt, str) and prompt.strip():
        sentence += f"\n{shortened(prompt.strip(), _MAX_FIELD)}"
    return sentence


def _field(given: dict[str, Any], names: tuple[str, ...], cwd: str) -> str:
    for name in names:
        value = given.get(name)
        if isinstance(value, list) and value and all(isinstance(one, str) for one in value):
            value = " ".join(value)
        if isinstance(value, str) and value.strip():
            return shortened(relative(value.strip(), cwd), _MAX_FIELD)
    return ""


def relative(text: str, cwd: str) -> str:
    """Make a path within the working directory relative to it."""
    directory = cwd.rstrip("/") + "/"
    return text.removeprefix(directory) if len(directory) > 1 and len(text) > len(directory) else text


def _outcome(output: Any, cwd: str) -> str:
    """Describe the result of a tool call: errors, exit code, and the first and last lines of its output."""
    lines = []
    if isinstance(output, dict):
        error = output.get("error")
        failed = output.get("is_error") is True or output.get("isError") is True or output.get("success") is False
        if error:
            lines.append(f"Error: {_excerpt(_output_text(error))}")
        elif failed:
            lines.append("It failed.")
        if output.get("interrupted") is True:
            lines.append("It was interrupted.")
        code = next((str(output[name]) for name in _CODE_FIELDS if type(output.get(name)) in (int, str)), "")
        if code:
            lines.append(f"Exit code: {code[:100]}")
        standard_error = output.get("stderr")
        if isinstance(standard_error, str) and standard_error.strip():
            lines.append(f"Standard error: {_excerpt(standard_error)}")
        written = output.get("filePath")
        if isinstance(written, str) and written and isinstance(output.get("type"), str):
            lines.append(f"{str(output['type'])[:40].capitalize()}: {relative(written, cwd)}")
            output = None
    text = _excerpt(_output_text(output)) if output is not None else ""
    return "\n".join([*lines, f"Output: {text}"] if text else lines)


def _output_text(value: Any) -> str:
    """Extract the text of a tool's output from any known structure."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(one for one in map(_output_text, value) if one.strip())
    if isinstance(value, dict):
        if isinstance(value.get("file"), dict):
            return _output_text(value["file"])
        for name in _OUTPUT_FIELDS:
            if found := _output_text(value.get(name)).strip("\n"):
                return found
        rest = {name: one for name, one in value.items() if name not in _KNOWN_FIELDS}
        return _json(rest) if rest else ""
    return "" if value is None or isinstance(value, bool) else str(value)


def _excerpt(text: str) -> str:
    lines = [line.rstrip() for line in text.strip("\r\n").splitlines() if line.strip()]
    if len(lines) > _FIRST_LINES + _LAST_LINES:
        lines = [*lines[:_FIRST_LINES], "[...]", *lines[-_LAST_LINES:]]
    return "\n".join(shortened(line, _MAX_LINE) for line in lines)


def _json(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
