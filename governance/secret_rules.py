"""How secrets look in text: known formats of tokens, keys and passwords, and the numbers of payment cards.

Every rule takes time in proportion to the text: a repetition is bounded, or possessive and never tried again from
within its own run (tests/governance/test_redaction.py counts the steps). detect-secrets' patterns are used where they
are of this kind; its entropy and keyword guesses are left out, since they would take commit hashes and prose for
secrets, and what is masked is gone.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from detect_secrets.plugins import (
    aws,
    azure_storage_key,
    github_token,
    pypi_token,
    sendgrid,
    square_oauth,
    stripe,
    twilio,
)

#: How many characters before a match `Rule.before` looks at.
LOOKED_BACK = 64
_CARD_BRANDS = re.compile(
    r"4[0-9]{12}(?:[0-9]{3}(?:[0-9]{3})?)?"  # Visa
    r"|(?:5[1-5][0-9]{2}|222[1-9]|22[3-9][0-9]|2[3-6][0-9]{2}|27[01][0-9]|2720)[0-9]{12}"  # Mastercard
    r"|3[47][0-9]{13}"  # American Express
    r"|3(?:0[0-59]|[689][0-9])[0-9]{11}"  # Diners Club
    r"|(?:6011|64[4-9][0-9]|65[0-9]{2}|62[0-9]{2}|35(?:2[89]|[3-8][0-9]))[0-9]{12,15}"  # Discover, UnionPay, JCB
    r"|(?:50|5[6-9]|6[0-9])[0-9]{11,17}"  # Maestro
)
# of Luhn's check: a digit as a number, and the sum of the digits of its double
_VALUES = bytes.maketrans(b"0123456789", bytes(range(10)))
_DOUBLED = bytes.maketrans(b"0123456789", bytes((0, 2, 4, 6, 8, 1, 3, 5, 7, 9)))
_NO_DIGIT = re.compile("[^0-9]")


@dataclass(frozen=True, slots=True)
class Rule:
    """One format. The whole match is the secret, or the group `secret` where the pattern has one."""

    kind: str
    #: One of these is in every text that has a match, in lower case; to look for them is fast.
    needles: tuple[str, ...]
    pattern: re.Pattern[str]
    #: What must end directly before the match.
    before: re.Pattern[str] | None = None
    #: Whether that is a part of the secret.
    takes_before: bool = False
    #: What else must be true of the secret.
    holds: Callable[[str], bool] | None = None

    def find(self, text: str) -> Iterator[tuple[int, int]]:
        """The places of the secrets in `text`, in order."""
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
    """Whether the digits of `number` are those of a payment card: of a known brand, with a right check digit."""
    digits = _NO_DIGIT.sub("", number)
    if not _CARD_BRANDS.fullmatch(digits):
        return False
    values = digits.encode()
    return (sum(values[-2::-2].translate(_DOUBLED)) + sum(values[::-2].translate(_VALUES))) % 10 == 0


def _known(kind: str, needles: tuple[str, ...], *patterns: re.Pattern[str]) -> Iterator[Rule]:
    return (Rule(kind, needles, pattern) for pattern in patterns)


_SPACE = "[ .\u00a0\u2009\u202f\u2010\u2011-]"
RULES: tuple[Rule, ...] = (
    Rule(
        "private key",
        ("-----begin",),
        re.compile(
            r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,6}PRIVATE KEY-----"
            r"(?:[^-]++|-(?!----END (?:[A-Z0-9]{1,20} ){0,6}PRIVATE KEY-----))*+(?:-----END [A-Z0-9 ]{0,150}-----)?"
        ),
    ),
    Rule(
        "json web token",
        ("eyj",),
        # the first "eyJ" of a run reaches farthest: if it fails, so do the others
        re.compile(
            r"(?<![A-Za-z0-9_-])(?>[A-Za-z0-9_-]*?(?=eyJ))"
            r"(?P<secret>eyJ[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{8,}+(?:\.[A-Za-z0-9_-]++)?)"
        ),
    ),
    Rule("openai token", ("sk-",), re.compile(r"\bsk-[A-Za-z0-9_-]{20,}+")),
    Rule("basic auth credentials", ("://",), re.compile(r"://[^\s:/@]*+:(?P<secret>[^\s@/]++)@")),
    Rule("suture key", ("sut_",), re.compile(r"sut_[0-9a-f]{8}_[A-Za-z0-9_-]{43}")),
    Rule(
        "password",
        ("password", "passwd", "pwd"),
        re.compile(
            r"(?i)\b(?:password|passwd|pwd)[\"']?\s{0,20}[:=]\s{0,20}[\"']?"
            r"(?!\[redacted: )(?P<secret>[^\s\"',;]{6,}+)"
        ),
    ),
    Rule(
        "authorization header",
        ("authorization",),
        re.compile(r"(?i)\b(?:basic|bearer)\s{1,5}(?!\[redacted: )(?P<secret>[A-Za-z0-9+/=._~-]{8,}+)"),
        before=re.compile(r"(?i)authorization[\"']?\s{0,5}[:=]\s{0,5}[\"']?\Z"),
    ),
    *_known("aws access key", ("a3t", "abia", "acca", "akia", "asia"), aws.AWSKeyDetector.denylist[0]),
    Rule(
        "aws access key",
        ("aws",),
        re.compile(r"(?<=[\"'])[0-9a-zA-Z/+]{40}(?=[\"'])"),
        before=re.compile(r"(?i)aws.{0,20}(?:key|pwd|pw|password|pass|token).{0,20}\Z"),
    ),
    *_known("azure storage account access key", ("accountkey=",), *azure_storage_key.AzureStorageKeyDetector.denylist),
    Rule(
        "discord bot token",
        (".",),
        re.compile(r"\.(?=(?P<secret>[\w-]{6}\.[\w-]{27}))", re.ASCII),
        before=re.compile(r"[MNO][a-zA-Z0-9_-]{23,25}\Z"),
        takes_before=True,
    ),
    *_known("github token", ("gh",), *github_token.GitHubTokenDetector.denylist),
    Rule("github token", ("github_pat_",), re.compile(r"github_pat_[A-Za-z0-9_]{22,}+")),
    Rule(
        "gitlab token",
        ("gl", "gr1348941"),
        re.compile(
            r"(?:(?:glpat|gldt|glft|glsoat|glrt|glcbt|glimt|glptt|glagent|gloas)-|GR1348941)[A-Za-z0-9_-]{20,}+"
            r"(?:\.[0-9a-z]{2}\.[0-9a-z]{7,9})?"
        ),
    ),
    Rule(
        "mailchimp access key",
        ("-us",),
        re.compile(r"-us[0-9]{1,2}"),
        before=re.compile(r"[0-9a-z]{32}\Z"),
        takes_before=True,
    ),
    Rule("npm tokens", (":_authtoken",), re.compile(r":_authToken=\s{0,20}(?P<secret>[^\s\"']{20,}+)")),
    Rule("npm tokens", ("npm_",), re.compile(r"\bnpm_[A-Za-z0-9]{36,}+")),
    *_known("pypi token", ("pypi-age",), *pypi_token.PypiTokenDetector.denylist),
    *_known("sendgrid api key", ("sg.",), *sendgrid.SendGridDetector.denylist),
    Rule("slack token", ("xox",), re.compile(r"(?i)xox[abposr]-(?:[0-9]{1,20}-){1,6}[a-z0-9]++")),
    Rule(
        "slack token",
        ("https://hooks.slack.com",),
        re.compile(r"(?i)https://hooks\.slack\.com/services/T\w{1,40}/B\w{1,40}/\w++", re.ASCII),
    ),
    *_known("square oauth secret", ("sq0csp-",), *square_oauth.SquareOAuthDetector.denylist),
    *_known("stripe access key", ("k_live_",), *stripe.StripeDetector.denylist),
    Rule(
        "telegram bot token",
        (":",),
        re.compile(r":[0-9A-Za-z_-]{35}"),
        before=re.compile(r"[0-9]{8,10}\Z"),
        takes_before=True,
    ),
    *_known("twilio api key", ("ac", "sk"), *twilio.TwilioKeyDetector.denylist),
    Rule(
        "card number",
        tuple("23456"),
        # solid, or in groups as cards print them: 4-4-4-4 and 4-6-5
        re.compile(
            rf"(?<![0-9A-Za-z])(?<![0-9][.,])(?:[2-6][0-9]{{12,18}}"
            rf"|[2-6][0-9]{{3}}(?P<by>{_SPACE})[0-9]{{4}}(?P=by)[0-9]{{4}}(?P=by)[0-9]{{1,4}}(?:(?P=by)[0-9]{{1,3}})?"
            rf"|3[0-9]{{3}}(?P<and>{_SPACE})[0-9]{{6}}(?P=and)[0-9]{{4,5}})(?![0-9A-Za-z])"
        ),
        holds=is_card_number,
    ),
)
