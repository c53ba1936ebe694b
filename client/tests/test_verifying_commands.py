"""`suture` offers the commands of `suture-verify` under other names."""

import pytest
from click.testing import CliRunner

from suture_client.cli import app
from tests.proof.verifiers import VECTORS

pytestmark = pytest.mark.pure


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (["verify", str(VECTORS / "whole.jsonl")], "The ledger is intact."),
        (
            ["verify-receipt", str(VECTORS / "receipt.json"), str(VECTORS / "whole.jsonl")],
            "The ledger keeps the receipt:",
        ),
        (
            ["verify-proof", "--trusted-tree-head", str(VECTORS / "kept.txt"), str(VECTORS / "inclusion.json")],
            "The proof holds:",
        ),
        (["witness", "--help"], "Usage: suture witness "),
    ],
)
def test_suture_offers_the_commands_of_the_verifier(words, answer):
    done = CliRunner().invoke(app, words)
    assert (done.exit_code, answer in done.output) == (0, True), done.output


def test_findings_and_wrong_options_have_their_exit_codes():
    assert CliRunner().invoke(app, ["verify", str(VECTORS / "gap-leaf.jsonl")]).exit_code == 1
    assert CliRunner().invoke(app, ["verify", "--what"]).exit_code == 2
