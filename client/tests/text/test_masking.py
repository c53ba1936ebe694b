"""Secrets are masked anywhere in a text, in linear time."""

import base64
import re
import subprocess
import sys
from pathlib import Path

import pytest

from suture_client.text import masking, unbroken
from suture_client.text.masking import RULES, mask, mask_all
from suture_client.text.secret_rules import is_card_number

from .regex_steps import TooManySteps, steps

pytestmark = pytest.mark.pure

KEY = "sut_0123abcd_" + "A" * 43
GITHUB = "ghp_" + "a1" * 18
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P"


KINDS = [
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
    ("private key", "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQVY\n=a-b\n-----END PGP PRIVATE KEY BLOCK-----"),
    ("private key", "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nP2/5\n---- END SSH2 ENCRYPTED PRIVATE KEY ----"),
    ("private key", "PuTTY-User-Key-File-3: ssh-ed25519\nPublic-Lines: 2\nAAAA\nPrivate-MAC: 0123abcd"),
    ("private key", "MIIEabcd+/==\nAAAA\n-----END RSA PRIVATE KEY-----"),
    ("private key", "MIIEabcd+/==\\nAAAA\\n-----END PRIVATE KEY-----"),
    ("azure storage account access key", "AccountKey=" + "a" * 86 + "=="),
    ("pypi token", "pypi-AgEIcHlwaS5vcmc" + "a" * 70),
    ("square oauth secret", "sq0csp-" + "a" * 43),
    ("google api key", "AIza" + "Sy_-5" * 7),
    ("google oauth secret", "GOCSPX-" + "a1" * 14),
    ("hugging face token", "hf_" + "aB" * 17),
    ("digitalocean token", "dop_v1_" + "0a" * 32),
    ("age secret key", "AGE-SECRET-KEY-1" + "A1" * 29),
    ("slack token", "xapp-1-A0123456789-0123456789012-" + "0a" * 20),
    ("artifactory credentials", "AKCp8" + "aB3" * 22),
    ("artifactory credentials", "AP5" + "aB3" * 5),
    ("softlayer credentials", "https://api.softlayer.com/soap/v3.1/" + "0a" * 32),
    ("card number", "4111 1111 1111 1111"),
    ("card number", "4111-1111-1111-1111"),
    ("card number", "4111\u00a01111\u00a01111\u00a01111"),
    ("card number", "5555555555554444"),
    ("card number", "3782 822463 10005"),
    ("card number", "378282246310005"),
    ("card number", "30569309025904"),
    ("card number", "6011.1111.1111.1117"),
]


def test_each_kind_is_detected_anywhere_in_a_text():
    wrong = []
    for kind, secret in KINDS:
        said = f"password: {secret}" if kind == "password" else secret
        for text in ("{}", "before {} after", 'a "{}", b', "line\n{}\nline"):
            masked, found = mask(text.format(said))
            if found != {kind: 1} or secret in masked or f"[redacted: {kind}]" not in masked:
                wrong.append((kind, text.format(said), masked, found))
    assert wrong == []


NO_SECRETS = [
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
    "The private key is in the safe; the API key too.",
    "api_key = settings.OPENAI_API_KEY",
    "API_KEY=$OPENAI_API_KEY_2024_2025 and ${SECRET_KEY_2024}",
    "the secret key commit 63dd9c4f0a63dd9c4f0a63dd9c4f0a63dd9c4f0a",
    "aws key rotated, see 63dd9c4f0a63dd9c4f0a63dd9c4f0a63dd9c4f0a",
    "primary_key: customer_accounts_2024_backup",
    "APBaseControllerFactory, AKComponentDescription, APARTMENTS, APEX2024DATABASE",
    "docker login --password-stdin",
    "CACHE_KEY=user_12_profile_34",
    "S3_KEY=exports/2024/10/customers_eu.csv",
    "git log --token",
    "//////// and ::::::::",
]


def test_other_text_is_not_masked():
    assert {text: mask(text) for text in NO_SECRETS} == {text: (text, {}) for text in NO_SECRETS}


AFTER_A_NAME = [
    "https://jack:hunter2222@example.com/",
    "https://:hunter2222@example.com/",
    '{"password": "hunter2222"}',
    "PWD = 'hunter2222'",
    "Authorization: Basic hunter2222",
    "authorization: bearer hunter2222",
    "//registry.npmjs.org/:_authToken=hunter2222hunter2222",
    "aws_secret_access_key = '" + "hunter2222" * 4 + "'",
    "AWS_SECRET_ACCESS_KEY=" + "hunter2222" * 4,
    "export DB_PASSWORD=hunter2222",
    "PGPASSWORD=hunter2222 psql",
    "passphrase: hunter2222",
    "mysql --password hunter2222 -u root",
    "gh --with-token hunter2222",
    "OPENAI_API_KEY=hunter2222hunter2222",
    "x-api-key: hunter2222hunter2222",
    '{"clientSecret": "hunter2222hunter2222"}',
    "access_token=>'hunter2222hunter2222'",
    "NPM_TOKEN=hunter2222hunter2222",
    "APP_SECRET: hunter2222hunter2222",
]


def test_a_secret_is_detected_by_the_text_before_it():
    assert [text for text in AFTER_A_NAME if "hunter2222" in mask(text)[0]] == []


OF_A_NAME = [
    ("cloudant credentials", "cloudant_api_key = '{}'", "0a" * 32),
    ("cloudant credentials", "CLOUDANT_PASSWORD {}", "abcdef" * 4),
    ("softlayer credentials", "softlayer_api_key: {}", "0z" * 32),
    ("ibm cloud iam key", "ibm_cloud_iam_api_key={}", "0a_-" * 11),
    ("ibm cloud iam key", "IBMCLOUD_API_KEY: '{}'", "0aBc" * 11),
    ("ibm cos hmac credentials", '"cos_hmac_secret_access_key": "{}"', "0a" * 24),
]


def test_a_kind_is_known_by_the_name_before_it():
    wrong = []
    for kind, text, secret in OF_A_NAME:
        masked, found = mask(text.format(secret))
        if secret in masked or found != {kind: 1}:
            wrong.append((kind, text, masked, found))
    assert wrong == []


def test_secrets_are_counted_by_kind():
    text = f"{KEY} and {KEY}, {GITHUB}; {base64.b64encode(f'{KEY} {KEY} and more'.encode()).decode()}"

    assert mask(text)[1] == {"suture key": 4, "github token": 1}
    assert mask_all([text, {"x": text}])[1] == {"suture key": 8, "github token": 2}
    assert mask("nothing")[1] == {}


def test_masked_text_is_not_masked_again():
    masked = mask(f"password: hunter2222 api_key={'a1' * 20} {KEY} --password hunter2222")[0]

    assert mask(masked) == (masked, {})
    assert mask_all({"password": "hunter2222"})[0] == mask_all(mask_all({"password": "hunter2222"})[0])[0]


def test_importing_it_takes_little():
    """Hooks import it before each tool call of an agent."""
    heavy = "typing, dataclasses, inspect, django, detect_secrets, requests, yaml, json, base64"
    code = (
        "import sys; before = set(sys.modules); import suture_client.text.masking;"
        "suture_client.text.masking.mask('a text: with 4 digits and https://example.com/a/path');"
        "print(*sorted({name.partition('.')[0] for name in set(sys.modules) - before}))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", code], cwd=Path(__file__).parents[2], capture_output=True, text=True, check=True
    )

    assert not set(done.stdout.split()) & set(heavy.split(", "))


@pytest.mark.parametrize("secret", [KEY, GITHUB, JWT, "password: hunter2222", "4111 1111 1111 1111"])
def test_a_secret_in_base64_is_masked_with_the_base64(secret):
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        run = encode(f"user\u00e9 {secret} more".encode()).decode()
        for written in (run, run.rstrip("=")):
            masked, found = mask(f"data:text/plain;base64,{written}")
            assert masked.startswith("data:text/plain;base64,[redacted: ")
            assert found.total() == 1


def test_base64_in_lines_is_one():
    run = base64.encodebytes(f"{'x' * 50} {KEY} {'y' * 50}".encode()).decode()

    assert mask(run)[1] == {"suture key": 1}


def test_names_and_numbers_and_values_of_passwords_within_json_are_masked():
    value = {
        KEY: 1,
        f"{KEY}!": [2, 4111111111111111],
        "f": {"Password": "hunter2222", "pwd": 1, "passwd": 12345678},
    }

    masked, found = mask_all(value)

    assert found == {"suture key": 2, "card number": 1, "password": 2}
    assert masked == {
        "[redacted: suture key] 1": 1,
        "[redacted: suture key]! 1": [2, "[redacted: card number]"],
        "f": {"Password": "[redacted: password]", "pwd": 1, "passwd": "[redacted: password]"},
    }


NAMED = [
    ("DB_PASSWORD", "hunter2222", True),
    ("api_key", "hunter2222hunter2222", True),
    ("X-Api-Key", "hunter2222hunter2222", True),
    ("clientSecret", "hunter2222hunter2222", True),
    ("access_token", "[redacted: github token]", False),
    ("api_key", "customer_accounts", False),
    ("access_token", "how 2 get the 2nd of all tokens", False),
    ("key", "hunter2222hunter2222", False),
    ("primary_key", "hunter2222hunter2222", False),
    ("NPM_TOKEN", "hunter2222hunter2222", True),
    ("CACHE_KEY", "user_12_profile_34", False),
    ("Authorization", "Bearer hunter2222", True),
    ("proxy-authorization", "hunter2222", True),
    ("authorization", "required", False),
    ("authorization", "is required here", False),
    ("token_count", 12345678901234567, False),
]


def test_a_value_is_masked_because_of_its_name():
    wrong = []
    for name, value, is_masked in NAMED:
        masked, found = mask_all({"env": {name: value}})
        if (masked["env"][name] != value, found.total()) != (is_masked, int(is_masked)):
            wrong.append((name, value, masked, found))
    assert wrong == []


def test_a_value_is_masked_because_of_the_name_beside_it():
    value = [{"name": "API_KEY", "value": "hunter2222hunter2222"}, {"name": "HOST", "value": "hunter2222hunter2222"}]

    masked, found = mask_all(value)

    assert [one["value"] for one in masked] == ["[redacted: secret keyword]", "hunter2222hunter2222"]
    assert found == {"secret keyword": 1}


@pytest.mark.parametrize("before", [0, 198, 199, 200])
def test_an_argument_is_masked_because_of_its_option(before):
    masked, found = mask_all(["x"] * before + ["mysql", "--password", "hunter2222", "-u", "--verbose", "root"])

    assert masked[before:] == ["mysql", "--password", "[redacted: password]", "-u", "--verbose", "root"]
    assert found == {"password": 1}


def test_masked_names_stay_apart():
    value = {f"sut_0123abcd_{letter * 43}": letter for letter in "ABC"}

    assert sorted(mask_all(value)[0].values()) == ["A", "B", "C"]


@pytest.mark.parametrize(
    ("number", "expected"), [("4242424242424242", True), ("4242424242424241", False), ("1111111111111117", False)]
)
def test_card_numbers_have_a_brand_and_a_check_digit(number, expected):
    assert is_card_number(number) is expected


#: Worst cases for the rules: repeated beginnings of each format.
LURES = [
    *sorted({needle for rule in RULES for needle in rule.needles}),
    *sorted({needle.upper() for rule in RULES for needle in rule.needles}),
    "/", "//a", "://a:", "https://a/b", "eyJ", "eyJabcdefgh.", "M.", "M", "-----BEGIN A ",
    "-----BEGIN PRIVATE KEY-----",
    "4111 ", "4 ", "4", "3782 822463 ", "pwd ", "password  ", "password:", "aws'key'", "awspwpw", "a'", "xoxb-1-", ":a",
    "AC", "SK", "PuTTY-User-Key-File-2:", "api key ", "api_key=", "secret key  =  ", "--token ", "cloudant key ",
    "AAAA\n", "AA==\r\n", "A-----END PRIVATE KEY---", "ibmcloud api key: ", "---- BEGIN A PRIVATE KEY ----",
    "abcdef.", "a b", "A", "a", "0", "-", "_", "=", "+/", "\n", "A" * 76 + "\n", "authorization: bearer ",
    "token: string", "<key>", "key | ", "a:b@", " -p ", "mysql -p ", "cookie: a=", "cookie: a1b2c3d4=",
    "password: str = ",
    "AUTH ", "echo a |", '("a", "b")', "user: a / ", "key: >\n", 'key", "', "pass: a b c", "net use /user:a ",
    "%41", "\\u0041", "_key a", "-us1", "a@b.c", "a.b@c.", "curl -u a:", "<password>", "://a:b/", "_live_a",
    "-----BEGIN RSA PRIVATE KEY-----\n",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.kind}-{rule.pattern.pattern[:20]}")
def test_the_steps_grow_with_the_text(rule):
    for lure in LURES:
        once, twice = lure * (250 // len(lure) + 1), lure * 2 * (250 // len(lure) + 1)
        for text in (once, f"{once}!"):
            # at most the longest bounded repetition for each character
            assert steps(rule.pattern, text) < 120 * len(text), lure
        assert steps(rule.pattern, twice) < 2.5 * steps(rule.pattern, once) + 1_000, lure


@pytest.mark.parametrize("pattern", [unbroken._breaks(), unbroken._joints(), unbroken._continued(), masking._words()])
def test_the_steps_to_see_a_text_without_breaks_grow_with_it(pattern):
    for lure in (
        *LURES,
        "\x1b[31m",
        "\x1b[1;",
        "\x1b]8;;a",
        "\\\\",
        "\\u00",
        "&quot;",
        "&#",
        "\u200b",
        '"+ "',
        '" ',
        "a\n ",
    ):
        text = lure * (400 // len(lure) + 1)
        assert steps(pattern, text) < 320 * len(text), lure
        assert steps(pattern, text * 2) < 2.5 * steps(pattern, text) + 1_000, lure


def test_the_step_counter_detects_quadratic_patterns():
    for pattern in (r"\/\/.+\/:_authToken=", r"(?:a+)+b", r"a*b"):
        with pytest.raises(TooManySteps):
            steps(re.compile(pattern), "//" * 1_000 + "a" * 2_000, limit=400_000)


def test_the_text_before_a_match_is_searched_within_bounds():
    for rule in RULES:
        if rule.before is not None:
            for lure in LURES:
                assert steps(rule.before, (lure * 64)[:64]) < 40_000, (rule.kind, lure)
