"""`suture-verify receipt`: check that an exported ledger keeps the promise of a receipt."""

import json
import sys
from pathlib import Path

import click

from suture_verify.commands.output import FOUND, WHOLE, opened, refuse, say, shown
from suture_verify.entries import GENESIS, GOVERNANCE, KEY_ROTATED, MalformedEntry, bytes_of, parse_entry
from suture_verify.export import EntryLine, ExportReader, MalformedExport
from suture_verify.notes import MalformedNote, SignedNote, parse_kept
from suture_verify.receipts import MalformedReceipt, Receipt, ReceiptRow
from suture_verify.verifier import verify_export


class ReceiptFails(Exception):  # noqa: N818 (an answer, not an error)
    """The ledger does not keep the receipt; the message gives the reason."""


@click.command()
@click.argument("file", metavar="RECEIPT", type=click.Path(path_type=Path))
@click.argument("export", metavar="EXPORT", type=click.Path(path_type=Path))
@click.option(
    "--trusted-tree-head",
    "tree_heads",
    type=click.Path(path_type=Path),
    multiple=True,
    help="A file of tree heads that you kept. May be repeated.",
)
def receipt(file: Path, export: Path, tree_heads: tuple[Path, ...]) -> None:
    """Check that the sealed ledger contains everything that a receipt promised.

    RECEIPT is the receipt (JSON), or an answer of the API that contains it. EXPORT is the ledger, exported later (JSON
    lines, gzipped or not).

    The command verifies the ledger first, as `suture-verify export` does. The exit code is 0 if the promise is kept, 1
    if it is not or the ledger is not intact, and 2 if a file cannot be read.
    """
    path = file
    try:
        promised = Receipt.parse(json.loads(file.read_text(encoding="utf-8")))
        notes: list[SignedNote] = []
        for path in tree_heads:
            notes += parse_kept(path.read_text(encoding="utf-8"))
        path = export
        places = _check(promised, export, notes)
    except ReceiptFails as reason:
        say("The ledger does not keep the receipt:", "red", f" {shown(reason)}")
        sys.exit(FOUND)
    except UnicodeDecodeError:
        refuse(path, "not UTF-8")
    except json.JSONDecodeError:
        refuse(path, "not JSON")
    except (MalformedReceipt, MalformedExport, MalformedNote) as error:
        refuse(path, str(error))
    except OSError as error:
        refuse(path, error.strerror or str(error))
    rows = f" it has all {len(places):,} rows, as leaves {min(places)} to {max(places)}."
    say("The ledger keeps the receipt:", "green", rows)
    if not notes:
        click.echo(
            "You gave no trusted tree head (--trusted-tree-head FILE), so the command cannot detect a"
            " completely rewritten ledger."
        )
    sys.exit(WHOLE)


def _check(promised: Receipt, export: Path, notes: list[SignedNote]) -> list[int]:
    """Return the positions of the receipt's leaves. Raises ReceiptFails and MalformedExport."""
    if not promised.rows:
        raise ReceiptFails("it promises nothing.")
    if not promised.is_signed:
        raise ReceiptFails("its signature does not match: the receipt was changed.")
    with opened(export, "Verifying") as file:
        report, tenant = verify_export(file, notes)
    if report.first is not None:
        raise ReceiptFails(
            f"the ledger is not intact ({report.first.kind}: {report.first.detail}). Run `suture-verify export`."
        )
    if tenant != promised.tenant:
        raise ReceiptFails(f"it belongs to the tenant {promised.tenant}, and the ledger to {tenant}.")
    wanted = set(promised.rows)
    hashes = {row.hash for row in promised.rows}
    sealed = report.leaves - report.unsealed
    places: list[int] = []
    keys: set[bytes] = set()
    with opened(export, "Looking for the rows") as file:
        reader = ExportReader(file)
        for line in reader:
            if isinstance(line, EntryLine):
                keys |= _key_in(line)
            elif line.hash in hashes and line.position < sealed:
                row = ReceiptRow(line.kind, line.id, line.hash)
                if row in wanted:
                    places.append(line.position)
                    wanted.remove(row)
        exported_at = reader.header.exported_at
    if promised.public_key not in keys:
        raise ReceiptFails("no key of the ledger signed it.")
    if wanted:
        missing = next(row for row in promised.rows if row in wanted)
        if exported_at <= promised.at:
            raise ReceiptFails(f"the ledger was exported at {exported_at.isoformat()}, before the receipt was signed.")
        raise ReceiptFails(
            f"the {missing.kind} {missing.id} is not in the sealed ledger, although it was promised. If the receipt is"
            " less than a minute old, export the ledger again: rows are sealed some seconds after they are recorded."
        )
    return places


def _key_in(line: EntryLine) -> set[bytes]:
    """Return the key that an entry of the governance chain names, if any."""
    if line.chain != GOVERNANCE:
        return set()
    try:
        entry = parse_entry(line.canonical)
        if entry.type in (GENESIS, KEY_ROTATED):
            return {bytes_of(entry.metadata.get("public_key"))}
    except (MalformedEntry, ValueError):
        pass  # already reported as a finding
    return set()
