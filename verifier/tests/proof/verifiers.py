"""Both verifiers of exports and proofs: Suture's own, and the one in JavaScript, written from the page alone."""

import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from click.testing import CliRunner
from hypothesis import strategies as st

from suture_verify.cli import main

ROOT = Path(__file__).parents[3]
VECTORS = ROOT / "verifier" / "vectors"
NODE = shutil.which("node")


class Verdict(NamedTuple):
    """The exit code, and kind, place and number of each finding, sorted."""

    exit: int
    findings: list[list[str | int | None]]


def by_suture(export: Path, trusted: Iterable[Path] = ()) -> Verdict:
    """Return the result of `suture-verify export`."""
    done = CliRunner().invoke(main, ["export", str(export), "--json", *_options(trusted)])
    return _verdict(done.exit_code, done.stdout)


def by_node(export: Path, trusted: Iterable[Path] = ()) -> Verdict:
    """Return the result of examples/verify_ledger.mjs."""
    (verdict,) = by_node_each([(export, trusted)])
    return verdict


def by_node_each(exports: Iterable[tuple[Path, Iterable[Path]]]) -> list[Verdict]:
    """Return the results of examples/verify_ledger.mjs for each export with its trusted tree heads."""
    runs = run_each([str(export), "--json", *_options(trusted)] for export, trusted in exports)
    for done in runs:
        assert done.returncode in {0, 1} or done.stderr.startswith("Cannot read "), done.stderr
    return [_verdict(done.returncode, done.stdout) for done in runs]


def run_node(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run node in the directory of the project."""
    assert NODE is not None
    return subprocess.run([NODE, *arguments], capture_output=True, text=True, check=False, cwd=ROOT)


def run_each(runs: Iterable[Iterable[str]]) -> list["subprocess.CompletedProcess[str]"]:
    """Run examples/verify_ledger.mjs with each of these arguments, in one process."""
    given = json.dumps([list(arguments) for arguments in runs])
    done = run_node("--input-type=module", "-e", _EACH, given)
    assert done.returncode == 0, done.stderr
    return [subprocess.CompletedProcess(**one) for one in json.loads(done.stdout)]


_EACH = """
    import { once } from "node:events";
    import { text } from "node:stream/consumers";
    import { Worker } from "node:worker_threads";
    const done = [];
    for (const args of JSON.parse(process.argv[1])) {
      const options = { argv: args, execArgv: [], stdout: true, stderr: true };
      const worker = new Worker("./examples/verify_ledger.mjs", options);
      const said = [text(worker.stdout), text(worker.stderr)];
      const [returncode] = await once(worker, "exit");
      const [stdout, stderr] = await Promise.all(said);
      done.push({ args, returncode, stdout, stderr });
    }
    console.log(JSON.stringify(done));
"""


def assert_agree(data: bytes, trusted: Iterable[Path] = ()) -> Verdict:
    """Assert that both give the same result for an export, and return it."""
    with tempfile.TemporaryDirectory() as home:
        file = Path(home) / "ledger.jsonl"
        file.write_bytes(data)
        ours, theirs = by_suture(file, trusted), by_node(file, trusted)
    assert ours == theirs
    return ours


@st.composite
def mutations(draw: st.DrawFn, data: bytes) -> bytes:
    """An export with changed, removed, repeated or exchanged lines."""
    lines = data.splitlines(keepends=True)
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(lines) - 1))
        line = lines[at]
        match draw(st.sampled_from(["remove", "repeat", "exchange", "replace", "insert", "delete", "digits"])):
            case "remove":
                lines[at] = b""
            case "repeat":
                lines[at] = line * 2
            case "exchange":
                other = draw(st.integers(0, len(lines) - 1))
                lines[at], lines[other] = lines[other], line
            case "replace" if line:
                where = draw(st.integers(0, len(line) - 1))
                lines[at] = line[:where] + draw(_BYTES) + line[where + 1 :]
            case "insert":
                where = draw(st.integers(0, len(line)))
                lines[at] = line[:where] + draw(_BYTES) + line[where:]
            case "delete" if line:
                where = draw(st.integers(0, len(line) - 1))
                lines[at] = line[:where] + line[where + draw(st.integers(1, 5)) :]
            case "digits":
                found = [where for where, char in enumerate(line) if chr(char).isdigit()]
                if found:
                    where = draw(st.sampled_from(found))
                    lines[at] = line[:where] + draw(st.sampled_from(_NUMBERS)) + line[where + 1 :]
    return b"".join(lines)


_BYTES = st.sampled_from([bytes([byte]) for byte in b' \t\r\n"\\{}[]:,-+.0123456789abcdefuABCDEFx\x00\x1f\x7f\xff'])
_NUMBERS = [b"0", b"1", b"9", b"-0", b"-1", b"01", b"1.0", b"1e0", b"9007199254740993", b"18446744073709551617"]


def _options(trusted: Iterable[Path]) -> list[str]:
    return [option for file in trusted for option in ("--trusted-tree-head", str(file))]


def _verdict(exit_: int, report: str) -> Verdict:
    findings = json.loads(report)["findings"] if exit_ in {0, 1} else []
    return Verdict(exit_, sorted(([one["kind"], one["chain"], one["seq"]] for one in findings), key=json.dumps))
