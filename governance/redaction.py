"""Masks secrets in incoming text before anything is stored: what is never written cannot leak.

The patterns of known token formats are detect-secrets'; its entropy and keyword guesses are left out, since they
would take commit hashes and prose for secrets, and what is redacted is gone.
"""

import re
from typing import Any

from detect_secrets.plugins import (
    aws,
    azure_storage_key,
    discord,
    github_token,
    gitlab_token,
    mailchimp,
    npm,
    pypi_token,
    sendgrid,
    slack,
    square_oauth,
    stripe,
    telegram_token,
    twilio,
)

_DETECTORS = (
    aws.AWSKeyDetector,
    azure_storage_key.AzureStorageKeyDetector,
    discord.DiscordBotTokenDetector,
    github_token.GitHubTokenDetector,
    gitlab_token.GitLabTokenDetector,
    mailchimp.MailchimpDetector,
    npm.NpmDetector,
    pypi_token.PypiTokenDetector,
    sendgrid.SendGridDetector,
    slack.SlackDetector,
    square_oauth.SquareOAuthDetector,
    stripe.StripeDetector,
    telegram_token.TelegramBotTokenDetector,
    twilio.TwilioKeyDetector,
)

#: (kind, pattern): the whole match is the secret, or the group `secret` where a pattern has one.
PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    # The library's patterns for these four stop within the secret or take more than it.
    (
        "private key",
        re.compile(
            r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----.*?(?:-----END (?:[A-Z]+ )*PRIVATE KEY-----|\Z)", re.DOTALL
        ),
    ),
    ("json web token", re.compile(r"eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]+)?")),
    ("openai token", re.compile(r"\bsk-[A-Za-z0-9_-]{20,}")),
    ("basic auth credentials", re.compile(r"://[^\s:/@]+:(?P<secret>[^\s@/]+)@")),
    ("suture key", re.compile(r"sut_[0-9a-f]{8}_[A-Za-z0-9_-]{43}")),
    ("password", re.compile(r"""(?i)\b(?:password|passwd|pwd)\s*[:=]\s*["']?(?P<secret>[^\s"',;]{6,})""")),
    *((detector.secret_type.lower(), pattern) for detector in _DETECTORS for pattern in detector.denylist),
)


def redact(text: str) -> tuple[str, set[str]]:
    """`text` with each secret replaced by `[redacted: <kind>]`, and the kinds found."""
    found: set[str] = set()
    for kind, pattern in PATTERNS:
        text, count = pattern.subn(_replacement(kind), text)
        if count:
            found.add(kind)
    return text, found


def _replacement(kind: str) -> Any:
    def replace(match: re.Match[str]) -> str:
        whole = match[0]
        if "secret" not in match.re.groupindex:
            return f"[redacted: {kind}]"
        return (
            whole[: match.start("secret") - match.start()]
            + f"[redacted: {kind}]"
            + whole[match.end("secret") - match.start() :]
        )

    return replace


def redact_all(value: Any) -> tuple[Any, set[str]]:
    """The same for every string within a JSON value; keys are left alone."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, list):
        pairs = [redact_all(item) for item in value]
        return [item for item, _ in pairs], set().union(*(kinds for _, kinds in pairs))
    if isinstance(value, dict):
        named = {name: redact_all(item) for name, item in value.items()}
        return {name: item for name, (item, _) in named.items()}, set().union(*(kinds for _, kinds in named.values()))
    return value, set()
