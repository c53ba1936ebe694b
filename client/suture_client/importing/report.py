"""The report of an import: counts, and a line for each part that was not imported."""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Literal

from suture_client.importing.items import BadSource, LeftOut, NotParsed

#: Faults that are printed. All are counted and written to the file of --report.
SHOWN = 20

What = Literal["not understood", "refused", "changed"]


@dataclass
class Report:
    """Counts the parts that were read, recorded, already known, refused and left out."""

    #: The printed lines about faults.
    faults: list[str] = field(default_factory=list)
    read: int = 0
    recorded: int = 0
    already: int = 0
    skipped: int = 0
    not_understood: int = 0
    refused: int = 0
    changed: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    masked: Counter[str] = field(default_factory=Counter)
    file: IO[str] | None = None

    @property
    def is_clean(self) -> bool:
        """Return whether everything in the source was understood and accepted."""
        return not (self.not_understood or self.refused or self.changed)

    def leave_out(self, what: LeftOut) -> None:
        """Count a part that is not memory."""
        self.left_out[what.reason] += what.count

    def add_unparsed(self, what: NotParsed) -> str:
        """Count and report a part that could not be parsed. Returns the line to print; "" after SHOWN lines."""
        self.not_understood += 1
        return self._fault("not understood", what.place, what.reason)

    def refuse(self, place: str, reason: str) -> str:
        """Report a refused item in the same way."""
        self.refused += 1
        return self._fault("refused", place, reason)

    def change(self, place: str, reason: str) -> str:
        """Report an item that was imported before with other words in the same way."""
        self.changed += 1
        return self._fault("changed", place, reason)

    def _fault(self, what: What, place: str, reason: str) -> str:
        self._write({"what": what, "place": place, "reason": reason})
        number = self.not_understood + self.refused + self.changed
        if number > SHOWN:
            return ""
        line = f"{what}: {place}: {reason}"
        self.faults.append(line)
        return line

    def counts(self) -> dict[str, Any]:
        """Return all counts, for the last line of a report."""
        return {
            "what": "summary",
            "read": self.read,
            "recorded": self.recorded,
            "already_recorded": self.already,
            "skipped": self.skipped,
            "not_understood": self.not_understood,
            "refused": self.refused,
            "changed": self.changed,
            "left_out": dict(self.left_out),
            "masked": dict(self.masked),
        }

    def lines(self, *, is_dry_run: bool, has_report: bool) -> Iterator[str]:
        """Yield the counts as text."""
        if is_dry_run:
            yield f"Dry run: {self.read:,} would be sent."
        else:
            yield f"{self.read:,} read: {self.recorded:,} recorded, {self.already:,} already recorded."
        if self.skipped:
            yield f"{self.skipped:,} skipped by the server."
        for reason, number in sorted(self.left_out.items()):
            yield f"{number:,} left out: {reason}."
        if self.masked:
            yield (
                "Secrets masked: " + ", ".join(f"{kind} {count:,}" for kind, count in sorted(self.masked.items())) + "."
            )
        if self.changed:
            yield (
                f"{self.changed:,} were imported before with other words or by another agent, and were not changed."
                " Correct a memory with `suture correct`."
            )
        if self.refused:
            yield f"{self.refused:,} refused by the server."
        if self.not_understood:
            yield f"{self.not_understood:,} not understood."
        hidden = self.not_understood + self.refused + self.changed - SHOWN
        if hidden > 0 and not has_report:
            yield f"{hidden:,} more are not shown. --report FILE lists all."

    @contextmanager
    def into(self, path: Path | None) -> "Iterator[None]":
        """Write each fault to a file as JSON lines, and the counts as the last line. Raises BadSource."""
        if path is None:
            yield
            return
        try:
            self.file = path.open("w", encoding="utf-8")
        except OSError as error:
            raise BadSource(f"The report cannot be written to {path}: {error.strerror}.") from None
        with self.file:
            try:
                yield
            finally:
                self._write(self.counts())
                self.file.flush()

    def _write(self, line: dict[str, Any]) -> None:
        if self.file is not None:
            self.file.write(json.dumps(line, ensure_ascii=False) + "\n")
