"""The test vectors of docs/ledger-format.md: the script generates them, and both verifiers give the results in the
index says."""

import gzip
import json

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from suture_verify.canonical import NotCanonical, parse_canonical
from suture_verify.cli import main
from suture_verify.findings import Kind
from tests.proof.verifiers import (
    NODE,
    ROOT,
    VECTORS,
    Verdict,
    assert_agree,
    by_node,
    by_node_each,
    by_suture,
    mutations,
    run_each,
    run_node,
)
from tests.scale import at_scale
from vectors import generate

pytestmark = pytest.mark.pure


INDEX = json.loads((VECTORS / "index.json").read_text())
EXPORTS = {"+".join([case["file"], *case["trusted"]]): case for case in INDEX["exports"]}
RECEIPTS = {f"{one['file']}+{one['export']}": one for one in INDEX["receipts"]}
PROOFS = {one["file"]: one for one in INDEX["proofs"]}
WHOLE = (VECTORS / "whole.jsonl").read_bytes()

#: Kinds that only a database shows, and the one about witnesses, which exports do not contain.
OF_DATABASES = {
    Kind.CONTENT_MISMATCH, Kind.CONTENT_MISSING, Kind.UNPROVEN_STATE, Kind.UNPROVEN_AUTHORITY, Kind.SCHEMA,
    Kind.NO_RECEIPT, Kind.NO_TREE_HEADS, Kind.NOT_WITNESSED,
}  # fmt: skip

needs_node = pytest.mark.skipif(NODE is None, reason="node is not installed")


EXPECTED = {name: Verdict(case["exit"], case["findings"]) for name, case in EXPORTS.items()}
HOLD = {name: 0 if one["holds"] else 1 for name, one in PROOFS.items()}
KEPT = {name: one["exit"] for name, one in RECEIPTS.items()}


def files_of(case):
    """An export, and the tree heads to compare it with."""
    return VECTORS / case["file"], [VECTORS / name for name in case["trusted"]]


def exit_of(*arguments):
    """Return the exit code of `suture-verify`."""
    return CliRunner().invoke(main, [*map(str, arguments)]).exit_code


def test_the_script_generates_the_files():
    made = generate.files()
    assert {file.name for file in VECTORS.iterdir() if file.suffix not in {".py", ""}} == set(made)
    changed = [name for name, data in made.items() if (VECTORS / name).read_bytes() != data]
    assert changed == [], "Run in verifier/: python -m vectors.generate"


def test_every_kind_that_an_export_can_show_has_a_file():
    assert {kind for case in INDEX["exports"] for kind, _, _ in case["findings"]} == set(Kind) - OF_DATABASES


def test_suture_gives_the_results_in_the_index():
    assert {name: by_suture(*files_of(case)) for name, case in EXPORTS.items()} == EXPECTED


@needs_node
def test_the_second_verifier_gives_the_results_in_the_index():
    said = by_node_each(files_of(case) for case in EXPORTS.values())
    assert dict(zip(EXPORTS, said, strict=True)) == EXPECTED


def test_suture_gives_the_proof_results_in_the_index():
    proven = {
        name: exit_of("proof", VECTORS / name, "--trusted-tree-head", VECTORS / one["trusted"])
        for name, one in PROOFS.items()
    }
    assert proven == HOLD


@needs_node
def test_the_second_verifier_gives_the_proof_results_in_the_index():
    done = run_each(
        ["--proof", str(VECTORS / name), "--trusted-tree-head", str(VECTORS / one["trusted"])]
        for name, one in PROOFS.items()
    )
    assert {name: one.returncode for name, one in zip(PROOFS, done, strict=True)} == HOLD


def test_suture_gives_the_receipt_results_in_the_index():
    said = {name: exit_of("receipt", VECTORS / one["file"], VECTORS / one["export"]) for name, one in RECEIPTS.items()}
    assert said == KEPT


@needs_node
def test_the_second_verifier_gives_the_receipt_results_in_the_index():
    done = run_each(
        [str(VECTORS / one["export"]), "--receipt", str(VECTORS / one["file"])] for one in RECEIPTS.values()
    )
    assert {name: one.returncode for name, one in zip(RECEIPTS, done, strict=True)} == KEPT
    for name, one in zip(RECEIPTS, done, strict=True):
        if KEPT[name] < 2:
            assert f"the receipt is {'not ' * KEPT[name]}kept: " in one.stdout, name


def test_suture_takes_the_canonical_texts_and_no_others():
    taken = {}
    for one in json.loads((VECTORS / INDEX["canonical"]).read_text()):
        try:
            parse_canonical(one["text"].encode())
            taken[one["text"]] = True
        except NotCanonical:
            taken[one["text"]] = False
    assert taken == {text: is_one for text, is_one, _ in generate.CANONICAL}


@needs_node
def test_the_second_verifier_takes_the_canonical_texts_and_no_others():
    program = """
        import { readFileSync } from "node:fs";
        import { Malformed, parseCanonical } from "./examples/ledger_format.mjs";
        const isOne = (text) => {
          try { parseCanonical(text); return true; }
          catch (error) { if (error instanceof Malformed) return false; throw error; }
        };
        const texts = JSON.parse(readFileSync(process.argv[1]));
        console.log(JSON.stringify(texts.map(({ text }) => isOne(text))));
    """
    done = run_node("--input-type=module", "-e", program, str(VECTORS / INDEX["canonical"]))
    assert json.loads(done.stdout) == [is_one for _, is_one, _ in generate.CANONICAL], done.stderr


@needs_node
def test_both_read_gzip(tmp_path):
    file = tmp_path / "ledger.jsonl.gz"
    file.write_bytes(gzip.compress(WHOLE))
    assert by_suture(file) == by_node(file) == Verdict(0, [])


@needs_node
def test_the_second_verifier_proves_with_an_export_alone(tmp_path):
    """A complete export has the root of every size."""
    proof = VECTORS / "inclusion-size.json"
    whole, broken = str(VECTORS / "whole.jsonl"), str(VECTORS / "signature.jsonl")
    assert run_node("examples/verify_ledger.mjs", whole, "--proof", str(proof)).returncode == 0
    assert "no tree head has 4" in run_node("examples/verify_ledger.mjs", broken, "--proof", str(proof)).stdout


@needs_node
@pytest.mark.parametrize(
    "arguments",
    [[], ["nowhere.jsonl"], ["docs"], ["a", "b"], ["--what"], ["--receipt", "verifier/vectors/receipt.json"]],
)
def test_the_second_verifier_distinguishes_unreadable_files_from_findings(arguments):
    assert run_node("examples/verify_ledger.mjs", *arguments).returncode == 2


@needs_node
@pytest.mark.scaled
@settings(deadline=None, max_examples=at_scale(10, 2000))
@given(st.data())
def test_both_say_the_same_of_changed_exports(data):
    """Including findings, so that both implement every rule of the page."""
    assert_agree(data.draw(mutations(WHOLE)), [VECTORS / "kept.txt"])


def test_the_page_names_every_kind():
    page = (ROOT / "docs" / "ledger-format.md").read_text()
    assert [kind for kind in Kind if str(kind) not in page] == []
