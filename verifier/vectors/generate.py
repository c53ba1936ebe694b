"""Writes the test vectors of docs/ledger-format.md into this directory: `python -m vectors.generate`, in verifier/."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from vectors import export_cases, proof_cases, receipt_cases
from vectors.export_cases import Case
from vectors.ledger import ACME, ALICE, OTHER, seed_of

HERE = Path(__file__).parent

#: JSON texts, whether each is canonical, and the reason.
CANONICAL: list[tuple[str, bool, str]] = [
    ('{"a":1,"b":[true,null,"x"]}', True, ""),
    ('{"\U0001f600":2,"\ue000":1}', True, "names are sorted by UTF-16 code units"),
    ('{"\ue000":1,"\U0001f600":2}', False, "names are sorted by UTF-16 code units, not by code points"),
    ('{"b":1,"a":2}', False, "names out of order"),
    ('{"a":1,"a":1}', False, "a name twice"),
    ('{"a": 1}', False, "a space"),
    ("9007199254740991", True, "2**53 - 1"),
    ("9007199254740992", False, "2**53"),
    ("9007199254740993", False, "no double"),
    ("-9007199254740992", False, "-2**53"),
    ("100000000000000000000", False, "a double, but beyond 2**53 - 1"),
    ("1e+21", True, "with an exponent"),
    ("1e21", False, "an exponent without its sign"),
    ("0.5", True, "a fraction"),
    ("0.50", False, "a zero too many"),
    ("1.0", False, "whole numbers have no fraction"),
    ("1e-7", True, "with an exponent"),
    ("0.0000001", False, "needs an exponent"),
    ("-0", False, "negative zero"),
    ("-1", True, ""),
    ("01", False, "a leading zero"),
    ("1e999", False, "no double"),
    ("NaN", False, "no JSON"),
    ('"\\u001f\\b\\t\\n\\f\\r\\"\\\\/\x7f\u2028"', True, "what must be escaped is, and nothing else"),
    ('"\\u001F"', False, "an escape in upper case"),
    ('"\\u0009"', False, "a tab is \\t"),
    ('"\\/"', False, "an escape that is not needed"),
    ('"\\u00e9"', False, "an escape that is not needed"),
    ('"\\ud83d\\ude00"', False, "an escape that is not needed"),
    ('"\\ud83d"', False, "a lone surrogate"),
    ('{"\\udc00":1}', False, "a lone surrogate"),
    ("[" * 64 + "]" * 64, True, "64 arrays"),
    ("[" * 65 + "]" * 65, False, "65 arrays"),
    ('["' + "[" * 65 + '"]', True, "brackets in a text"),
    ("", False, "no JSON"),
    ("[1", False, "no JSON"),
]


def files() -> dict[str, bytes]:
    """Return all vectors by file name."""
    cases, notes = export_cases.cases(), export_cases.tree_heads()
    proofs = proof_cases.proofs()
    made = {f"{case.name}.jsonl": case.data for case in cases}
    made |= {name: text.encode() for name, text in notes.items()}
    made |= {f"{proof.name}.json": _json(proof.fields) for proof in proofs}
    receipts = receipt_cases.receipts()
    made |= {f"{receipt.name}.json": _json(receipt.value) for receipt in receipts}
    made["canonical.json"] = _json([{"text": text, "canonical": is_one, "why": why} for text, is_one, why in CANONICAL])
    made["index.json"] = _json(
        {
            "exports": [_indexed(case) for case in cases],
            "proofs": [
                {
                    "file": f"{proof.name}.json",
                    "trusted": proof.trusted,
                    "holds": not proof.why_not,
                    "why": proof.why_not,
                }
                for proof in proofs
            ],
            "receipts": [
                {
                    "file": f"{receipt.name}.json",
                    "export": receipt.export,
                    "exit": receipt.exit,
                    "why": receipt.why_not,
                }
                for receipt in receipts
            ],
            "canonical": "canonical.json",
            "keys": {
                name: seed_of(name).hex()
                for name in (f"{ACME} governance", f"{ACME} rotated", f"{ACME} {ALICE}", f"{OTHER} {ALICE}", "stranger")
            },
        }
    )
    return made


def _indexed(case: Case) -> dict[str, Any]:
    return {
        "file": f"{case.name}.jsonl",
        "trusted": case.trusted,
        "exit": case.exit,
        "findings": sorted([list(finding) for finding in case.findings], key=json.dumps),
        "what": case.what,
    }


def _json(value: Any) -> bytes:
    return (json.dumps(value, indent=1) + "\n").encode()


def main(write: Callable[[Path, bytes], object] = Path.write_bytes) -> None:
    """Write all files."""
    for name, data in files().items():
        write(HERE / name, data)


if __name__ == "__main__":
    main()
