"""Bodies of an unknown length, under a web server that hands them to WSGI as they come."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, JsonResponse

from governance.http.problems import CONTENT_TYPE, Problem


class RequireLengthMiddleware:
    """Refuses a chunked body. WSGI has no way to read one, so Django would take it for an empty body: a request without
    its conditions. The server of the stack reads bodies whole before (memory_project/asgi.py), and passes none on."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if "HTTP_TRANSFER_ENCODING" not in request.META:
            return self.get_response(request)
        problem = Problem(411, "Send the body with a Content-Length.", "length-required", "Length required")
        return JsonResponse(problem.body(request), status=problem.status, content_type=CONTENT_TYPE)
