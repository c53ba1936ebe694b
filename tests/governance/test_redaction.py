"""Secrets in data in base64 are masked; in identifiers they are refused."""

import base64

import pytest

from governance.redaction import NOT_LOOKED_AT, SecretInIdentifier, mask_base64, refuse_secrets

pytestmark = pytest.mark.pure

KEY = "sut_0123abcd_" + "A" * 43


def test_text_in_base64_is_masked_within():
    data = base64.b64encode(f"key: {KEY}".encode()).decode()

    masked, found = mask_base64(data)

    assert base64.b64decode(masked).decode() == "key: [redacted: suture key]"
    assert found == {"suture key": 1}


def test_what_is_not_looked_at_is_said():
    picture = base64.b64encode(b"\x89PNG\xff").decode()
    long = base64.b64encode(b"a" * 1_100_000).decode()

    assert mask_base64(picture) == (picture, {NOT_LOOKED_AT: 1})
    assert mask_base64(long) == (long, {NOT_LOOKED_AT: 1})


def test_identifiers_are_refused():
    refuse_secrets([("/session_id", "call-17"), ("/project_id", None)])
    with pytest.raises(SecretInIdentifier) as refused:
        refuse_secrets([("/session_id", "call-17"), ("/subject_id", KEY)])
    assert refused.value.pointer == "/subject_id"
    assert "suture key" in refused.value.detail


# two forms of secrets that might go on in the next line, and one that does not
@pytest.mark.parametrize(
    "secret",
    [
        "patHkp1MaAyNz7PJt.7c7fd93146703bdcb6815691ce75bd6d11d19202a1492c4d9c34cfdd9531012c",
        "GOOG1E3GYC7SIAYFP6G2HLARIOZM5Q5OALG3PU2KBYWMSAOY4RGGJQKJDT7K4GZU sEzHrQOla+z2lp9W5fHs13Tj9Kcwh5zkiPlpl50M",
        KEY,
    ],
)
def test_a_secret_is_refused_whatever_is_beside_it(secret):
    with pytest.raises(SecretInIdentifier):
        refuse_secrets([("/session_id", "alice"), ("/subject_id", secret), ("/project_id", "project-7")])
