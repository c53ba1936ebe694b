"""The signing key: made once, pinned by the first entry of a chain, changed by an entry that the old key signed."""

import stat
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
)
from django.core.management import CommandError, call_command

from governance.acting import gate
from governance.ledger import db, keyring, signing_keys, status
from suture_verify.signatures import is_signed
from tests.erasure.conftest import admins_of
from tests.factories import EditFactory
from tests.ledger.breaking import broken_everywhere
from tests.ledger.tampering import append, assert_intact, entries, pinned, seal, writes_of

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])

ALICE = "agent:alice"


def pem(key, encryption=None):
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption or NoEncryption()).decode()


def public(key):
    return key.public_key().public_bytes_raw()


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_the_first_entry_pins_the_key_and_all_are_signed_by_it(world):
    world.edit(world.chunk(), "amend", text="Corrected")
    append(world, chain=ALICE)
    key = keyring.current().public

    for chain, opening in (("governance", "genesis"), (ALICE, "identity")):
        found = entries(world, chain)
        assert (found[0].type, found[0].metadata["public_key"]) == (opening, key.hex())
        assert pinned(world, chain) == key
        for entry in found:
            assert is_signed(bytes(entry.canonical), bytes(entry.signature), key)
    assert entries(world, ALICE)[0].metadata["agent"] == "alice"
    assert_intact(world)


def test_the_key_file_is_its_owners_alone(world, home):
    assert mode(home / "ledger.key") == 0o600
    assert [path.name for path in home.iterdir()] == ["ledger.key"]


def test_of_many_that_start_at_once_one_makes_the_key(home, at_once):
    found = at_once(*[lambda: keyring.current().public] * 16)

    assert set(found) == {keyring.current().public}
    assert [path.name for path in home.iterdir()] == ["ledger.key"]


@pytest.mark.parametrize("escaped", [False, True])
def test_the_environment_can_give_the_key(new_world, monkeypatch, home, escaped):
    key = Ed25519PrivateKey.generate()
    monkeypatch.setenv("SUTURE_SIGNING_KEY", pem(key).replace("\n", "\\n") if escaped else pem(key))

    world = new_world()

    assert pinned(world) == public(key)
    assert not (home / "ledger.key").exists()


def test_the_environment_can_name_the_file(new_world, monkeypatch, home):
    key = Ed25519PrivateKey.generate()
    (home / "given.pem").write_text(pem(key))
    monkeypatch.setenv("SUTURE_SIGNING_KEY_FILE", str(home / "given.pem"))

    assert pinned(new_world()) == public(key)
    assert not (home / "ledger.key").exists()


UNUSABLE = {
    "nothing": (b"", "contains no PEM private key"),
    "words": (b"a key, honestly", "contains no PEM private key"),
    "binary": (bytes(range(128, 256)), "is not a PEM file"),
    "another kind of key": (pem(generate_private_key(SECP256R1())).encode(), "not an Ed25519 key"),
    "an encrypted key": (
        pem(Ed25519PrivateKey.generate(), BestAvailableEncryption(b"secret")).encode(),
        "contains no PEM private key",
    ),
    "a damaged key": (
        b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
        "contains a PEM block that is not a private key",
    ),
}


@pytest.mark.parametrize("material", UNUSABLE)
def test_a_file_without_a_usable_key_is_refused_by_its_name(monkeypatch, tmp_path, material):
    content, reason = UNUSABLE[material]
    file = tmp_path / "given.pem"
    file.write_bytes(content)
    monkeypatch.setenv("SUTURE_SIGNING_KEY_FILE", str(file))

    with pytest.raises(keyring.SigningKeyUnusable, match=reason) as refused:
        keyring.current()
    assert str(file) in refused.value.for_operator
    assert str(file) not in refused.value.detail  # which clients see
    if content:
        assert content.decode(errors="replace") not in refused.value.for_operator


@pytest.mark.parametrize("material", ["words", "another kind of key", "a damaged key"])
def test_an_environment_without_a_usable_key_is_refused_by_its_name(monkeypatch, material):
    content, reason = UNUSABLE[material]
    monkeypatch.setenv("SUTURE_SIGNING_KEY", content.decode())

    with pytest.raises(keyring.SigningKeyUnusable, match=f"SUTURE_SIGNING_KEY {reason}|SUTURE_SIGNING_KEY .*{reason}"):
        keyring.current()


@pytest.mark.parametrize("place", ["missing.pem", "."])
def test_a_file_that_cannot_be_read_is_refused_by_its_name(monkeypatch, tmp_path, place):
    monkeypatch.setenv("SUTURE_SIGNING_KEY_FILE", str(tmp_path / place))

    with pytest.raises(keyring.SigningKeyUnusable, match="cannot be read"):
        keyring.current()


def test_a_home_that_cannot_hold_the_key_is_refused_by_its_name(settings, tmp_path):
    (tmp_path / "file").touch()
    settings.SUTURE_HOME = tmp_path / "file"

    with pytest.raises(keyring.SigningKeyUnusable, match=r"cannot be (read|made): Not a directory"):
        keyring.current()


def test_without_the_key_nothing_is_written_and_all_is_read(world, home):
    chunk = world.chunk("The quick brown fox")
    kept = (home / "ledger.key").read_text()
    (home / "ledger.key").unlink()
    before = len(entries(world))

    proposal = EditFactory(target_id=chunk, op="quarantine")
    answer = world.bob.post("edits", proposal)

    assert answer.status_code == 503
    problem = answer.json()
    assert problem["type"].endswith("signing-key-missing")
    assert "check_ledger" in problem["detail"]
    assert str(home) not in problem["detail"]
    assert "Retry-After" not in answer.headers  # it lasts until the key is back
    (told,) = (why for slug, why in status.obstacles().items() if slug == world.slug)
    assert pinned(world).hex()[:16] in told
    assert "Restore that key" in told
    assert world.found("fox") == ["The quick brown fox"]
    assert world.auditor.get("edits").status_code == 200
    for path, body in writes_of(world).items():
        answer = world.alice.post(path, body)
        assert (answer.status_code, answer.json()["type"].rsplit(":", 1)[-1]) == (503, "signing-key-missing"), path
    assert world.found("unsealed") == []
    assert len(entries(world)) == before

    (home / "ledger.key").write_text(kept)
    world.edit(chunk, "quarantine")
    assert world.found("fox") == []
    assert_intact(world)


# -- Rotation.


def test_a_rotation_is_signed_by_the_old_key_and_what_follows_by_the_new(alone, home):
    append(alone, chain=ALICE)
    old = keyring.current().public

    assert signing_keys.rotate() == 2

    new = keyring.current().public
    assert new != old
    append(alone)
    append(alone, chain=ALICE)
    for chain in ("governance", ALICE):
        *_, rotated, last = entries(alone, chain)
        assert rotated.type == "key.rotated"
        assert (rotated.metadata["public_key"], rotated.metadata["previous_key"]) == (new.hex(), old.hex())
        assert is_signed(bytes(rotated.canonical), bytes(rotated.signature), old)
        assert is_signed(bytes(last.canonical), bytes(last.signature), new)
    assert mode(home / "ledger.key") == 0o600
    assert [key.public for key in keyring.keys()]  # noqa: SIM118 (a function, not a dictionary's) == [new, old]
    assert [path.name for path in home.iterdir()] == ["ledger.key"]
    seal(alone)
    assert_intact(alone)


@pytest.mark.usefixtures("noted_secrets")
def test_the_command_tells_the_key_and_how_many_chains_and_lets_other_nodes_know(alone, capsys):
    append(alone, chain=ALICE)

    call_command("rotate_signing_key")

    noted = {one.name: one.fingerprint for one in db.shared_secrets.on("owner")()}
    assert noted["signing_key"] == keyring.fingerprint(keyring.current().public)
    assert f"2 chains are signed with the key {keyring.current().public.hex()}" in capsys.readouterr().out


def test_a_key_can_be_changed_many_times(alone):
    for _ in range(3):
        assert signing_keys.rotate() == 2  # governance, and the agent's
        append(alone)

    assert [entry.type for entry in entries(alone)].count("key.rotated") == 3
    assert_intact(alone)


def test_a_running_process_takes_up_the_key_that_another_made(world, new_world, home):
    key = Ed25519PrivateKey.generate()
    file = home / "ledger.key"
    fresh = Path(f"{file}.new")
    fresh.write_text(pem(key) + file.read_text())
    fresh.replace(file)

    append(world)  # its chain still has the old one
    assert pinned(new_world()) == public(key)
    assert_intact(world)


@pytest.mark.parametrize(("decider", "verb"), [("dave", "reject"), ("carol", "withdraw")])
def test_an_erasure_whose_key_is_gone_can_be_ended_and_proposed_again(alone, decider, verb):
    admins = admins_of(alone)
    event = alone.event("Jon likes tea")["event_id"]
    erasure = admins.propose(by="event", id=event)
    for _ in range(2):  # the file keeps the key before the current one
        signing_keys.rotate()
    answer = admins.dave.post(f"erasures/{erasure}/approve", {})
    assert answer.status_code == 409
    assert "propose it again" in answer.json()["detail"]
    getattr(admins, decider).ok("post", f"erasures/{erasure}/{verb}", {"reason": "the key is gone"})
    again = admins.propose(by="event", id=event)
    assert admins.dave.ok("post", f"erasures/{again}/approve", {})["status"] == "executed"
    assert_intact(alone)


def test_two_rotations_at_once_lose_no_key(alone, at_once):
    append(alone, chain=ALICE)

    answers = at_once(*[signing_keys.rotate] * 3)

    assert all(isinstance(answer, int) for answer in answers), answers
    here = {key.public for key in keyring.keys()}  # noqa: SIM118 (a function, not a dictionary's)
    for chain in ("governance", ALICE):
        assert pinned(alone, chain) in here
        append(alone, chain=chain)
    assert_intact(alone)


@pytest.mark.slow
def test_killed_after_any_statement_a_rotation_is_finished_by_another_run(alone):
    append(alone, chain=ALICE)
    append(alone, chain="agent:carol")
    chains = ("governance", ALICE, "agent:carol")

    def check():
        signing_keys.rotate()
        for chain in chains:
            append(alone, chain=chain)

    assert broken_everywhere(signing_keys.rotate, check) > 10

    current = keyring.current().public
    assert {pinned(alone, chain) for chain in chains} == {current}
    assert_intact(alone)


def test_keys_of_the_environment_are_rotated_to_the_one_that_stands_first(new_world, monkeypatch):
    old, new = Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate()
    monkeypatch.setenv("SUTURE_SIGNING_KEY", pem(old))
    world = new_world()
    monkeypatch.setattr(gate, "tenants", lambda using="default": {world.slug: world.tenant_id})
    assert signing_keys.rotate() == 0

    monkeypatch.setenv("SUTURE_SIGNING_KEY", pem(new) + pem(old))
    append(world)
    assert signing_keys.rotate() == 2
    monkeypatch.setenv("SUTURE_SIGNING_KEY", pem(new))
    append(world)

    assert pinned(world) == public(new)
    assert_intact(world)


@pytest.mark.usefixtures("noted_secrets")
def test_a_rotation_without_the_present_key_is_refused(alone, home):
    (home / "ledger.key").unlink()

    with pytest.raises(CommandError, match="Restore that key"):
        call_command("rotate_signing_key")
    assert pinned(alone) != keyring.current().public
