"""Secrets are masked wherever they stand, in time that grows with the text."""

import base64
import re

import pytest

from governance.redaction import NOT_LOOKED_AT, SecretInIdentifier, redact, redact_all, redact_base64, refuse_secrets
from governance.secret_rules import RULES, is_card_number

from .regex_steps import TooManySteps, steps

pytestmark = pytest.mark.pure

KEY = "sut_0123abcd_" + "A" * 43
GITHUB = "ghp_" + "a1" * 18
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P"


@pytest.mark.parametrize(
    ("kind", "secret"),
    [
        ("suture key", KEY),
        ("github token", GITHUB),
        ("github token", "github_pat_" + "a1" * 30),
        ("json web token", JWT),
        ("openai token", "sk-" + "a" * 48),
        ("password", "hunter2222"),
        ("aws access key", "AKIA" + "A1" * 8),
        ("gitlab token", "glpat-" + "a" * 60),
        ("mailchimp access key", "0123456789abcdef" * 2 + "-us12"),
        ("npm tokens", "npm_" + "a1" * 18),
        ("slack token", "xoxb-123456789012-abcdef"),
        ("slack token", "https://hooks.slack.com/services/T0000/B0000/XXXX"),
        ("stripe access key", "sk_live_" + "a" * 24),
        ("telegram bot token", "1234567890:" + "a" * 35),
        ("discord bot token", "M" + "a" * 24 + "." + "b" * 6 + "." + "c" * 27),
        ("sendgrid api key", "SG." + "a" * 22 + "." + "b" * 43),
        ("twilio api key", "SK" + "a" * 32),
        ("private key", "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----"),
        ("private key", "-----BEGIN PRIVATE KEY-----\nMIIE and no end"),
        ("card number", "4111 1111 1111 1111"),
        ("card number", "4111-1111-1111-1111"),
        ("card number", "4111\u00a01111\u00a01111\u00a01111"),
        ("card number", "5555555555554444"),
        ("card number", "3782 822463 10005"),
        ("card number", "378282246310005"),
        ("card number", "30569309025904"),
        ("card number", "6011.1111.1111.1117"),
    ],
)
@pytest.mark.parametrize("text", ["{}", "before {} after", 'a "{}", b', "line\n{}\nline"])
def test_each_kind_is_known(kind, secret, text):
    said = f"password: {secret}" if kind == "password" else secret

    masked, found = redact(text.format(said))

    assert found == {kind}
    assert secret not in masked
    assert f"[redacted: {kind}]" in masked


@pytest.mark.parametrize(
    "text",
    [
        "The commit is 63dd9c4f0a63dd9c4f0a63dd9c4f0a63dd9c4f0a.",
        "Order 4111 1111 1111 1112",
        "1700000000000 and 1700000000000000 are moments",
        "a4111111111111111b",
        "0.4111111111111111",
        "41111111111111114111",
        "https://example.com/a/b?c=d#e",
        "01a2025d-4111-1111-8111-1111111111110",
        "The password reset was sent.",
        "basic information, bearer of news",
        "//////// and ::::::::",
    ],
)
def test_what_is_no_secret_stays(text):
    assert redact(text) == (text, set())


@pytest.mark.parametrize(
    "text",
    [
        "https://jack:hunter2222@example.com/",
        "https://:hunter2222@example.com/",
        '{"password": "hunter2222"}',
        "PWD = 'hunter2222'",
        "Authorization: Basic hunter2222",
        "authorization: bearer hunter2222",
        "//registry.npmjs.org/:_authToken=hunter2222hunter2222",
        "aws_secret_access_key = '" + "hunter2222" * 4 + "'",
    ],
)
def test_a_secret_is_known_by_what_stands_before_it(text):
    assert "hunter2222" not in redact(text)[0]


@pytest.mark.parametrize("secret", [KEY, GITHUB, JWT, "password: hunter2222", "4111 1111 1111 1111"])
def test_a_secret_in_base64_goes_with_the_base64(secret):
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        run = encode(f"user\u00e9 {secret} more".encode()).decode()
        for written in (run, run.rstrip("=")):
            masked, found = redact(f"data:text/plain;base64,{written}")
            assert masked.startswith("data:text/plain;base64,[redacted: ")
            assert len(found) == 1


def test_base64_in_lines_is_one():
    run = base64.encodebytes(f"{'x' * 50} {KEY} {'y' * 50}".encode()).decode()

    assert redact(run)[1] == {"suture key"}


def test_names_and_numbers_and_values_of_passwords_within_json_are_masked():
    value = {
        KEY: 1,
        f"{KEY}!": [2, 4111111111111111],
        "f": {"Password": "hunter2222", "pwd": 1, "passwd": 12345678},
    }

    masked, found = redact_all(value)

    assert found == {"suture key", "card number", "password"}
    assert masked == {
        "[redacted: suture key] 1": 1,
        "[redacted: suture key]! 1": [2, "[redacted: card number]"],
        "f": {"Password": "[redacted: password]", "pwd": 1, "passwd": "[redacted: password]"},
    }


def test_masked_names_stay_apart():
    value = {f"sut_0123abcd_{letter * 43}": letter for letter in "ABC"}

    assert sorted(redact_all(value)[0].values()) == ["A", "B", "C"]


def test_text_in_base64_is_masked_within():
    data = base64.b64encode(f"key: {KEY}".encode()).decode()

    masked, found = redact_base64(data)

    assert base64.b64decode(masked).decode() == "key: [redacted: suture key]"
    assert found == {"suture key"}


def test_what_is_not_looked_at_is_said():
    picture = base64.b64encode(b"\x89PNG\xff").decode()
    long = base64.b64encode(b"a" * 1_100_000).decode()

    assert redact_base64(picture) == (picture, {NOT_LOOKED_AT})
    assert redact_base64(long) == (long, {NOT_LOOKED_AT})


def test_identifiers_are_refused():
    refuse_secrets([("/session_id", "call-17"), ("/project_id", None)])
    with pytest.raises(SecretInIdentifier) as refused:
        refuse_secrets([("/session_id", "call-17"), ("/subject_id", KEY)])
    assert refused.value.pointer == "/subject_id"
    assert "suture key" in refused.value.detail


@pytest.mark.parametrize(
    ("number", "expected"), [("4242424242424242", True), ("4242424242424241", False), ("1111111111111117", False)]
)
def test_card_numbers_have_a_brand_and_a_check_digit(number, expected):
    assert is_card_number(number) is expected


#: What a rule may be led on by: beginnings of each format, again and again.
LURES = [
    *sorted({needle for rule in RULES for needle in rule.needles}),
    *sorted({needle.upper() for rule in RULES for needle in rule.needles}),
    "/", "//a", "://a:", "https://a/b", "eyJ", "eyJabcdefgh.", "M.", "M", "-----BEGIN A ",
    "-----BEGIN PRIVATE KEY-----",
    "4111 ", "4 ", "4", "3782 822463 ", "pwd ", "password  ", "password:", "aws'key'", "awspwpw", "a'", "xoxb-1-", ":a",
    "AC", "SK", "abcdef.", "a b", "A", "a", "0", "-", "_", "=", "+/", "\n", "A" * 76 + "\n", "authorization: bearer ",
]  # fmt: skip


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.kind}-{rule.pattern.pattern[:20]}")
def test_the_steps_grow_with_the_text(rule):
    for lure in LURES:
        once, twice = lure * (250 // len(lure) + 1), lure * 2 * (250 // len(lure) + 1)
        for text in (once, f"{once}!"):
            # at most the longest bounded repetition for each character
            assert steps(rule.pattern, text) < 120 * len(text), lure
        assert steps(rule.pattern, twice) < 2.5 * steps(rule.pattern, once) + 1_000, lure


def test_the_counting_finds_what_is_quadratic():
    for pattern in (r"\/\/.+\/:_authToken=", r"(?:a+)+b", r"a*b"):
        with pytest.raises(TooManySteps):
            steps(re.compile(pattern), "//" * 1_000 + "a" * 2_000, limit=400_000)


def test_what_stands_before_is_looked_at_within_bounds():
    for rule in RULES:
        if rule.before is not None:
            for lure in LURES:
                assert steps(rule.before, (lure * 64)[:64]) < 40_000, (rule.kind, lure)
