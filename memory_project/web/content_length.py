"""Bodies of unknown length, under a web server that streams them to WSGI."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, JsonResponse

from governance.http.problems import CONTENT_TYPE, Problem


class RequireLengthMiddleware:
    """Refuses a chunked body. WSGI cannot read one, so Django would see an empty body: a request without its
    conditions. The server of the stack reads bodies completely before (memory_project/asgi.py), so it passes none
    on."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if "HTTP_TRANSFER_ENCODING" not in request.META:
            return self.get_response(request)
        problem = Problem(411, "Send the body with a Content-Length.", "length-required", "Length required")
        return JsonResponse(problem.body(request), status=problem.status, content_type=CONTENT_TYPE)
