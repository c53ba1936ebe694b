"""Checks one chain of entries as a stream: order, links, times, keys and signatures."""

from datetime import datetime

from suture_verify.entries import (
    KEY_ROTATED,
    NO_HASH,
    Entry,
    MalformedEntry,
    bytes_of,
    hash_of,
    opening_type,
    parse_entry,
)
from suture_verify.findings import Findings, Kind
from suture_verify.following import START, Position
from suture_verify.signatures import Claim, SignatureChecks, is_signed


class SignedEntry:
    """An entry whose signature is being checked. `earlier_keys` are the replaced keys of the chain."""

    __slots__ = ("announces_key", "chain", "earlier_keys", "seq")

    def __init__(self, chain: "ChainCheck", seq: int, announces_key: bool, earlier_keys: tuple[bytes, ...]) -> None:
        self.chain, self.seq, self.announces_key, self.earlier_keys = chain, seq, announces_key, earlier_keys


class ChainCheck:
    """Checks a chain's entries in order, and stores its hashes (32 bytes per entry) and keys."""

    def __init__(
        self,
        name: str,
        tenant: str,
        findings: Findings,
        signatures: SignatureChecks[SignedEntry],
        start: Position = START,
    ) -> None:
        """`start` is the last entry that is already verified."""
        self.name, self.next_seq = name, start.seq + 1
        self._tenant, self._findings, self._signatures = tenant, findings, signatures
        self._previous: bytes | None = start.hash  # None: unknown, after a gap
        self._ts: datetime | None = None
        # (first entry that the key signs, key), in order
        self._keys: list[tuple[int, bytes]] = [(start.seq, start.public_key)] if start.public_key else []
        self._earlier_keys: tuple[bytes, ...] = ()
        # (first number, hashes from there up to the next gap)
        self._hashes = [(0, bytearray())] if start.seq < 0 else [(start.seq, bytearray(start.hash))]
        # The numbers of the last entries that the chain's key did not sign.
        self._unsigned: list[int] = []
        findings.begin(name)

    def entry(self, seq: int, canonical: bytes, digest: bytes, signature: bytes) -> Entry | None:
        """Check the next entry; returns it if its bytes match the hash and belong to this chain."""
        if not self._in_order(seq):
            return None
        previous, self._previous, self.next_seq = self._previous, digest, seq + 1
        computed = hash_of(canonical)
        self._hashes[-1][1].extend(computed)
        is_whole = computed == digest
        if not is_whole:
            self._find(
                Kind.LINK, seq, "its hash is not the hash of its bytes", found=digest.hex(), expected=computed.hex()
            )
        try:
            entry = parse_entry(canonical)
        except MalformedEntry as error:
            if is_whole:
                self._find(Kind.MALFORMED, seq, str(error))
            return None
        if is_whole and not self._belongs(entry, seq):
            self._previous = None
            return None
        if is_whole:
            self._check_place(entry, seq, previous)
        self._ts = entry.ts
        signing_key = self._take_keys(entry, seq, is_whole)
        if is_whole and signing_key is not None:
            # Store the keys known now, so that it does not matter when the result arrives.
            subject = SignedEntry(self, seq, seq == 0 or entry.type == KEY_ROTATED, self._earlier_keys)
            self._signatures.add(Claim(subject, canonical, signature, signing_key))
        return entry if is_whole else None

    def settle(self, claim: Claim[SignedEntry], holds: bool) -> None:
        """Process the result of one signature check.

        The meaning of an invalid signature depends on later entries. A valid signature later in the chain proves,
        through the links, the entries before it, so only the signature is damaged. Without one, the rest of the chain
        was written with another key.
        """
        if holds:
            if self._unsigned:
                self._find_unsigned(Kind.SIGNATURE)
            return
        seq = claim.subject.seq
        others = [key for key in claim.subject.earlier_keys if key != claim.public_key]
        if any(is_signed(claim.message, claim.signature, key) for key in others):
            self._find(Kind.KEY, seq, "it is signed with a key of the chain that was replaced before")
        elif claim.subject.announces_key:
            self._find(Kind.KEY, seq, "it names a new key, and the current key did not sign it")
        else:
            self._unsigned.append(seq)

    def finish(self) -> None:
        """Run the checks that need the whole chain. Call it after the last `settle`."""
        self._find_unsigned(Kind.KEY if len(self._unsigned) > 1 else Kind.SIGNATURE)

    def hash_at(self, seq: int) -> bytes | None:
        """Return the hash of an entry; None if it does not exist."""
        for start, hashes in reversed(self._hashes):
            if start <= seq:
                at = (seq - start) * len(NO_HASH)
                return bytes(hashes[at : at + len(NO_HASH)]) or None
        return None

    def keys_at(self, seq: int) -> list[bytes]:
        """Return the keys that could sign for the chain when `seq` was its last entry."""
        last = max((start for start, _ in self._keys if start <= seq), default=0)
        # right after a rotation, both the old and the new key
        return [key for start, key in self._keys if last <= start <= seq + 1]

    @property
    def position(self) -> Position:
        """The last entry, and the key that must sign the next one."""
        last = self.next_seq - 1
        return Position(last, self.hash_at(last) or NO_HASH, self._keys[-1][1] if self._keys else None)

    def position_at(self, seq: int) -> Position | None:
        """Return an entry, and the key that must sign the next one; None if it does not exist."""
        digest = self.hash_at(seq)
        keys = [key for start, key in self._keys if start <= seq + 1]
        return Position(seq, digest, keys[-1]) if digest and keys else None

    def _in_order(self, seq: int) -> bool:
        missing = seq - self.next_seq
        if missing < 0:
            detail = f"it is repeated or out of order; expected {self.next_seq}"
            self._find(Kind.GAP, seq, detail, found=str(seq), expected=str(self.next_seq))
            return False
        if missing > 0:
            last = f" to {seq - 1}" if missing > 1 else ""
            self._find(
                Kind.GAP, self.next_seq, f"missing: {self.next_seq}{last}", found=str(seq), expected=str(self.next_seq)
            )
            self._previous = None
            self._hashes.append((seq, bytearray()))
        return True

    def _belongs(self, entry: Entry, seq: int) -> bool:
        if entry.tenant != self._tenant:
            detail = f"it belongs to the tenant {entry.tenant}"
            self._find(Kind.FOREIGN, seq, detail, found=entry.tenant, expected=self._tenant)
        elif entry.chain != self.name:
            detail = f"it belongs to the chain {entry.chain}"
            self._find(Kind.FOREIGN, seq, detail, found=entry.chain, expected=self.name)
        else:
            return True
        return False

    def _check_place(self, entry: Entry, seq: int, previous: bytes | None) -> None:
        if entry.seq != seq:
            self._find(Kind.GAP, seq, f"the signed text is entry {entry.seq}", found=str(entry.seq), expected=str(seq))
        if previous is not None and entry.prev_hash != previous:
            detail = "its prev_hash is not the hash of the entry before it"
            self._find(Kind.LINK, seq, detail, found=entry.prev_hash.hex(), expected=previous.hex())
        if self._ts is not None and entry.ts <= self._ts:
            now, before = entry.ts.isoformat(), self._ts.isoformat()
            self._find(Kind.TIME, seq, f"{now} is not after {before}", found=now, expected=f"after {before}")

    def _take_keys(self, entry: Entry, seq: int, is_whole: bool) -> bytes | None:
        """Return the key that must have signed the entry (None if unknown). A new key in the entry applies from the
        next entry on.

        The key in a changed entry applies too, so that one change is not reported again for every later entry.
        """
        in_force = self._keys[-1][1] if self._keys else None
        if seq and entry.type != KEY_ROTATED:
            return in_force
        try:
            announced = bytes_of(entry.metadata.get("public_key"))
        except ValueError:
            announced = None
        if seq == 0:
            if announced is not None and entry.type == opening_type(self.name):
                self._keys.append((0, announced))
                return announced
            if is_whole:
                self._find(Kind.KEY, seq, f"it is not a {opening_type(self.name)} entry that names the chain's key")
            return None
        replaces = entry.metadata.get("previous_key")
        if is_whole and (announced is None or (in_force is not None and replaces != in_force.hex())):
            self._find(Kind.KEY, seq, "it does not replace the current key with a new one")
        if announced is not None:
            self._keys.append((seq + 1, announced))
            if in_force is not None:
                self._earlier_keys += (in_force,)
        return in_force

    def _find(
        self, kind: Kind, seq: int, detail: str, *, found: str | None = None, expected: str | None = None
    ) -> None:
        self._findings.add(kind, self.name, seq, detail, found=found, expected=expected)

    def _find_unsigned(self, kind: Kind) -> None:
        for seq in self._unsigned:
            self._find(kind, seq, "the current key did not sign it")
        self._unsigned.clear()
