"""detect-secrets' patterns of known tokens, as data: the library takes too long to import for a hook, which
runs before each tool call of an agent.

Generated from the installed library by `make test ARGS="client/tests/text/test_detectors.py --renew-snapshots"`; the
same test fails if an upgrade of the library changes a pattern. Do not edit.
"""

#: The detector's class, then pattern and flags of each.
PATTERNS: dict[str, tuple[tuple[str, int], ...]] = {
    "AWSKeyDetector": ((r"(?:A3T[A-Z0-9]|ABIA|ACCA|AKIA|ASIA)[0-9A-Z]{16}", 32),),
    "AzureStorageKeyDetector": ((r"AccountKey=[a-zA-Z0-9+\/=]{88}", 32),),
    "GitHubTokenDetector": ((r"(ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9_]{36}", 32),),
    "PypiTokenDetector": (
        (r"pypi-AgEIcHlwaS5vcmc[A-Za-z0-9-_]{70,}", 32),
        (r"pypi-AgENdGVzdC5weXBpLm9yZw[A-Za-z0-9-_]{70,}", 32),
    ),
    "SendGridDetector": ((r"SG\.[a-zA-Z0-9_-]{22}\.[a-zA-Z0-9_-]{43}", 32),),
    "SquareOAuthDetector": ((r"sq0csp-[0-9A-Za-z\\\-_]{43}", 32),),
    "StripeDetector": ((r"(?:r|s)k_live_[0-9a-zA-Z]{24}", 32),),
    "TwilioKeyDetector": (
        (r"AC[a-z0-9]{32}", 32),
        (r"SK[a-z0-9]{32}", 32),
    ),
}
