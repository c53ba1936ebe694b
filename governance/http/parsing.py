"""The parser of the API's request bodies."""

from typing import IO, Any

from django.conf import settings
from rest_framework.parsers import BaseParser

from governance.strict_json import BodyTooLarge, parse_object


class StrictJSONParser(BaseParser):
    """Parse a body to a dict. Raises `MalformedBody` or `BodyTooLarge`. An empty body is `{}`."""

    media_type = "application/json"

    def parse(self, stream: IO[bytes], media_type: str | None = None, parser_context: Any = None) -> dict[str, Any]:
        request = (parser_context or {}).get("request")
        limit: int = settings.MAX_BODY_BYTES
        announced = request.META.get("CONTENT_LENGTH") if request is not None else None
        if announced and announced.isdecimal() and int(announced) > limit:
            raise BodyTooLarge
        body = stream.read(limit + 1)
        if len(body) > limit:
            raise BodyTooLarge
        return parse_object(body)
