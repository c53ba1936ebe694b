"""Patterns of secrets in text: known formats of tokens, keys and passwords, and payment card numbers.

Every rule runs in linear time: each repetition is bounded, or possessive and never retried from within its own run
(client/tests/text/test_masking.py counts the steps). detect-secrets' patterns (detectors.py) are used if they have this
property, and rewritten here if not. Its entropy detectors, its keyword detector and its public addresses are not used:
they would match commit hashes, prose and server names, and masked text cannot be recovered. The abbreviations `cl` and
`sl` of its IBM detectors are omitted for the same reason.

Hooks import this module before each tool call, so it imports as little of the standard library as possible, and
compiles a pattern only when a text has one of its needles.
"""

from __future__ import annotations

import re

from suture_client.text.detectors import PATTERNS
from suture_client.text.secret_rule import Rule
from suture_client.text.secret_values import is_random

TYPE_CHECKING = False  # the module `typing` takes longer to import than all of this
if TYPE_CHECKING:
    from collections.abc import Iterator

_CARD_BRANDS = (
    r"4[0-9]{12}(?:[0-9]{3}(?:[0-9]{3})?)?"  # Visa
    r"|(?:5[1-5][0-9]{2}|222[1-9]|22[3-9][0-9]|2[3-6][0-9]{2}|27[01][0-9]|2720)[0-9]{12}"  # Mastercard
    r"|3[47][0-9]{13}"  # American Express
    r"|3(?:0[0-59]|[689][0-9])[0-9]{11}"  # Diners Club
    r"|(?:6011|64[4-9][0-9]|65[0-9]{2}|62[0-9]{2}|35(?:2[89]|[3-8][0-9]))[0-9]{12,15}"  # Discover, UnionPay, JCB
    r"|(?:50|5[6-9]|6[0-9])[0-9]{11,17}"  # Maestro
)
# For the Luhn check: a digit as a number, and the sum of the digits of its double.
_VALUES = bytes.maketrans(b"0123456789", bytes(range(10)))
_DOUBLED = bytes.maketrans(b"0123456789", bytes((0, 2, 4, 6, 8, 1, 3, 5, 7, 9)))


def is_card_number(number: str) -> bool:
    """Return whether `number` is a payment card number: of a known brand, with a valid check digit."""
    digits = re.sub("[^0-9]", "", number)
    if not re.fullmatch(_CARD_BRANDS, digits):
        return False
    values = digits.encode()
    return (sum(values[-2::-2].translate(_DOUBLED)) + sum(values[::-2].translate(_VALUES))) % 10 == 0


def _known(kind: str, needles: tuple[str, ...], detector: str) -> Iterator[Rule]:
    """Return rules with the library's own patterns."""
    return (Rule(kind, needles, pattern, flags) for pattern, flags in PATTERNS[detector])


def is_token_of_word(secret: str) -> bool:
    """Return whether a text that begins like a token is one, unlike names such as sk-learn-contrib: it has a run of
    letters and digits that is long, or mixes them."""
    runs = re.findall(r"[A-Za-z0-9]{8,}", secret)
    return any(len(run) > 27 or (not run.isalpha() and not run.isdigit()) for run in runs)


def _is_service_token(secret: str) -> bool:
    return is_token_of_word(secret) and not re.search(r"[_-][0-9a-f]+\Z", secret)  # no name with a hash


def _is_mixed_in_case(secret: str) -> bool:
    return is_random(secret) and not secret.isupper() and not secret.islower()


_KEY_LINE = r"[A-Za-z0-9+/=\\]"
#: Between the name of a secret and the secret: an assignment, with quotes.
_ASSIGNED = r"[\"']?\]?(?:\s{0,20}+(?:::|:=|=>|[:=])\s{0,20}+| {1,20}+)[\"'`]?"
_SPACE = "[ .\u00a0\u2009\u202f\u2010\u2011-]"
FORMATS: tuple[Rule, ...] = (
    Rule(
        "private key",
        ("private key",),
        r"-{4,5} ?BEGIN (?:[A-Z0-9]{1,20} ){0,6}PRIVATE KEY(?: BLOCK)? ?-{4,5}"
        r"(?:[^-]++|-(?!-{3,4} ?END (?:[A-Z0-9]{1,20} ){0,6}PRIVATE KEY))*+(?:-{4,5} ?END [A-Z0-9 ]{0,150}-{4,5})?",
    ),
    Rule(
        # the end of a key whose beginning is cut off; the match starts at its first line
        "private key",
        ("private key",),
        rf"(?<!{_KEY_LINE})(?<!{_KEY_LINE}\n)(?<!{_KEY_LINE}\r\n)(?:{_KEY_LINE}++(?:\r?\n)?+)++"
        r"-{4,5} ?END (?:[A-Z0-9]{1,20} ){0,6}PRIVATE KEY(?: BLOCK)? ?-{4,5}",
    ),
    Rule(
        "private key",
        ("putty-user-key-file-",),
        r"PuTTY-User-Key-File-[0-9]:(?:[^P]++|P(?!rivate-MAC:))*+(?:Private-MAC: {0,5}[0-9a-f]{0,128})?",
    ),
    Rule(
        "json web token",
        ("eyj",),
        # the first "eyJ" of a run reaches farthest: if it fails, so do the others
        r"(?<![A-Za-z0-9_-])(?>[A-Za-z0-9_-]*?(?=eyJ))"
        r"(?P<secret>eyJ[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{8,}+(?:\.[A-Za-z0-9_-]++)?)",
    ),
    Rule("suture key", ("sut_",), r"sut_[0-9a-f]{8}_[A-Za-z0-9_-]{43}"),
    # the secret key after the key's id, whatever the name of its field
    Rule(
        "aws access key",
        ("akia", "asia", "goog1e"),
        r"(?<![0-9a-zA-Z/+])(?P<secret>[0-9a-zA-Z/+]{40})(?![0-9a-zA-Z/+=])",
        before=r"(?:A[KS]IA[0-9A-Z]{16}|GOOG1E[0-9A-Z]{20,60})(?![0-9A-Z])[^\x00]{1,60}\Z",
        holds=_is_mixed_in_case,
    ),
    *_known("aws access key", ("a3t", "abia", "acca", "akia", "asia"), "AWSKeyDetector"),
    Rule(
        "aws access key",
        ("aws",),
        r"[\"'](?P<secret>[0-9a-zA-Z/+]{40})(?=[\"'])",
        before=r"(?i)aws.{0,20}(?:key|pwd|pw|password|pass|token).{0,20}\Z",
    ),
    Rule(
        "aws access key",
        ("aws",),
        r"[aA](?i:ws[a-z0-9_-]{0,20}(?:key|pwd|pw|password|pass|token))[\"']?\s{0,5}(?:=>|[:=])\s{0,5}[\"']?"
        r"(?P<secret>[0-9a-zA-Z/+]{40})(?![0-9a-zA-Z/+=])",
    ),
    *_known("azure storage account access key", ("accountkey=",), "AzureStorageKeyDetector"),
    Rule(
        "artifactory credentials",
        ("akc", "ap"),
        r"A(?<![^\s=:\"']A)(?:KC[a-zA-Z0-9]{10,}+|P[0-9A-F][a-zA-Z0-9]{8,}+)(?![^\s\"',;])",
        holds=_is_mixed_in_case,
    ),
    Rule(
        "cloudant credentials",
        ("cloudant",),
        rf"(?i)(?<![a-z0-9])cloudant[_-]?(?:api)?[_-]?(?:key|pwd|pw|password|pass|token){_ASSIGNED}"
        r"(?P<secret>[0-9a-f]{64}|[a-z]{24})(?![0-9a-z])",
    ),
    Rule(
        "softlayer credentials",
        ("softlayer",),
        rf"(?i)(?<![a-z0-9])softlayer[_-]?(?:api)?[_-]?(?:key|pwd|password|pass|token){_ASSIGNED}"
        r"(?P<secret>[a-z0-9]{64})(?![0-9a-z])",
    ),
    Rule(
        "softlayer credentials",
        ("api.softlayer.com",),
        r"(?i)https?://api\.softlayer\.com/soap/v3(?:\.1)?/(?P<secret>[a-z0-9]{64})",
    ),
    Rule(
        "ibm cloud iam key",
        ("ibm", "cloud"),
        r"(?i)(?<![a-z0-9])(?:ibm[_-]?)?(?:ibm|cloud)[_-]?(?:iam[_-]?)?(?:api)?[_-]?(?:key|pwd|password|pass|token)"
        rf"{_ASSIGNED}(?P<secret>[a-z0-9_-]{{44}})(?![a-z0-9_-])",
    ),
    Rule(
        "ibm cos hmac credentials",
        ("secret",),
        rf"[sS](?i:ecret[_-]?(?:access)?[_-]?key{_ASSIGNED}(?P<secret>[a-f0-9]{{48}})(?![a-f0-9]))",
    ),
    Rule(
        "discord bot token",
        (".",),
        r"\.(?=(?P<secret>[\w-]{6}\.[\w-]{27}))",
        re.ASCII,
        before=r"[MNO][a-zA-Z0-9_-]{23,25}\Z",
        takes_before=True,
    ),
    *_known("github token", ("gh",), "GitHubTokenDetector"),
    Rule("github token", ("github_pat_",), r"github_pat_[A-Za-z0-9_]{22,}+"),
    Rule(
        "gitlab token",
        ("gl", "gr1348941"),
        r"(?:(?:glpat|gldt|glft|glsoat|glrt|glcbt|glimt|glptt|glagent|gloas)-|GR1348941)[A-Za-z0-9_-]{20,}+"
        r"(?:\.[0-9a-z]{2}\.[0-9a-z]{7,9})?",
    ),
    Rule(
        "mailchimp access key",
        ("-us",),
        r"-us[0-9]{1,2}",
        before=r"[0-9a-z]{32}\Z",
        takes_before=True,
    ),
    Rule("npm tokens", (":_authtoken",), r":_authToken=\s{0,20}(?P<secret>[^\s\"']{20,}+)"),
    Rule("npm tokens", ("npm_",), r"\bnpm_[A-Za-z0-9]{36,}+"),
    *_known("pypi token", ("pypi-age",), "PypiTokenDetector"),
    *_known("sendgrid api key", ("sg.",), "SendGridDetector"),
    Rule("google api key", ("aiza",), r"AIza[0-9A-Za-z_-]{35}"),
    Rule("google oauth secret", ("gocspx-", "ya29."), r"(?:GOCSPX-|ya29\.)[0-9A-Za-z_-]{20,}+"),
    Rule("hugging face token", ("hf_",), r"hf_(?<![0-9A-Za-z]hf_)[A-Za-z]{34}"),
    Rule("digitalocean token", ("_v1_",), r"_v1_[a-f0-9]{64}", before=r"do[opr]\Z", takes_before=True),
    Rule("age secret key", ("age-secret-key-1",), r"AGE-SECRET-KEY-1[0-9A-Z]{58}"),
    Rule("slack token", ("xapp-",), r"xapp-[0-9]{1,3}-[A-Z0-9]{5,20}-[0-9]{5,20}-[a-z0-9]{20,}+"),
    Rule("slack token", ("xox",), r"(?i)xox[abposr]-(?:[0-9]{1,20}-){1,6}[a-z0-9]++"),
    Rule(
        "slack token",
        ("https://hooks.slack.com",),
        r"(?i)https://hooks\.slack\.com/services/T\w{1,40}/B\w{1,40}/\w++",
        re.ASCII,
    ),
    *_known("square oauth secret", ("sq0csp-",), "SquareOAuthDetector"),
    *_known("stripe access key", ("k_live_",), "StripeDetector"),
    Rule(
        "telegram bot token",
        (":",),
        r":[0-9A-Za-z_-]{35}",
        before=r"[0-9]{8,10}\Z",
        takes_before=True,
    ),
    Rule("twilio api key", ("ac", "sk"), r":[0-9a-f]{32}(?![0-9a-f])", before=r"(?:AC|SK)[0-9a-f]{32}\Z"),
    *_known("twilio api key", ("ac", "sk"), "TwilioKeyDetector"),
    Rule(
        "azure client secret",
        ("q~",),
        r"Q~[a-zA-Z0-9_~.-]{31,34}(?![a-zA-Z0-9_~-])",
        before=r"(?<![a-zA-Z0-9_~.])[a-zA-Z0-9_~.]{3}[0-9]\Z",
        takes_before=True,
    ),
    Rule(
        "airtable token",
        (".",),
        r"\.[a-f0-9]{64}(?![a-zA-Z0-9])",
        before=r"(?<![a-zA-Z0-9])pat[a-zA-Z0-9]{14}\Z",
        takes_before=True,
    ),
    Rule(
        "terraform token",
        (".atlasv1.",),
        r"\.atlasv1\.[a-zA-Z0-9_=-]{40,}+",
        before=r"[a-zA-Z0-9]{14}\Z",
        takes_before=True,
    ),
    Rule(
        "facebook token",
        ("|", "%7c"),
        also=("facebook", "graph", "fb_", "app", "token", "secret"),
        pattern=r"[|%](?:(?<=\|)|(?<=%)7[cC])[0-9a-zA-Z_-]{27}",
        before=r"(?<!\d)\d{15,16}\Z",
        takes_before=True,
    ),
    Rule(
        "maxmind license key",
        ("_mmk",),
        r"_mmk(?![A-Za-z0-9])",
        before=r"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}\Z",
        takes_before=True,
    ),
    Rule(
        "tableau token",
        ("==:",),
        r"==:[A-Za-z0-9]{32}(?![A-Za-z0-9])",
        before=r"[A-Za-z0-9+/]{22}\Z",
        takes_before=True,
    ),
    Rule(
        "salesforce token",
        ("!",),
        r"![A-Za-z0-9._-]{80,}+",
        before=r"(?<![A-Za-z0-9])00[A-Za-z0-9]{13}\Z",
        takes_before=True,
    ),
    Rule("fly.io token", ("flyv1",), r"FlyV1[ \t]+[A-Za-z0-9=_,/+-]{40,}+"),
    Rule(
        "asana token",
        ("/",),
        also=(":",),
        pattern=r"/[0-9]{10,17}:[0-9a-f]{32}(?![0-9a-f])",
        before=r"(?<![0-9])[0-2]\Z",
        takes_before=True,
    ),
    Rule("brave search key", ("bsa",), r"BSA(?<![A-Za-z0-9]BSA)[A-Za-z0-9_-]{24,40}+", holds=is_token_of_word),
    Rule("exoscale key", ("exo",), r"EXO(?<![A-Za-z0-9]EXO)[a-zA-Z0-9]{24,30}+", holds=is_token_of_word),
    Rule("trello token", ("atta",), r"ATTA[a-f0-9]{64}"),
    Rule("google refresh token", ("1//0",), r"1//0[A-Za-z0-9_-]{40,}+"),
    Rule(
        "firebase cloud messaging key",
        ("aaaa",),
        r"AAAA(?<![A-Za-z0-9]AAAA)[A-Za-z0-9_-]{7}:[A-Za-z0-9_-]{120,}+",
    ),
    Rule("notify key", ("gcntfy-",), r"gcntfy-[a-z0-9_-]{1,60}-[0-9a-f-]{36}-[0-9a-f-]{36}"),
    Rule(
        "webhook",
        ("hook", "trigger"),
        r"https://(?:(?:ptb\.|canary\.)?discord(?:app)?\.com/api(?:/v\d{1,2})?/webhooks/\d{10,25}/[A-Za-z0-9_-]{40,}+"
        r"|hooks\.slack\.com/(?:workflows|triggers)/[A-Za-z0-9/_-]{20,}+"
        r"|[a-z0-9-]{1,63}\.webhook\.office\.com/webhookb2/[A-Za-z0-9@/_-]{40,}+"
        r"|hooks\.zapier\.com/hooks/catch/\d{3,12}/[A-Za-z0-9]{5,20}"
        r"|maker\.ifttt\.com/trigger/[\w-]{1,60}(?:/json)?/with/key/[\w-]{16,}+"
        r"|chat\.googleapis\.com/v1/spaces/[\w-]{5,40}/messages\?key=[\w-]{30,60}&token=[\w%-]{30,}+"
        r"|(?:open\.feishu\.cn|open\.larksuite\.com)/open-apis/bot/v2/hook/[\w-]{20,}+"
        r"|hook\.(?:[a-z]{2}\d\.)?(?:make|integromat)\.com/[a-z0-9]{20,}+)",
    ),
    Rule(
        # base64 of the first line of a private key
        "private key",
        ("ls0tls1crudjti", "b3blbnnzac1rzxk"),
        r"(?:LS0tLS1CRUdJTi(?:BQUklWQVRF|BSU0EgUFJJVk|BFQyBQUklW|BPUEVOU1NIIFBSSVZ|BFTkNSWVBURUQg)|b3BlbnNzaC1rZXktdjE)"
        r"[A-Za-z0-9+/]{20,}+(?:(?<=[A-Za-z0-9+/]{60})\r?\n[A-Za-z0-9+/]{4,}+)*+={0,2}",
    ),
    # a token of another service: words such as "live" or "api" between its first word and a random run
    Rule(
        "service token",
        ("_", "-"),
        r"[_-](?i:sk|pk|rk|live|test|prod|production|sandbox|key|pat|tok|token|secret|sec|api|apikey|private|priv|access"
        r"|auth|at|rt)"
        r"[_-](?:v?[0-9][_-])?[A-Za-z0-9]{20,}+(?![_/.-][A-Za-z0-9])",
        before=r"(?<![A-Za-z0-9/])[a-zA-Z][a-zA-Z0-9]{1,14}(?:[_-][a-z0-9]{1,10})?\Z",
        takes_before=True,
        holds=_is_service_token,
    ),
)
NUMBERS: tuple[Rule, ...] = (
    Rule(
        "card number",
        tuple("23456"),
        # without separators, or in groups as on cards: 4-4-4-4 and 4-6-5
        rf"[2-6](?<![0-9A-Za-z].)(?<![0-9][.,].)(?:[0-9]{{12,18}}"
        rf"|[0-9]{{3}}(?P<by>{_SPACE})[0-9]{{4}}(?P=by)[0-9]{{4}}(?P=by)[0-9]{{1,4}}(?:(?P=by)[0-9]{{1,3}})?"
        rf"|(?<=3)[0-9]{{3}}(?P<and>{_SPACE})[0-9]{{6}}(?P=and)[0-9]{{4,5}})(?![0-9A-Za-z])",
        holds=is_card_number,
    ),
)
