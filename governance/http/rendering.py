"""The JSON renderer."""

from typing import Any

import orjson
from rest_framework import renderers
from rest_framework.utils.encoders import JSONEncoder

_other_types = JSONEncoder().default


class JSONRenderer(renderers.JSONRenderer):
    """DRF's renderer with orjson: a page of memory has hundreds of ids and times, and the standard encoder converts
    each in Python."""

    def render(self, data: Any, accepted_media_type: str | None = None, renderer_context: Any = None) -> bytes:
        """`data` as JSON in UTF-8; empty for None. DRF renders values that orjson refuses, such as integers of more
        than 64 bits, and indented answers (`Accept: application/json; indent=2`)."""
        if data is None:
            return b""
        if self.get_indent(accepted_media_type or "", renderer_context or {}) is None:
            try:
                return orjson.dumps(data, default=_other_types, option=orjson.OPT_UTC_Z)
            except orjson.JSONEncodeError:
                pass
        return super().render(data, accepted_media_type, renderer_context)
