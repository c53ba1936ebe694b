"""The parsers of the API's request bodies."""

from typing import IO, Any

from django.conf import settings
from rest_framework.parsers import BaseParser

from governance.strict_json import BodyTooLarge, parse_object


class StrictJSONParser(BaseParser):
    """Parse a body to a dict. Raises `MalformedBody` or `BodyTooLarge`. An empty body is `{}`."""

    media_type = "application/json"

    def parse(self, stream: IO[bytes], media_type: str | None = None, parser_context: Any = None) -> dict[str, Any]:
        return parse_object(_whole(stream, parser_context))


class CSVParser(BaseParser):
    """Leave a body as its bytes. Raises `BodyTooLarge`."""

    media_type = "text/csv"

    def parse(self, stream: IO[bytes], media_type: str | None = None, parser_context: Any = None) -> Any:
        return _whole(stream, parser_context)


def _whole(stream: IO[bytes], parser_context: Any) -> bytes:
    request = (parser_context or {}).get("request")
    limit: int = settings.MAX_BODY_BYTES
    announced = request.META.get("CONTENT_LENGTH") if request is not None else None
    if announced and announced.isdecimal() and int(announced) > limit:
        raise BodyTooLarge
    body = stream.read(limit + 1)
    if len(body) > limit:
        raise BodyTooLarge
    return body
