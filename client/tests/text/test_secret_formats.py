"""Every form of a secret is masked, and every text that looks like one stays. The forms are lines of
secret_formats.txt and near_misses.txt."""

import importlib.util
import re
from pathlib import Path
from re import _parser as parser  # type: ignore[attr-defined]

import pytest

from suture_client.text import secret_patterns, secret_tokens
from suture_client.text.masking import RULES, mask, mask_all

from .corpus import near_misses, secrets
from .regex_steps import Counter

pytestmark = pytest.mark.pure

SCRIPT = Path(__file__).parents[2] / "scripts" / "secret_patterns.py"
#: Pattern and first word of every token.
TOKENS = [
    (pattern, word)
    for module in (secret_patterns, secret_tokens)
    for group in (module.TOKENS, module.STARTS)
    for word, patterns in group.items()
    for _, pattern in patterns
]


def generating():
    """The script that writes secret_patterns.py."""
    spec = importlib.util.spec_from_file_location("generating", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


def test_there_are_many_forms_each_with_a_label_of_its_own():
    labels = [label for label, _, _ in secrets()]
    others = [label for label, _ in near_misses()]

    assert (len(labels) > 500, len(others) > 300) == (True, True)
    assert (len(set(labels)), len(set(others))) == (len(labels), len(others))


def test_every_form_of_a_secret_is_masked():
    wrong = []
    for label, text, parts in secrets():
        masked, found = mask(text)
        left = [part for part in parts if part in masked]
        if left or not parts or not found:
            wrong.append((label, text, masked, left))
    assert wrong == []


def test_every_form_of_a_secret_is_masked_in_json():
    wrong = []
    for label, text, parts in secrets():
        masked, _ = mask_all({"tool_response": {"stdout": f"$ run\n{text}\n", "code": 0}, "items": ["a", text]})
        if left := [part for part in parts if part in str(masked)]:
            wrong.append((label, text, masked, left))
    assert wrong == []


def test_text_that_looks_like_a_secret_stays():
    assert [(label, text, mask(text)[0]) for label, text in near_misses() if mask(text) != (text, {})] == []


def test_text_that_looks_like_a_secret_stays_in_json():
    for label, text in near_misses():
        value = {"text": text, "lines": text.splitlines()}
        assert (label, mask_all(value)) == (label, (value, {}))


def test_what_is_around_a_secret_stays():
    for label, text, _ in secrets():
        around = f"A first line, in English.\n\n{text}\n\nA last line, in English."
        masked = mask(around)[0]
        assert masked.startswith("A first line, in English.\n\n"), label
        assert masked.endswith("\n\nA last line, in English."), label


FIELDS = [
    {"first": "ghp_" + "a1" * 9, "second": "a1" * 9},
    ["glpat-" + "a1b2" * 2, "c3d4" * 4],
    {"id": "AKIA" + "A2" * 8, "value": "aB3" * 13 + "c"},
    ["AKIA" + "A2" * 8, "aB3" * 13 + "c"],
    {"accessKeyId": "AKIA" + "A2" * 8, "secretAccessKey": "aB3" * 13 + "c"},
    {"key": "DB_PASSWORD", "value": "hunter2222"},
    {"pass": "hunter2222"},
    {"smtpPass": "hunter2222", "userToken": "hunter2222", "bot_secret": "hunter2222"},
    {"Cookie": "theme=dark; sid=hunter2222hunter2222"},
    {"headers": {"X-Vault-Token": "hunter2222"}},
    {"argv": ["sshpass", "-p", "hunter2222", "ssh", "host"]},
    {"argv": ["docker", "login", "-u", "bob", "-p", "hunter2222"]},
    {"argv": ["curl", "-u", "bob:hunter2222"]},
]


def test_a_secret_is_masked_in_its_field_and_in_two_fields():
    for value in FIELDS:
        masked, found = mask_all(value)
        assert found, value
        assert not re.search("hunter2222|(?:a1){9}|c3d4|(?:aB3){9}", str(masked)), masked


OTHER_FIELDS = [
    {"first": "ghp_", "second": "the prefix of tokens"},
    ["a" * 20, "b" * 20],
    {"passed": "all of them", "bypass": "enabled", "compass": "north"},
    {"token_count": "12345678901", "page": "hunter2222"},
    {"password": "required", "token": "string"},
    {"argv": ["mkdir", "-p", "/srv/app12"]},
    {"session_id": "0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f"},
]


def test_other_fields_stay():
    for value in OTHER_FIELDS:
        assert mask_all(value) == (value, {})


def test_ordinary_text_stays_whole():
    """No rule takes a whole text, or much of one: this repository's sources and documentation stay as they are."""
    client = Path(__file__).parents[2]
    texts = [*client.glob("suture_client/**/*.py"), client / "README.md", client.parent / "CONTRIBUTING.md"]
    for path in texts:
        if not path.name.startswith("secret_") and path.exists():
            text = path.read_text()
            masked, found = mask(text)
            assert found.total() < 3, path
            assert len(masked) > 0.99 * len(text), path


def test_a_token_has_a_fixed_beginning_no_spaces_and_a_greatest_length():
    for pattern, word in TOKENS:
        assert len(word) > 1, pattern
        assert parser.parse(pattern).getwidth()[1] <= 1500, pattern
        # the one character that fills it: an ordinary text is never a token
        assert not re.fullmatch(pattern, f"{word} is the first word of an ordinary text with spaces in it"), pattern
        assert not re.search(pattern, "The quick brown fox jumps over the lazy dog, and the dog sleeps. " * 9), pattern


def test_each_attempt_to_match_a_token_is_bounded():
    """They are tried once at each place of their first word, so the time grows with the text."""
    for pattern, word in TOKENS:
        for text in (word + "a1" * 1_000, word * 300, word + "A" * 2_000, word + "0." * 1_000, word + "a-" * 1_000):
            counter = Counter(re.compile(pattern), text, limit=30_000)
            next(counter.match(counter.nodes, 0, 0), None)
            assert counter.steps < 30_000, pattern


@pytest.mark.parametrize(
    ("rule", "problem"),
    [
        ({"id": "all", "regex": ".+"}, "begins with no fixed word"),
        ({"id": "any", "regex": r"[\s\S]{20,}"}, "begins with no fixed word"),
        ({"id": "word", "regex": r"acme_.{20,}"}, "matches spaces"),
        ({"id": "line", "regex": r"acme_[^\n]{20,}"}, "matches spaces"),
        ({"id": "long", "regex": r"acme_[a-z]{5000}"}, "matches more than 1500 characters"),
    ],
    ids=lambda value: value["id"] if isinstance(value, dict) else "",
)
def test_a_rule_that_could_take_a_whole_text_is_refused(rule, problem, tmp_path):
    script = generating()
    rules = tmp_path / "betterleaks.toml"
    rules.write_text(f"[[rules]]\nid = '{rule['id']}'\nregex = '''{rule['regex']}'''\n")

    with pytest.raises(SystemExit) as refusal:
        script.generated(str(rules), "1")

    assert f"The rule {rule['id']} {problem}" in str(refusal.value)
    assert f"add '{rule['id']}' to LEFT_OUT" in str(refusal.value)


def test_the_script_translates_the_syntax_of_go():
    script = generating()

    assert script.python(r"a(?i)[b-d]{3}") == "a(?i:[b-d]{3})"
    assert script.python(r"(a(?i)b)c") == "(a(?i:b))c"
    assert script.python(r"[[:alnum:]]{4,}\z") == r"[a-zA-Z0-9]{4,504}\Z"
    assert script.python(r"x[a]+y[b]*") == "x[a]{1,500}y[b]{0,500}"


def test_a_needle_is_in_lower_case():
    for rule in RULES:
        for needle in (*rule.needles, *rule.also):
            assert needle == needle.lower(), needle
