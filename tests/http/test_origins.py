"""A page may use the server if its whole origin is that of the server, or trusted."""

import pytest

from memory_project.web.origins import is_allowed

pytestmark = pytest.mark.pure


@pytest.mark.parametrize(
    ("origin", "allowed"),
    [
        ("https://suture.example", True),
        ("https://suture.example:8443", True),
        ("HTTPS://Suture.Example", True),
        ("http://[::1]:8000", True),
        ("https://trusted.example", True),
        ("https://evil.example", False),
        ("https://suture.example@evil.example", False),
        ("https://evil.example@suture.example", False),
        ("https://suture.example/evil", False),
        ("https://suture.example?x=evil", False),
        ("https://suture.example#evil", False),
        ("https://suture.example:99999", False),
        ("https://suture.example:", False),
        (" https://suture.example", False),
        ("https://suture.example https://evil.example", False),
        ("suture.example", False),
        ("file://suture.example", False),
        ("null", False),
        ("", False),
    ],
)
def test_an_origin_is_read_whole(origin, allowed):
    hosts = ["suture.example", "[::1]"]
    found = is_allowed(origin, "127.0.0.1:8000", allowed_hosts=hosts, trusted_origins=["https://trusted.example"])
    assert found is allowed
