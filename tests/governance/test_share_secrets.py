"""The secrets that all nodes of a database share: a node with others is refused, and makes no signing key."""

import secrets
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from django.core.management import CommandError, call_command

from governance.ledger import db, keyring, shared_secrets
from governance.models import Chain, SharedSecret
from tests.world import make_world

pytestmark = [
    pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"]),
    pytest.mark.usefixtures("noted_secrets"),
]

SECRETS_OF_THE_WEB = ["secret_key", "encryption_key"]


@pytest.fixture(autouse=True)
def home(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """SUTURE_HOME of a node that has never started, with other secrets than any."""
    settings.SUTURE_HOME = tmp_path
    settings.SECRET_KEY = secrets.token_urlsafe(48)
    settings.ENCRYPTION_KEYS = [secrets.token_bytes(32)]
    for name in ("SUTURE_SIGNING_KEY", "SUTURE_SIGNING_KEY_FILE"):
        monkeypatch.delenv(name, raising=False)
    SharedSecret.objects.using("owner").all().delete()
    return tmp_path


def note_key(public: bytes) -> None:
    db.note_shared_secret.on("owner")(
        name="signing_key", fingerprint=keyring.fingerprint(public), origin="first:/srv/suture", replaces=True
    )


def pem(key: Ed25519PrivateKey) -> str:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


def raw(key: Ed25519PrivateKey) -> bytes:
    return key.public_key().public_bytes_raw()


def test_a_node_with_the_same_secrets_is_taken(capsys: pytest.CaptureFixture[str]) -> None:
    shared_secrets.note(SECRETS_OF_THE_WEB)
    call_command("check_secrets")
    assert capsys.readouterr().out == "The secrets of this node match those of its database.\n"


@pytest.mark.parametrize("command", ["check_secrets", "migrate"])
def test_a_node_with_another_secret_is_refused_and_told_which_and_where_the_right_one_is(
    settings: Any, home: Path, command: str
) -> None:
    shared_secrets.note(SECRETS_OF_THE_WEB)
    settings.SUTURE_HOME = home / "another"
    settings.SECRET_KEY = "another"
    with pytest.raises(CommandError) as refused:
        call_command(command)
    reason = str(refused.value)
    assert f"- SECRET_KEY, by default {home / 'another' / 'secret_key'}: copy it from " in reason
    assert f":{home}, which stored it on " in reason
    assert "check_secrets --replace secret_key" in reason
    assert "ENCRYPTION" not in reason


def test_a_new_encryption_key_before_the_old_one_is_taken(settings: Any) -> None:
    shared_secrets.note(SECRETS_OF_THE_WEB)
    (old,) = settings.ENCRYPTION_KEYS
    settings.ENCRYPTION_KEYS = [secrets.token_bytes(32), old]
    shared_secrets.require_same()
    settings.ENCRYPTION_KEYS = settings.ENCRYPTION_KEYS[:1]
    with pytest.raises(shared_secrets.OtherSecrets, match="SUTURE_ENCRYPTION_KEYS"):
        shared_secrets.require_same()


def test_a_process_that_may_not_read_the_encryption_key_is_taken(settings: Any) -> None:
    shared_secrets.note(SECRETS_OF_THE_WEB)
    settings.ENCRYPTION_KEYS = []
    shared_secrets.require_same()


def test_a_secret_is_replaced_on_purpose_alone(settings: Any) -> None:
    shared_secrets.note(SECRETS_OF_THE_WEB)
    old, settings.SECRET_KEY = settings.SECRET_KEY, "another"
    shared_secrets.note(SECRETS_OF_THE_WEB)
    with pytest.raises(shared_secrets.OtherSecrets):
        shared_secrets.require_same()
    call_command("check_secrets", "--replace", "secret_key")
    settings.SECRET_KEY = old
    with pytest.raises(shared_secrets.OtherSecrets):
        shared_secrets.require_same()


def test_the_database_has_nothing_that_two_equal_secrets_have_in_common(settings: Any) -> None:
    def noted() -> str:
        return next(one.fingerprint for one in db.shared_secrets.on("owner")() if one.name == "secret_key")

    shared_secrets.note(SECRETS_OF_THE_WEB)
    first = noted()
    shared_secrets.note(SECRETS_OF_THE_WEB, replaces=True)
    assert noted() != first
    assert settings.SECRET_KEY not in first


def test_no_signing_key_is_made_where_the_ledger_is_signed_already(home: Path) -> None:
    make_world_of_another_node()
    with pytest.raises(keyring.SigningKeyUnusable, match="No new key was created"):
        keyring.keys()
    note_key(raw(Ed25519PrivateKey.generate()))
    with pytest.raises(keyring.SigningKeyUnusable, match="Copy the key from first:/srv/suture"):
        keyring.keys()
    with pytest.raises(shared_secrets.OtherSecrets, match=r"SUTURE_SIGNING_KEY, .* copy it from first:/srv/suture"):
        shared_secrets.require_same()
    assert list(home.iterdir()) == []


def make_world_of_another_node() -> None:
    """A tenant whose chains have a key that is not here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SUTURE_SIGNING_KEY", pem(Ed25519PrivateKey.generate()))
        make_world()


def test_a_new_tenant_is_refused_to_a_node_with_another_signing_key(monkeypatch: pytest.MonkeyPatch) -> None:
    first, another = Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate()
    note_key(raw(first))
    monkeypatch.setenv("SUTURE_SIGNING_KEY", pem(another))
    with pytest.raises(keyring.SigningKeyMissing, match="Copy the key from first:/srv/suture"):
        make_world()


def test_a_new_tenant_has_the_key_of_all_nodes_whichever_comes_first_here(monkeypatch: pytest.MonkeyPatch) -> None:
    first, another = Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate()
    note_key(raw(first))
    monkeypatch.setenv("SUTURE_SIGNING_KEY", pem(another) + pem(first))
    world = make_world()
    with world.inside():
        chains = Chain.objects.filter(tenant_id=world.tenant_id, public_key__isnull=False)
        assert {bytes(key) for key in chains.values_list("public_key", flat=True) if key} == {raw(first)}


def test_a_signing_key_that_no_chain_has_is_not_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    make_world_of_another_node()
    monkeypatch.setenv("SUTURE_SIGNING_KEY", pem(Ed25519PrivateKey.generate()))
    shared_secrets.note()
    assert {one.name for one in db.shared_secrets.on("owner")()} == set(SECRETS_OF_THE_WEB)
