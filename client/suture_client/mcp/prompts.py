"""Prompts: memory for an agent before its first turn."""

from collections.abc import Mapping

from mcp import MCPError
from mcp.types import INVALID_PARAMS, GetPromptResult, Prompt, PromptArgument, PromptMessage, TextContent

from suture_client.http import AsyncApi

BOOTSTRAP = Prompt(
    name="bootstrap",
    title="Remember who you are",
    description="Your core memory (who you are, the user, your goals, key knowledge) and the memories that matter now. "
    "Use it once, at the beginning of a conversation.",
    arguments=[
        PromptArgument(
            name="query",
            description="The topic of the conversation, such as the user's first message. Without it, you get recent "
            "and important memories.",
            required=False,
        ),
        PromptArgument(
            name="max_tokens", description="The most tokens that the memory may take (default 4000).", required=False
        ),
    ],
)

#: Other names of its arguments: those of the specification.
_ALSO_NAMED = {"userMessage": "query", "user_message": "query", "maxTokens": "max_tokens"}


async def get_prompt(rest: AsyncApi, name: str, arguments: Mapping[str, str]) -> GetPromptResult:
    """Return the messages of a prompt. Raises MCPError for a wrong name or argument, Failed."""
    if name != BOOTSTRAP.name:
        raise MCPError(INVALID_PARAMS, f"There is no prompt {name!r}. The prompt is {BOOTSTRAP.name}.")
    arguments = {_ALSO_NAMED.get(given, given): value for given, value in arguments.items()}
    known = [argument.name for argument in BOOTSTRAP.arguments or ()]
    if unknown := sorted(set(arguments) - set(known)):
        raise MCPError(
            INVALID_PARAMS, f"bootstrap has no argument {unknown[0]!r}. Its arguments are {', '.join(known)}."
        )
    body: dict[str, str | int] = {}
    if query := arguments.get("query"):
        body["query"] = query
    if number := arguments.get("max_tokens", "").strip():
        if not (number.isascii() and number.isdigit()):
            raise MCPError(INVALID_PARAMS, f"max_tokens must be a whole number such as 4000, not {number!r}.")
        body["max_tokens"] = int(number)
    answer = await rest.post("context/bootstrap", body)
    text = answer["system_prompt"] or "There is no memory yet."
    return GetPromptResult(
        description=BOOTSTRAP.description,
        messages=[PromptMessage(role="user", content=TextContent(type="text", text=text))],
    )
