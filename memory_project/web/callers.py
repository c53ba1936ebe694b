"""The sender of a request, before its credential is looked up."""

import ipaddress
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from governance.acting import gate

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


@dataclass(frozen=True, slots=True)
class Caller:
    """`digest` is the digest of the API key, None without one. `tenant_id` is the tenant of a key that this process has
    looked up before: not proof, but enough for rate limits."""

    digest: bytes | None
    tenant_id: UUID | None

    @property
    def is_known(self) -> bool:
        """Whether the key was valid when this process last looked it up."""
        return self.tenant_id is not None


NOBODY = Caller(None, None)


def caller_of(authorization: bytes) -> Caller:
    """The caller with this Authorization header."""
    scheme, _, key = authorization.partition(b" ")
    if scheme.lower() != b"bearer" or not key.strip():
        return Caller(b"", None) if authorization else NOBODY
    digest = gate.digest_of(key.strip().decode("latin-1"))
    found = gate.remembered(digest)
    return Caller(digest, None if found is None else found.tenant_id)


def tenant_of(authorization: bytes) -> UUID | None:
    """The tenant of the key in this Authorization header, if this process has looked it up before."""
    return caller_of(authorization).tenant_id


def address_of(scope: Mapping[str, Any], forwarded: bytes, trusted: Sequence[Network]) -> str:
    """The client's address. Behind proxies that are `trusted`, it is the last address in X-Forwarded-For (`forwarded`)
    that is not a trusted proxy: a client can forge everything before it."""
    address = str((scope.get("client") or ("", 0))[0])
    if not trusted or not forwarded:
        return address
    for said in reversed(forwarded.decode("latin-1").split(",")):
        if not _is_in(address, trusted):
            break
        try:
            address = str(ipaddress.ip_address(said.strip().strip("[]")))
        except ValueError:
            break
    return address


def _is_in(address: str, networks: Sequence[Network]) -> bool:
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return False
    return any(found.version == network.version and found in network for network in networks)


def counted_as(address: str) -> str:
    """The address for rate limits: for IPv6 the /64 network, because a client usually has all of it."""
    if ":" not in address:
        return address
    try:
        return str(ipaddress.ip_network((address.partition("%")[0], 64), strict=False))
    except ValueError:
        return address
