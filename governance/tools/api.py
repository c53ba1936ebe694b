"""Tools over HTTP: the list in the format of a framework, and one address for each tool."""

from collections.abc import Mapping
from typing import Any, ClassVar

from django.urls import URLPattern, path
from drf_spectacular.utils import OpenApiExample, extend_schema, extend_schema_view
from rest_framework import serializers
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.request import Request
from rest_framework.response import Response

from governance.http.filters import Parameter, ParameterFilter
from governance.http.idempotency import IdempotentMixin
from governance.http.views import GovernedView
from governance.http.waiting import ASK_AGAIN, can_wait
from governance.inputs import CharField, ChoiceField
from governance.refusals import Fault, Invalid
from governance.tools import formats, registry, schemas
from governance.tools.calling import call_tool
from governance.tools.declaration import Tool
from governance.tools.spelling import camel_case

FORMATS = [(name, name) for name in formats.FORMATS]


class ToolFilter(ParameterFilter):
    """The parameters of the list of tools."""

    also_accepted = frozenset()

    format = Parameter(
        ChoiceField(
            FORMATS,
            required=False,
            default=formats.DEFAULT,
            help_text="The format: for OpenAI's API (chat completions, also with strict schemas, or responses),"
            " Google's or Anthropic's API, the Model Context Protocol, or plain JSON Schema.",
        )
    )
    set = Parameter(
        ChoiceField(
            [("all", "all"), ("basic", "basic")],
            required=False,
            default="all",
            help_text="`basic`: only the few tools to keep, find and correct memory.",
        )
    )
    only = Parameter(
        CharField(required=False, max_length=2_000, help_text="Only these tools: names with commas, in this order.")
    )


class _FormatOfTools(DefaultContentNegotiation):
    """DRF would interpret `format` as the name of a renderer."""

    def filter_renderers(self, renderers: Any, format: str) -> Any:
        return renderers


class ToolList(serializers.Serializer[Any]):
    format = serializers.ChoiceField(FORMATS)
    tools = serializers.ListField(child=serializers.DictField())


class ToolsView(GovernedView):
    """List the tools."""

    reads_query = True
    needs_principal = False  # it tells nothing of memory, and MCP clients ask it before they name anybody
    content_negotiation_class = _FormatOfTools

    @extend_schema(
        operation_id="tools_list",
        parameters=[ToolFilter.schema()],
        responses=ToolList,
        description="The tools with the JSON Schema of their arguments, in the given `format`. Give the list to a"
        " model, and send its calls to `/tools/{name}`.",
    )
    def get(self, request: Request) -> Response:
        asked = ToolFilter.read(request).values
        written = formats.FORMATS[asked["format"]]
        return Response({"format": asked["format"], "tools": [written(tool) for tool in _chosen(asked)]})


def _chosen(asked: Mapping[str, Any]) -> list[Tool]:
    """The tools of a request. Raises Invalid for an unknown name."""
    tools = registry.all_tools()
    if asked["set"] == "basic":
        tools = [tool for tool in tools if tool.is_basic]
    if asked["only"] is None:
        return tools
    try:
        named = [registry.find(name.strip()) for name in asked["only"].split(",")]
    except registry.UnknownTool as unknown:
        raise Invalid(
            unknown.detail, errors=[Fault(parameter="only", detail=unknown.detail, code=unknown.code)]
        ) from None
    return [tool for tool in dict.fromkeys(named) if tool in tools]


class ToolView(IdempotentMixin, GovernedView):
    """Call one tool. `view_of` makes a subclass for each."""

    tool: ClassVar[Tool]

    def post(self, request: Request) -> Response:
        called = call_tool(self.tool, request.data, actor=self.principal)
        response = Response(called.answer)
        if called.wait_seconds > 0 and can_wait(request.META):
            response[ASK_AGAIN] = str(called.wait_seconds)
        return response


class UnknownToolView(GovernedView):
    """The addresses of unknown tools."""

    only_reads = True

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Raises UnknownTool for every valid key and any method."""
        super().initial(request, *args, **kwargs)
        raise registry.unknown(kwargs["name"])


def view_of(tool: Tool) -> type[ToolView]:
    """The view of one tool, documented by its declaration."""
    own = {
        "tool": tool,
        "only_reads": tool.is_read_only,
        "stores_response": not tool.is_read_only,
        "enters_each_statement": tool.enters_each_statement,
    }
    name = camel_case("_" + tool.name)
    view = type(f"{name}View", (ToolView,), {**own, "__doc__": tool.title})
    documented = extend_schema(
        operation_id=f"tools_{tool.name}",
        summary=tool.title,
        description=formats.description_of(tool),
        request={"application/json": {"title": f"{name}Arguments", **schemas.arguments_of(tool)}},
        responses=schemas.answer_shape(tool),
        examples=[OpenApiExample(tool.title, formats.example_of(tool), request_only=True)],
    )
    decorated: type[ToolView] = extend_schema_view(post=documented)(view)
    return decorated


def addresses() -> list[URLPattern]:
    """The routes of the list, of every tool, and of any other name."""
    of_tools = [path(f"tools/{tool.name}", view_of(tool).as_view()) for tool in registry.all_tools()]
    return [
        path("tools", ToolsView.as_view(), name="tools"),
        *of_tools,
        path("tools/<str:name>", UnknownToolView.as_view(), name="tool"),
    ]
