"""`suture-verify export` with files."""

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from suture_verify.cli import main

pytestmark = pytest.mark.pure

SUTURE_VERIFY = Path(sys.executable).with_name("suture-verify")


@pytest.fixture
def run(tmp_path, ledger):
    """Run the command on the ledger's export, or on other bytes, with files of tree heads."""

    def run(*tree_heads, data=None):
        path = tmp_path / "ledger[1].jsonl"
        path.write_bytes(ledger.export() if data is None else data)
        arguments = ["export", str(path)]
        for number, text in enumerate(tree_heads):
            file = tmp_path / f"tree_heads-{number}.txt"
            file.write_text(text)
            arguments += ["--trusted-tree-head", str(file)]
        return CliRunner().invoke(main, arguments)

    return run


def test_it_works(tmp_path, ledger):
    path, tree_heads = tmp_path / "ledger.jsonl.gz", tmp_path / "tree_heads.txt"
    path.write_bytes(gzip.compress(ledger.export()))
    tree_heads.write_text(ledger.note_text())
    done = subprocess.run(
        [SUTURE_VERIFY, "export", path, "--trusted-tree-head", tree_heads], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "The ledger is intact." in done.stdout
    assert str(ledger.tenant) in done.stdout
    assert "1 compared" in done.stdout


def test_it_needs_nothing_of_the_server(tmp_path, ledger):
    path = tmp_path / "ledger.jsonl"
    path.write_bytes(ledger.export())
    program = (
        "import sys; from suture_verify.cli import main; from click.testing import CliRunner;"
        "print(CliRunner().invoke(main, sys.argv[1:]).output);"
        "print('LOADED', sorted({'django', 'psycopg', 'httpx', 'governance', 'capture'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "export", path], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert "The ledger is intact." in done.stdout
    assert "LOADED []" in done.stdout


def test_it_says_its_version():
    done = CliRunner().invoke(main, ["--version"])
    assert done.exit_code == 0
    assert done.output.startswith("suture-verify ")


def test_without_a_tree_head_it_warns_about_the_missing_checks(run, ledger):
    done = run()
    assert done.exit_code == 0
    assert "You gave no trusted tree head" in done.output
    assert "You gave no trusted tree head" not in run(ledger.note_text()).output


def test_a_finding_names_the_chain_the_number_the_kind_and_its_meaning(run, ledger):
    del ledger.lines[ledger.index(3)]
    done = run()
    assert done.exit_code == 1
    assert "gap: governance at 3: missing: 3" in done.output
    assert "Entries or leaves were deleted, inserted or moved" in done.output
    assert "The ledger is not intact" in done.output


def test_a_finding_has_details_and_advice(run, ledger):
    ledger.leaves[1] = ledger.leaves[1]._replace(hash=bytes(32))
    lines = [line.strip() for line in run().output.splitlines()]
    seal = ledger.index(3)
    assert "seal mismatch: governance at 3: the first 2 leaves do not give its root" in lines
    assert f"expected  {json.loads(ledger.lines[seal].canonical)['metadata']['root']}" in lines
    assert "since     the seal in governance entry 3" in lines
    assert sum(line.startswith("do        Export the ledger again.") for line in lines) == 1


def test_a_program_reads_the_report(run, ledger, tmp_path):
    del ledger.lines[ledger.index(3)]
    path = tmp_path / "ledger.jsonl"
    path.write_bytes(ledger.export())
    done = CliRunner().invoke(main, ["export", str(path), "--json"])
    report = json.loads(done.output)
    assert (done.exit_code, report["ok"], report["tenant"]) == (1, False, str(ledger.tenant))
    assert (report["entries"], report["chains"], report["leaves"]) == (len(ledger.lines), 2, 4)
    assert report["finding_count"] == len(report["findings"])
    first = report["findings"][0]
    assert (first["kind"], first["chain"], first["seq"], first["found"], first["expected"]) == (
        "gap", "governance", 3, "4", "3"
    )  # fmt: skip
    assert first["detail"] == "missing: 3"
    assert first["meaning"].startswith("Entries or leaves were deleted")
    assert first["advice"].startswith("Export the ledger again")


def test_a_program_reads_that_the_ledger_is_whole(tmp_path, ledger):
    path = tmp_path / "ledger.jsonl"
    path.write_bytes(ledger.export())
    done = CliRunner().invoke(main, ["export", str(path), "--json"])
    report = json.loads(done.output)
    assert (done.exit_code, report["ok"], report["finding_count"], report["findings"]) == (0, True, 0, [])


def test_the_answer_of_the_api_is_a_tree_head_too(run, ledger):
    answer = {"note": ledger.note_text(), "size": 4, "root": "", "seq": 8, "head": ""}
    done = run(json.dumps(answer))
    assert done.exit_code == 0
    assert "1 compared" in done.output
    ledger.lines.pop()
    assert run(json.dumps(answer)).exit_code == 1
    for text in ("{}", '{"note": 5}', '{"note": "x"}', "{", "{" * 100_000):
        assert run(text).exit_code == 2


def test_many_findings_are_counted(run, ledger):
    for _ in range(80):
        ledger.add("policy.changed")
    ledger.lines = [line for line in ledger.lines if line.seq % 2 == 0 or line.seq < 9]
    done = run()
    assert done.exit_code == 1
    assert "more" in done.output.splitlines()[-2]


def test_a_cut_end_is_found_by_any_of_several_tree_head_files(run, ledger):
    before = ledger.note_text()
    ledger.add("policy.changed")
    after = ledger.note_text()
    ledger.lines.pop()
    assert run(before).exit_code == 0
    done = run(before, after)
    assert done.exit_code == 1
    output = " ".join(done.output.split())
    assert "The export ends before the tree head. Up to there, it is intact" in output
    assert "older than the tree head: governance at 9: the tree head names entry 9" in output
    assert "Export the ledger again" in output
    assert "The ledger is not intact" not in output


def test_findings_of_rows_say_their_leaf(run, ledger):
    del ledger.leaves[1]
    assert "gap: leaves at 1: " in run().output


def test_a_file_that_is_not_there_is_unreadable(tmp_path):
    done = CliRunner().invoke(main, ["export", str(tmp_path / "none")])
    assert done.exit_code == 2
    assert "Cannot read" in done.stderr
    assert "No such file" in done.stderr


def test_a_folder_is_unreadable(tmp_path):
    assert CliRunner().invoke(main, ["export", str(tmp_path)]).exit_code == 2


def test_an_export_that_breaks_off_is_unreadable_and_says_where(run, ledger):
    data = ledger.export()
    done = run(data=data[:-20])
    assert done.exit_code == 2
    assert f"ledger[1].jsonl: line {len(data.splitlines())}: not JSON" in done.stderr


def test_a_broken_tree_head_is_unreadable_and_named(run, ledger):
    done = run(ledger.note_text(), "suture/what\n")
    assert done.exit_code == 2
    assert "tree_heads-1.txt: line 2" in done.stderr


def test_a_file_without_a_tree_head_is_unreadable_rather_than_compared_with(run):
    done = run("\n")
    assert done.exit_code == 2
    assert "it has no tree head" in done.stderr


def test_a_binary_tree_head_is_unreadable(tmp_path, ledger):
    path, other = tmp_path / "ledger.jsonl", tmp_path / "picture"
    path.write_bytes(ledger.export())
    other.write_bytes(b"\xff\xfe\x00")
    done = CliRunner().invoke(main, ["export", str(path), "--trusted-tree-head", str(other)])
    assert done.exit_code == 2
    assert "not UTF-8" in done.stderr


def test_the_tenants_own_text_does_not_control_the_terminal(run, ledger):
    ledger.lines = [line._replace(chain="\x1b[31mx\n") if line.chain != "governance" else line for line in ledger.lines]
    done = run()
    assert done.exit_code == 1
    assert "foreign: \\x1b[31mx\\x0a at 0: " in done.output
