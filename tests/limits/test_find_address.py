"""Which address a request is counted by."""

from ipaddress import ip_network

import pytest

from memory_project.web.callers import address_of, counted_as

pytestmark = pytest.mark.pure

PROXIES = [ip_network("10.0.0.0/8"), ip_network("fd00::/8")]


@pytest.mark.parametrize(
    ("client", "forwarded", "trusted", "expected"),
    [
        ("203.0.113.1", "", PROXIES, "203.0.113.1"),
        # nobody is trusted: anybody may write this
        ("203.0.113.1", "198.51.100.7", [], "203.0.113.1"),
        ("203.0.113.1", "198.51.100.7", PROXIES, "203.0.113.1"),
        ("10.0.0.1", "198.51.100.7", PROXIES, "198.51.100.7"),
        ("10.0.0.1", "198.51.100.7, 10.0.0.2", PROXIES, "198.51.100.7"),
        # what stands before the first address that is no proxy's is the client's invention
        ("10.0.0.1", "192.0.2.1, 198.51.100.7", PROXIES, "198.51.100.7"),
        ("10.0.0.1", "not an address", PROXIES, "10.0.0.1"),
        ("fd00::1", "2001:db8::7", PROXIES, "2001:db8::7"),
        ("fd00::1", "[2001:db8::7]", PROXIES, "2001:db8::7"),
        ("", "198.51.100.7", PROXIES, ""),
    ],
)
def test_the_address_is_the_last_that_is_no_proxy(client, forwarded, trusted, expected):
    assert address_of({"client": (client, 1)}, forwarded.encode(), trusted) == expected


def test_a_server_on_a_socket_has_no_address():
    assert address_of({"client": None}, b"", PROXIES) == ""


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("203.0.113.1", "203.0.113.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", ""),
    ],
)
def test_a_household_of_ipv6_is_one(address, expected):
    assert counted_as(address) == expected
