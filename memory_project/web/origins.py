"""The origin of a request, and the address at which the client sees this server."""

from collections.abc import Sequence
from urllib.parse import urlsplit

from django.http.request import validate_host


def is_allowed(origin: str, host: str, *, allowed_hosts: Sequence[str], trusted_origins: Sequence[str]) -> bool:
    """Whether a page of `origin` may use this server, which it reached as `host`: its host is the same, is one of this
    server's hosts, or is trusted. This refuses a page of another site whose name resolves to this server (DNS
    rebinding)."""
    if origin in trusted_origins:
        return True
    try:
        parts = urlsplit(origin)
        name, port = parts.hostname, parts.port
    except ValueError:
        return False
    # The whole of it is a scheme, a host and a port: "https://suture.example@evil.example" names another host.
    shown = f"[{name}]" if ":" in (name or "") else name
    whole = f"{parts.scheme}://{shown}" + (f":{port}" if port is not None else "")
    if parts.scheme not in {"http", "https"} or not name or origin.lower() != whole:
        return False
    if parts.netloc.lower() == host.lower():
        return True
    # "*" means that another component checks the Host header; it allows no origin
    named = [allowed for allowed in allowed_hosts if allowed != "*"]
    return validate_host(f"[{name}]" if ":" in name else name, named)


def public_address(scheme: str, host: str, trusted_origins: Sequence[str]) -> str:
    """The address at which a client reached this server. Behind a proxy that terminates TLS, the request has the scheme
    http, and the admin site's trusted origin has https."""
    secure = f"https://{host}"
    return secure if secure in trusted_origins else f"{scheme}://{host}"
