"""Which site a request comes from, and at which address it knows this server."""

from collections.abc import Sequence
from urllib.parse import urlsplit

from django.http.request import validate_host


def is_allowed(origin: str, host: str, *, allowed_hosts: Sequence[str], trusted_origins: Sequence[str]) -> bool:
    """Whether a page of `origin` may use this server, which it reached as `host`: it is of the same host, of a host
    that this server answers to, or trusted. A page of another site that had its name resolve to this server is none of
    these (DNS rebinding)."""
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
    # "*" says that somebody else checks the Host, and nothing of origins
    named = [allowed for allowed in allowed_hosts if allowed != "*"]
    return validate_host(f"[{name}]" if ":" in name else name, named)


def public_address(scheme: str, host: str, trusted_origins: Sequence[str]) -> str:
    """The address at which a client reached this server. Behind a proxy that ends TLS, the request says http, and the
    origin that the admin site trusts says https."""
    secure = f"https://{host}"
    return secure if secure in trusted_origins else f"{scheme}://{host}"
