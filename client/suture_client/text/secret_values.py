"""What is a secret by its name: the names of fields with passwords, keys and tokens, and whether a value is one.

Code (`get_password()`, `${TOKEN}`), placeholders (`<your-key>`) and words (`password: required`) are none, because
masked text cannot be recovered.
"""

from __future__ import annotations

import re
from functools import cache

from suture_client.text.secret_patterns import SERVICES

#: Names of passwords, as the end of a name. Any value of such a field is a secret, if it is no code and no word.
PASSWORD_NAME = r"(?i:password|passwd|passphrase|passcode|pwd|psw)"  # noqa: S105
#: What precedes "pass" and "pw", which are also parts of words (bypass, compass).
OWN_WORD = r"(?<![A-Za-z]{2})"
#: Precede "key" in the name of a field with a secret, besides the names of services.
_OWNERS = (
    "admin api access account app application auth authentication bearer client consumer decryption deploy "
    "encryption engine hmac jwt license master org personal private project publishable refresh rest secret "
    "server service session shared signing ssh storage subscription ssl sas tls user webhook write anthropic "
    "aws azure braintree cerebras fireworks gcp gemini github gitlab google grafana groq huggingface langchain "
    "langsmith notion openai openrouter perplexity replicate resend sendgrid slack square stripe supabase "
    "tavily together trello twilio xai zoom"
)
#: What may follow "key", "token", "secret" and "password" in a name.
SUFFIX = r"(?i:[_-]?(?:base|prod|production|dev|test|live|staging|value|plain|primary|secondary|private|main|[0-9]))?"
#: Between a name and its value: a sign, in code after a type, in Markdown in bold, in YAML before a block.
EQUALS = (
    r"[*_]{0,2}[\"'`]?\]?\)?[*_]{0,2}"
    r"(?:[ \t]?:[ \t]?(?:&(?:'[a-z]{1,10}[ ])?)?[A-Za-z_.]{1,30}(?:\[[A-Za-z_., |]{0,30}\])?(?: \| [A-Za-z_.]{1,20})?"
    r"(?=[ \t]{0,3}=[^=>]))?"
    r"[ \t]{0,20}(?:=>|:=|::|[:=])[*_]{0,2}[ \t\u00a0]{0,20}(?:\n\s{1,20}(?=[\"'])|[>|][-+]?[ \t]{0,4}\n\s{1,20})?"
)
#: Between the name of a field and its value, if both have fields of their own: `"name": "X", "value": "…"`.
PAIR = r"[\"'`]?[,;]?\s{1,40}[\"'`]?(?i:value|content|default|val)[\"'`]?\s{0,5}[=:]\s{0,5}"
#: The same in the parts of a form.
FORM = r"[\"']\r?\n\r?\n"
#: The same for tokens, which are told from words: in prose, after the name of a variable, in the arguments of a call.
IN_TEXT = (
    r"(?:[ \t]{1,3}(?i:is|was)[ \t:]{1,3}|(?<=_(?i:key))[ \t]{1,3}|(?<=_(?i:token))[ \t]{1,3}"
    r"|(?<=_(?i:secret))[ \t]{1,3}|[\"'`][ \t]{0,3},[ \t]{0,3}(?=[\"'`]))(?=[\"'`]?[A-Za-z0-9+/=_.-]{16})"
)
#: A value: in quotes, or up to a space.
_QUOTED = r"\"(?P<double>[^\"\n\x00]{%d,300})\"|'(?P<single>[^'\n\x00]{%d,300})'|`(?P<back>[^`\n\x00]{%d,300})`"
BARE = r"[\"'`]?(?P<secret>[^\s\"'`,;<>\x00]{%d,}+)"
TOKEN_BARE = r"[\"'`]?(?P<secret>[^\s\"'`,;()\[\]{}<>$\x00]{%d,}+)(?![(\[])"  # noqa: S105

#: A value with more spaces is a text, even if it has the name of a password.
_MOST_SPACES = 7
_PLACEHOLDERS = (
    "argument arguments authentication because before changed command disabled enabled encrypted example "
    "expired false field file forgotten hidden incorrect instead invalid kennwort manager masked mismatch "
    "missing needed null option optional options parameter password passwort path please policy protected "
    "provided redacted rejected required reset secret should string strong switch text undefined unknown "
    "unless unset updated username using value without wrong yourpassword"
)
#: Passwords in addresses of documentation.
SHOWN = frozenset(("password", "passwd", "pass", "pwd", "secret", "pw", "…", "..."))
_CODE = (
    r"[$%<>{(\[*@&|\\#]|\.{2}|[A-Za-z_][\w.]*[(\[]|[\w.-]*\$?\{|![a-z]+(?:\s|\Z)"
    # paths, references, moments and numbers
    r"|/[A-Za-z]|(?:\./|~/|\.\./)\S|[a-z]{2,9}://|file:|env:|vault:|ref\+|\d{4}-\d\d-\d\d|\d+(?:/\d+|%|m?s)\b"
    r"|(?:await|return|async|not|new|yield|lambda|raise|self|this|None|True|False|nil|str|int|bytes|Any|Secret)\b"
    # identifiers: Ed25519PrivateKey, settings.PASSWORD, db_password, OPENAI_API_KEY, userPassword
    r"|(?:old|new)?_?password[0-9]?\Z|[A-Z][A-Za-z0-9]*(?:Key|Token|Secret|Password|Credentials?)\b"
    r"|[A-Za-z_]+(?:\.[A-Za-z_]+)+[;,]?\Z|_?[a-z]+(?:_[a-z]+)+[0-9]?\Z|[A-Z]+(?:_[A-Z]+)+\Z"
    r"|[A-Za-z][a-z]+(?:[A-Z][a-z]+)+\Z"
    r"|[\w.-]*(?:redacted|REDACTED|example|EXAMPLE_|placeholder|your[-_]|YOUR[-_]|xxxx|XXXX|\*{3})"
)


@cache
def code() -> re.Pattern[str]:
    """Match the beginning of a value that is code, a placeholder or a path."""
    return re.compile(_CODE)


@cache
def _prose() -> re.Pattern[str]:
    return re.compile(r"\b(?:the|of|is|must|your|you|be|for|to|and|with|at|in|not|or|an?)\b", re.IGNORECASE)


def is_random(secret: str) -> bool:
    """Return whether the text mixes digits and letters like random text, unlike names and words."""
    return sum(character.isdigit() for character in secret) > 1 and sum(map(str.isalpha, secret)) > 1


def is_password(value: str) -> bool:
    """Return whether a value after the name of a password is one: no code, no placeholder and no word of a sentence."""
    value = value.rstrip(")]},;")
    if code().match(value) or value.lower().rstrip(".:!?") in _placeholders() or len(set(value)) < 3:
        return False
    if value.count(" ") > _MOST_SPACES:
        return False
    return value.count(" ") < 2 or any(map(str.isdigit, value)) or not _prose().search(value)


def is_token(value: str) -> bool:
    """Return whether a value after the name of a key, a token or a secret is one."""
    return is_random(value) and " " not in value and code().match(value) is None and not _is_path_or_version(value)


def is_secret(value: str) -> bool:
    """Return whether a value that is said to be a token or a secret is one: it may be a long word too."""
    return is_token(value) or (value.isalnum() and len(value) > 11 and code().match(value) is None)


def _is_path_or_version(value: str) -> bool:
    if value.count("/") > 1 and value.islower():
        return True
    return re.match(r"\d{4}_[a-z0-9_]+\Z|v?\d+(?:\.\d+)+(?:[-+.][a-z0-9.]+)?\Z", value) is not None


def is_secret_name(name: str) -> bool:
    """Return whether a field of this name contains a secret, if its value `is_token`."""
    named = re.search(rf"(?i:(key)|token|secret|credentials?){SUFFIX}\Z", name)
    return named is not None and (named[1] is None or is_owned(name[: named.start()]))


def is_owned(before: str) -> bool:
    """Return whether the text before "key" is the beginning of the name of a secret: api_, clientSecret, HEROKU_."""
    name = re.search(r"(?:[A-Za-z0-9]{1,40}[_.-]){0,4}([A-Za-z0-9]{1,40})[ _.-]?\Z", before)
    if name is None:
        return False
    words = re.findall(r"[A-Z]?[a-z0-9]+|[A-Z0-9]+", name[0])
    return (
        words[-1].lower() in _owners()
        or name[1].lower().endswith(_long_owners())
        or any(word.lower() in _services() for word in words)
    )


@cache
def _placeholders() -> frozenset[str]:
    return frozenset(_PLACEHOLDERS.split())


@cache
def _owners() -> frozenset[str]:
    return frozenset(_OWNERS.split()) | _services()


@cache
def _services() -> frozenset[str]:
    return frozenset(SERVICES.split("|"))


@cache
def _long_owners() -> tuple[str, ...]:
    return ("api", *(owner for owner in _owners() if len(owner) > 5))


def is_password_name(name: str) -> bool:
    """Return whether a field of this name contains a password."""
    return re.search(rf"(?:{PASSWORD_NAME}|{OWN_WORD}(?i:pass|pw)|(?<=[a-z])Pass){SUFFIX}\Z", name) is not None


def value_of(least: int, bare: str = BARE) -> str:
    """Match a value of at least `least` characters."""
    return f"(?:[rbfuRBFU@$]{{1,2}}(?=[\"'`]))?(?:{_QUOTED}|{bare})".replace("%d", str(least))


def is_argument(value: str) -> bool:
    """Return whether the value of an option of a command is a password, and no word of a sentence."""
    return is_password(value) and not value.isalpha()


def is_login(secret: str) -> bool:
    """Return whether a password before an @ is one, and not a part of an address."""
    return is_password(secret) and any(map(str.isdigit, secret))
