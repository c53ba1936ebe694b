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
from functools import cached_property

from suture_client.text.detectors import PATTERNS

TYPE_CHECKING = False  # the module `typing` takes longer to import than all of this
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: The number of characters before a match that `Rule.before` reads.
LOOKED_BACK = 64
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


class Rule:
    """One format of a secret. The whole match is the secret, or the group `secret` if the pattern has one."""

    def __init__(
        self,
        kind: str,
        needles: tuple[str, ...],
        pattern: str,
        flags: int = 0,
        *,
        before: str = "",
        takes_before: bool = False,
        holds: Callable[[str], bool] | None = None,
    ) -> None:
        self.kind = kind
        #: Every text with a match contains one of these, in lower case. Searching them is fast.
        self.needles = needles
        self._pattern = pattern, flags
        #: Must end directly before the match.
        self._before = before
        #: Whether `before` is part of the secret.
        self.takes_before = takes_before
        #: A further condition on the secret.
        self.holds = holds

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The compiled pattern."""
        return re.compile(*self._pattern)

    @cached_property
    def before(self) -> re.Pattern[str] | None:
        """The compiled pattern that must end directly before the match, if any."""
        return re.compile(self._before) if self._before else None

    def compile(self) -> None:
        """Compile both patterns now."""
        _ = self.pattern, self.before

    def find(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the positions of the secrets in `text`, in order."""
        group = "secret" if "secret" in self.pattern.groupindex else 0
        for match in self.pattern.finditer(text):
            start, end = match.span(group)
            if self.before is not None:
                lead = self.before.search(text[max(0, match.start() - LOOKED_BACK) : match.start()])
                if lead is None:
                    continue
                if self.takes_before:
                    start = match.start() - len(lead[0])
            if self.holds is None or self.holds(text[start:end]):
                yield start, end


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


def is_secret_name(name: str) -> bool:
    """Return whether a variable or field of this name contains a secret, provided that its value `is_random`."""
    return re.search(_SECRET_NAME, name) is not None


def is_random(secret: str) -> bool:
    """Return whether the text mixes digits and letters like random text, unlike names and words."""
    return sum(character.isdigit() for character in secret) > 1 and sum(map(str.isalpha, secret)) > 1


def _is_mixed_in_case(secret: str) -> bool:
    return is_random(secret) and not secret.isupper()


_KEY_LINE = r"[A-Za-z0-9+/=\\]"
#: Between the name of a secret and the secret: an assignment, with quotes.
_ASSIGNED = r"[\"']?\]?(?:\s{0,20}+(?:::|:=|=>|[:=])\s{0,20}+| {1,20}+)[\"'`]?"
_SIGN = r"[\"']?\]?\s{0,20}+(?:=>|:=|[:=])\s{0,20}+[\"'`]?(?P<secret>[^\s\"'`,;:()\[\]{}<>$]{16,}+)"
#: Precedes "key", "token" or "secret" in the name of a variable or field with a secret.
_WHOSE = (
    r"(?i:api|access|account|app|auth|bearer|client|consumer|encryption|jwt|master|private|refresh|secret|service"
    r"|session|shared|signing|webhook)[ _-]?"
)
_SECRET_NAME = rf"(?:{_WHOSE}(?i:key|token|secret)|[A-Z0-9]_(?:TOKEN|SECRET))\Z"
_SPACE = "[ .\u00a0\u2009\u202f\u2010\u2011-]"
RULES: tuple[Rule, ...] = (
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
    Rule("openai token", ("sk-",), r"\bsk-[A-Za-z0-9_-]{20,}+"),
    Rule("basic auth credentials", ("://",), r"://[^\s:/@]*+:(?P<secret>[^\s@/]++)@"),
    Rule("suture key", ("sut_",), r"sut_[0-9a-f]{8}_[A-Za-z0-9_-]{43}"),
    Rule(
        "password",
        ("password", "passwd", "passphrase", "pwd"),
        r"[pP](?i:assword|asswd|assphrase|wd)[\"']?\s{0,20}[:=]\s{0,20}[\"']?"
        r"(?!\[redacted: )(?P<secret>[^\s\"',;]{6,}+)",
    ),
    Rule(
        "password",
        ("--",),
        r"--(?<![^\s\"']--)(?i:[a-z]{1,20}-){0,2}(?i:password|passwd|passphrase|token|secret)\s{1,5}[\"']?"
        r"(?!\[redacted: )(?P<secret>[^\s\"',;-][^\s\"',;]{5,}+)",
    ),
    Rule(
        "authorization header",
        ("authorization",),
        r"[bB](?<!\w[bB])(?i:asic|earer)\s{1,5}(?!\[redacted: )(?P<secret>[A-Za-z0-9+/=._~-]{8,}+)",
        before=r"(?i)authorization[\"']?\s{0,5}[:=]\s{0,5}[\"']?\Z",
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
    *_known("twilio api key", ("ac", "sk"), "TwilioKeyDetector"),
    Rule(
        "secret keyword",
        ("key", "token", "secret"),
        rf"[kKtTsS](?i:(?<=k)ey|(?<=t)oken|(?<=s)ecret){_SIGN}",
        before=rf"{_WHOSE}\Z",
        holds=is_random,
    ),
    Rule("secret keyword", ("_token", "_secret"), rf"_(?:TOKEN|SECRET){_SIGN}", before=r"[A-Z0-9]\Z", holds=is_random),
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
