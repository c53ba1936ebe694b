"""The secret of a second factor: the database has it encrypted, for its owner, under a key that it does not have."""

import secrets
from base64 import b32encode, b64encode

import pytest
from django.test import Client
from django_otp.oath import TOTP

from governance import encryption
from governance.encryption import EncryptionKeyMissing
from governance.identity import second_factor
from governance.models import Authenticator, User

SECRET = bytes(range(20))


@pytest.fixture
def keys(settings):
    settings.ENCRYPTION_KEYS = [secrets.token_bytes(32)]
    return settings


@pytest.mark.pure
def test_a_secret_comes_back_for_its_owner_alone(keys):
    text = encryption.encrypt(SECRET, belongs_to="totp:ann")
    assert encryption.decrypt(text, belongs_to="totp:ann") == SECRET
    assert text.isascii()
    assert len(text) <= 80, "the column has no more room"
    assert encryption.encrypt(SECRET, belongs_to="totp:ann") != text
    with pytest.raises(EncryptionKeyMissing):
        encryption.decrypt(text, belongs_to="totp:bob")


@pytest.mark.pure
def test_a_new_key_is_put_before_the_old_one(keys):
    text = encryption.encrypt(SECRET, belongs_to="x")
    keys.ENCRYPTION_KEYS = [secrets.token_bytes(32), *keys.ENCRYPTION_KEYS]
    assert encryption.decrypt(text, belongs_to="x") == SECRET
    newer = encryption.encrypt(SECRET, belongs_to="x")
    keys.ENCRYPTION_KEYS = keys.ENCRYPTION_KEYS[:1]
    assert encryption.decrypt(newer, belongs_to="x") == SECRET
    with pytest.raises(EncryptionKeyMissing):
        encryption.decrypt(text, belongs_to="x")


@pytest.mark.pure
@pytest.mark.parametrize("text", ["", "1", "1AAAA", "0" * 64, SECRET.hex(), "1" + "A" * 64, "1!!!", "1\u00e9"])
def test_what_is_no_such_text_is_refused(keys, text):
    with pytest.raises(EncryptionKeyMissing):
        encryption.decrypt(text, belongs_to="x")


@pytest.mark.pure
def test_without_a_key_nothing_is_kept(settings):
    settings.ENCRYPTION_KEYS = []
    with pytest.raises(EncryptionKeyMissing):
        encryption.encrypt(SECRET, belongs_to="x")


@pytest.mark.django_db(transaction=True)
def test_the_database_has_no_secret_and_the_web_verifies_codes(world):
    user = User.objects.get(username=world.bob_name)
    second_factor.begin(user)
    device = Authenticator.objects.get(user=user)
    secret = device.bin_key
    assert len(secret) == second_factor.SECRET_BYTES
    for readable in (secret.hex(), b32encode(secret).decode(), b64encode(secret).decode()):
        assert readable.lower().rstrip("=") not in device.key.lower()
    code = f"{TOTP(secret, device.step, device.t0, device.digits).token():06d}"
    assert second_factor.confirm(user, code)


@pytest.mark.django_db(transaction=True)
def test_with_another_key_the_login_says_what_is_wrong(world, settings):
    user = User.objects.get(username=world.bob_name)
    second_factor.begin(user)
    device = Authenticator.objects.get(user=user)
    code = f"{TOTP(device.bin_key, device.step, device.t0, device.digits).token():06d}"
    assert second_factor.confirm(user, code)
    settings.ENCRYPTION_KEYS = [secrets.token_bytes(32)]
    filled = {"username": world.bob_name, "password": world.passwords["bob"], "code": "123456"}
    answer = Client().post("/admin/login/", filled)
    assert answer.status_code == 200
    assert "does not have the key" in answer.content.decode()
