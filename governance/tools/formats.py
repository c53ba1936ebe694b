"""The formats of the list of tools for different model APIs."""

import json
from collections.abc import Callable
from typing import Any

from governance.tools import schemas, strict_schemas
from governance.tools.declaration import Tool
from governance.tools.spelling import spelled

DEFAULT = "mcp"


def description_of(tool: Tool) -> str:
    """The description for a model: when to use the tool, and one example."""
    return f"{tool.description} Example: {json.dumps(example_of(tool), ensure_ascii=False)}"


def example_of(tool: Tool) -> dict[str, Any]:
    """The arguments of the example, in the tool's spelling."""
    return {spelled(name, in_camel_case=tool.is_camel_case): value for name, value in tool.example.items()}


def openai(tool: Tool) -> dict[str, Any]:
    """The format of OpenAI's chat completions, and of compatible services."""
    function = {
        "name": tool.name,
        "description": description_of(tool),
        "parameters": schemas.arguments_of(tool),
    }
    return {"type": "function", "function": function}


def openai_responses(tool: Tool) -> dict[str, Any]:
    """The format of OpenAI's responses, which assume the strict form unless told otherwise."""
    return {
        "type": "function",
        "name": tool.name,
        "description": description_of(tool),
        "parameters": schemas.arguments_of(tool),
        "strict": False,
    }


def openai_strict(tool: Tool) -> dict[str, Any]:
    """The format of OpenAI's chat completions, with arguments that always follow the schema."""
    function = {
        "name": tool.name,
        "description": description_of(tool),
        "strict": True,
        "parameters": strict_schemas.for_openai(schemas.arguments_of(tool)),
    }
    return {"type": "function", "function": function}


def gemini(tool: Tool) -> dict[str, Any]:
    """A function declaration of Gemini's API."""
    parameters = strict_schemas.for_gemini(schemas.arguments_of(tool))
    declared = {"name": tool.name, "description": description_of(tool)}
    return declared if parameters is None else {**declared, "parameters": parameters}


def anthropic(tool: Tool) -> dict[str, Any]:
    """The format of Anthropic's messages."""
    return {"name": tool.name, "description": description_of(tool), "input_schema": schemas.arguments_of(tool)}


def mcp(tool: Tool) -> dict[str, Any]:
    """The format of the Model Context Protocol. Its hints help people to approve calls; the server enforces the rules
    itself."""
    return {
        "name": tool.name,
        "title": tool.title,
        "description": description_of(tool),
        "inputSchema": schemas.arguments_of(tool),
        "outputSchema": schemas.answer_of(tool),
        "annotations": {
            "title": tool.title,
            "readOnlyHint": tool.is_read_only,
            "destructiveHint": tool.is_destructive,
            "idempotentHint": tool.is_read_only or tool.is_idempotent,
            "openWorldHint": False,
        },
    }


def jsonschema(tool: Tool) -> dict[str, Any]:
    """The plain schemas of its arguments and its answer."""
    return {
        "name": tool.name,
        "description": description_of(tool),
        "schema": schemas.arguments_of(tool),
        "answer": schemas.answer_of(tool),
    }


FORMATS: dict[str, Callable[[Tool], dict[str, Any]]] = {
    "openai": openai,
    "openai-responses": openai_responses,
    "openai-strict": openai_strict,
    "gemini": gemini,
    "anthropic": anthropic,
    "mcp": mcp,
    "jsonschema": jsonschema,
}
