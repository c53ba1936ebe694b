"""The one JSON renderer."""

from typing import Any

import orjson
from rest_framework import renderers
from rest_framework.utils.encoders import JSONEncoder

_other_types = JSONEncoder().default


class JSONRenderer(renderers.JSONRenderer):
    """The framework's, encoded by orjson: a page of memory holds hundreds of ids and times, each of which the standard
    encoder asks Python to turn into text."""

    def render(self, data: Any, accepted_media_type: str | None = None, renderer_context: Any = None) -> bytes:
        """`data` as JSON in UTF-8; nothing for None. What orjson does not take, such as a number of more than 64 bits,
        and what is asked for indented (`Accept: application/json; indent=2`) is left to the framework."""
        if data is None:
            return b""
        if self.get_indent(accepted_media_type or "", renderer_context or {}) is None:
            try:
                return orjson.dumps(data, default=_other_types, option=orjson.OPT_UTC_Z)
            except orjson.JSONEncodeError:
                pass
        return super().render(data, accepted_media_type, renderer_context)
