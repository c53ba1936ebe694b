"""detect-secrets' patterns, as suture_client/text/detectors.py keeps them: an upgrade of the library cannot change
unseen what is masked."""

import importlib
import json
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest
from detect_secrets import plugins
from detect_secrets.plugins.base import BasePlugin

from suture_client.text import detectors

pytestmark = pytest.mark.pure

MODULE = Path(detectors.__file__)
SNAPSHOT = Path(__file__).with_name("detectors.json")
HOW = (
    "Read what the upgrade changed, adapt suture_client/text/secret_rules.py, then"
    ' `make test ARGS="client/tests/text/test_detectors.py --renew-snapshots"`.'
)

#: Used unchanged: the numbers of the patterns.
USED = {
    "AWSKeyDetector": (0,),
    "AzureStorageKeyDetector": (0,),
    "GitHubTokenDetector": (0,),
    "PypiTokenDetector": (0, 1),
    "SendGridDetector": (0,),
    "SquareOAuthDetector": (0,),
    "StripeDetector": (0,),
    "TwilioKeyDetector": (0, 1),
}
#: Rewritten in suture_client/text/secret_rules.py: the pattern takes more than linear time, leaves a part of the
#: secret, or takes other texts for secrets.
REWRITTEN = (
    "ArtifactoryDetector",
    "BasicAuthDetector",
    "CloudantDetector",
    "DiscordBotTokenDetector",
    "GitLabTokenDetector",
    "IbmCloudIamDetector",
    "IbmCosHmacDetector",
    "JwtTokenDetector",
    "MailchimpDetector",
    "NpmDetector",
    "OpenAIDetector",
    "PrivateKeyDetector",
    "SlackDetector",
    "SoftlayerDetector",
    "TelegramBotTokenDetector",
)
#: Not used, because they guess (docs/decisions/0004-masked-secrets.md).
LEFT_OUT = ("Base64HighEntropyString", "HexHighEntropyString", "IPPublicDetector", "KeywordDetector")
HEAD = '''"""detect-secrets' patterns of known tokens, as data: the library takes too long to import for a hook, which
runs before each tool call of an agent.

Generated from the installed library by `make test ARGS="client/tests/text/test_detectors.py --renew-snapshots"`; the
same test fails if an upgrade of the library changes a pattern. Do not edit.
"""

#: The detector's class, then pattern and flags of each.
PATTERNS: dict[str, tuple[tuple[str, int], ...]] = {'''


def installed() -> dict[str, list[tuple[str, int]]]:
    """Each detector of the installed library, with its patterns and their flags; without patterns if it guesses."""
    found: dict[str, list[tuple[str, int]]] = {}
    for module in pkgutil.iter_modules(plugins.__path__, "detect_secrets.plugins."):
        for name, one in vars(importlib.import_module(module.name)).items():
            if isinstance(one, type) and issubclass(one, BasePlugin) and not one.__abstractmethods__:
                found[name] = [(each.pattern, int(each.flags)) for each in getattr(one, "denylist", ())]
    return found


def used() -> dict[str, tuple[tuple[str, int], ...]]:
    known = installed()
    return {name: tuple(known[name][number] for number in numbers) for name, numbers in USED.items()}


def generated() -> str:
    """The text of suture_client/text/detectors.py, formatted for the linter."""
    lines = []
    for name, patterns in used().items():
        lines += [f'    "{name}": (', *(f"        (r'{pattern}', {flags})," for pattern, flags in patterns), "    ),"]
    text = "\n".join([HEAD, *lines, "}", ""])
    ruff = [sys.executable, "-m", "ruff", "format", "--stdin-filename", MODULE.name, "-"]
    return subprocess.run(ruff, input=text, capture_output=True, text=True, check=True).stdout


def test_each_detector_of_the_library_is_used_or_rewritten_or_left_out():
    assert sorted(installed()) == sorted((*USED, *REWRITTEN, *LEFT_OUT)), HOW


def test_the_patterns_are_those_of_the_installed_library(pytestconfig):
    if pytestconfig.getoption("--renew-snapshots"):
        MODULE.write_text(generated())
        importlib.reload(detectors)
    assert used() == detectors.PATTERNS, HOW


def test_the_library_has_not_changed_a_pattern_that_was_rewritten(pytestconfig):
    found = json.dumps(installed(), indent=1) + "\n"
    if pytestconfig.getoption("--renew-snapshots"):
        SNAPSHOT.write_text(found)
    assert found == SNAPSHOT.read_text(), HOW
