"""A transport of httpx to the server in the test's own transaction."""

import httpx
from django.test import Client


class ThroughDjango(httpx.MockTransport):
    """Sends each request through Django's test client."""

    def __init__(self) -> None:
        super().__init__(self._respond)
        self._client = Client(raise_request_exception=False)

    def _respond(self, request: httpx.Request) -> httpx.Response:
        names = {name: request.headers[name] for name in request.headers if name not in ("content-type", "host")}
        answer = self._client.generic(
            request.method,
            request.url.raw_path.decode(),
            request.content,
            request.headers.get("Content-Type", "application/json"),
            headers=names,
        )
        content = b"".join(answer) if answer.streaming else answer.content
        return httpx.Response(answer.status_code, headers=list(answer.items()), content=content)
