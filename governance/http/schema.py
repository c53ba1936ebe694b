"""How drf-spectacular describes a view in the OpenAPI document."""

import json
import re
import sys
from pathlib import Path
from typing import Any

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import get_doc
from drf_spectacular.utils import OpenApiExample, OpenApiParameter

from governance import text
from governance.http import idempotency, on_behalf, receipts
from governance.http.sessions import HEADER
from governance.http.views import GovernedView


class GovernedSchema(AutoSchema):
    """drf-spectacular's AutoSchema, with a summary of each operation and the headers that it accepts."""

    def get_summary(self) -> str | None:
        """The first sentence of what is said, as far as a colon. An operation whose view has others too declares its
        summary with `@extend_schema(summary=...)`."""
        first = re.split(r"[.:] ", " ".join(self._said().partition("\n\n")[0].split()))[0]
        return first.removesuffix(".") or None

    def get_description(self) -> str:  # type: ignore[override] # as drf-spectacular's does
        """What is said, if it is more than the summary."""
        said = self._said()
        return "" if said.removesuffix(".") == self.get_summary() else said

    def _said(self) -> str:
        """The docstring of the method or, if the view has only one, of the view."""
        method = str(self.method).lower()
        methods = [one for one in ("get", "post", "put", "patch", "delete") if hasattr(self.view, one)]
        said: str = get_doc(getattr(self.view, method, None))
        return said or (get_doc(type(self.view)) if methods == [method] else "")

    def get_examples(self) -> list[OpenApiExample]:
        """The request and the answer in the file `examples/<operation id>.json` beside the view, if there is one. A
        test sends each request to a server, and compares the answers (tests/contract/test_examples.py)."""
        beside = Path(str(sys.modules[type(self.view).__module__].__file__)).parent
        file = beside / "examples" / f"{self.get_operation_id()}.json"
        if not file.is_file():
            return []
        found = json.loads(file.read_text(encoding="utf-8"))
        answer = OpenApiExample("answer", found["answer"], response_only=True, status_codes=[str(found["status"])])
        if "request" not in found:
            return [answer]
        return [OpenApiExample("request", found["request"], request_only=True), answer]

    def get_override_parameters(self) -> list[Any]:
        """The parameters in addition to those of the serializers."""
        declared: list[Any] = super().get_override_parameters()
        if not isinstance(self.view, GovernedView):
            return declared
        if self.method not in {"GET", "HEAD"} and isinstance(self.view, idempotency.IdempotentMixin):
            declared = [
                *declared,
                OpenApiParameter(
                    idempotency.HEADER,
                    {"type": "string", "pattern": f"^{idempotency.VISIBLE_ASCII.pattern}$"},
                    OpenApiParameter.HEADER,
                    description="Your name for this request, such as a UUID. A request that is sent again with the same"
                    " key is done once; the answer is the same.",
                ),
            ]
        if self.method not in {"GET", "HEAD"}:
            declared = [
                *declared,
                OpenApiParameter(
                    receipts.HEADER,
                    str,
                    OpenApiParameter.HEADER,
                    description="Any value. The answer then has `receipt`, the server's signed promise that your"
                    " records are in the ledger (docs/ledger.md).",
                ),
            ]
        return [
            *declared,
            OpenApiParameter(
                HEADER,
                {"type": "string", "minLength": 1, "maxLength": text.IDENTIFIER.max_length},
                OpenApiParameter.HEADER,
                description="Your session. The use of memory is counted per session (docs/promotion.md). A field of the"
                " request that names your session takes precedence.",
            ),
            OpenApiParameter(
                on_behalf.HEADER,
                {"type": "string", "pattern": "^[a-z][a-z0-9_]{0,49}:.{1,200}$"},
                OpenApiParameter.HEADER,
                description="The principal on whose behalf you ask, `type:id`, such as `patient:ada`. Your key must be"
                " allowed to speak for it (docs/principals.md).",
            ),
        ]
