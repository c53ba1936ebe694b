"""`suture verify-receipt`: check that an exported ledger keeps what a receipt promised."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import Progress

from capture.verify import FOUND, UNREADABLE, WHOLE
from governance.proof.entries import GENESIS, GOVERNANCE, KEY_ROTATED, MalformedEntry, bytes_of, parse_entry
from governance.proof.export import EntryLine, ExportReader, MalformedExport
from governance.proof.notes import MalformedNote, SignedNote, parse_kept
from governance.proof.receipts import MalformedReceipt, Receipt, ReceiptRow
from governance.proof.verifier import verify_export


class ReceiptFails(Exception):  # noqa: N818 (an answer, not an error)
    """The ledger does not keep the receipt; the message says why."""


def verify_receipt(
    receipt: Annotated[Path, typer.Argument(help="The receipt (JSON), or an answer of the API that has it.")],
    export: Annotated[Path, typer.Argument(help="The ledger, exported later (JSON lines, gzipped or not).")],
    trusted_tree_head: Annotated[
        list[Path] | None, typer.Option(help="A file of tree heads that you kept; you can give several.")
    ] = None,
) -> None:
    """Check that everything that a receipt promised is in the sealed ledger.

    The ledger is verified first, as `suture verify` does it. Exits with 0 if the promise is kept, 1 if it is not or
    the ledger is not whole, 2 if a file cannot be read.
    """
    output, errors = Console(highlight=False), Console(stderr=True, highlight=False)
    path = receipt
    try:
        promised = Receipt.parse(json.loads(receipt.read_text(encoding="utf-8")))
        notes: list[SignedNote] = []
        for path in trusted_tree_head or []:
            notes += parse_kept(path.read_text(encoding="utf-8"))
        path = export
        with Progress(console=errors, transient=True, disable=not errors.is_terminal) as progress:
            places = _check(promised, path, notes, progress)
    except ReceiptFails as reason:
        output.print(f"[bold red]The receipt is not kept:[/] {escape(str(reason))}", soft_wrap=True)
        raise typer.Exit(FOUND) from None
    except UnicodeDecodeError:
        _refuse(errors, path, "not UTF-8")
    except json.JSONDecodeError:
        _refuse(errors, path, "not JSON")
    except (MalformedReceipt, MalformedExport, MalformedNote) as error:
        _refuse(errors, path, str(error))
    except OSError as error:
        _refuse(errors, path, error.strerror or str(error))
    else:
        output.print(
            f"[bold green]The receipt is kept:[/] the ledger has all {len(places):,} rows of it, leaves"
            f" {min(places)} to {max(places)}.",
            soft_wrap=True,
        )
        if not notes:
            output.print(
                "You gave no trusted tree head (--trusted-tree-head FILE), so the command cannot detect a ledger that"
                " was rewritten as a whole.",
                soft_wrap=True,
            )
        raise typer.Exit(WHOLE)


def _refuse(errors: Console, path: Path, reason: str) -> None:
    errors.print(f"[bold red]Cannot read[/] {escape(str(path))}: {escape(reason)}", soft_wrap=True)
    raise typer.Exit(UNREADABLE)


def _check(promised: Receipt, export: Path, notes: list[SignedNote], progress: Progress) -> list[int]:
    """The positions of the receipt's leaves. Raises ReceiptFails and MalformedExport."""
    if not promised.rows:
        raise ReceiptFails("it promises nothing.")
    if not promised.is_signed:
        raise ReceiptFails("its signature does not match: somebody changed the receipt.")
    with progress.open(export, "rb", description="Verifying") as file:
        report, tenant = verify_export(file, notes)
    if report.first is not None:
        raise ReceiptFails(
            f"the ledger is not whole ({report.first.kind}: {report.first.detail}). `suture verify` says more."
        )
    if tenant != promised.tenant:
        raise ReceiptFails(f"it is of the tenant {promised.tenant}, and the ledger is of {tenant}.")
    wanted = set(promised.rows)
    hashes = {row.hash for row in promised.rows}
    sealed = report.leaves - report.unsealed
    places: list[int] = []
    keys: set[bytes] = set()
    with progress.open(export, "rb", description="Looking for the rows") as file:
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
            f"the {missing.kind} {missing.id} is not in the sealed ledger, as it was promised. If the receipt is"
            " younger than a minute, export the ledger again: rows are sealed some seconds after they are recorded."
        )
    return places


def _key_in(line: EntryLine) -> set[bytes]:
    """The key that an entry of the governance chain names, if it names one."""
    if line.chain != GOVERNANCE:
        return set()
    try:
        entry = parse_entry(line.canonical)
        if entry.type in (GENESIS, KEY_ROTATED):
            return {bytes_of(entry.metadata.get("public_key"))}
    except (MalformedEntry, ValueError):
        pass  # a finding of the ledger, which was verified before
    return set()
