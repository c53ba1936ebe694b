"""Imports Markdown files as the watcher captures them: the files of a directory in the session `watch:<name>`.

So an imported directory can be watched later without sending anything again.
"""

import logging
from collections.abc import Iterable
from typing import Any

from suture_client import filtering
from suture_client.errors import Problem
from suture_client.filtering import Ignored
from suture_client.hooks import settings
from suture_client.importing import upload
from suture_client.importing.items import BadSource, LeftOut, NotParsed, Options
from suture_client.importing.report import Report
from suture_client.progress import Progress, print_line
from suture_client.watching.files_api import Files, send_version
from suture_client.watching.markdown_files import Changing, MarkdownFile, Unreadable, read
from suture_client.watching.output import OnceLogger
from suture_client.watching.roots import Root

#: How many times to try reading a file that is being written.
_TRIES = 3


class Skipped(OnceLogger):
    """Adds the files that a scan skips to the report."""

    def __init__(self, report: Report) -> None:
        super().__init__()
        self._report = report

    def say(self, path: str, message: str, level: int = logging.WARNING) -> bool:
        # Messages about the whole directory, and mere information, do not mean that a file is missing.
        if level >= logging.WARNING and path != "." and (line := self._report.add_unparsed(NotParsed(path, message))):
            print_line(line)
        return True


def ignored() -> Ignored:
    """Return the user's ignore lists. Raises BadSource if they cannot be read."""
    lists = filtering.ignored(settings.read().table)
    if lists.problem:
        raise BadSource(lists.problem)
    return lists


class Importer:
    """Imports the files of a root. Without a server, only reads them."""

    def __init__(self, root: Root, options: Options, kind: str, report: Report, bar: Progress) -> None:
        self._root, self._report, self._bar = root, report, bar
        self._more: dict[str, Any] = {"tags": list(dict.fromkeys([kind, *options.tags]))}
        if options.channel:
            self._more["channel"] = options.channel
        if options.project:
            self._more["project_id"] = options.project

    def check(self, paths: Iterable[str]) -> None:
        """Read the files and count them."""
        for path in paths:
            self._read(path)

    def send(self, paths: Iterable[str], url: str, key: str) -> None:
        """Send the files whose current content the server lacks. Raises Failed if the server accepts nothing."""
        with _Files(url, key, self._more) as files:
            known = {one.path: one for one in files.listed(self._root.session_id)}
            for path in paths:
                if (file := self._read(path)) is None:
                    continue
                has = known.get(path)
                if has is not None and has.file_hash == file.file_hash and not has.is_deleted:
                    self._report.already += 1
                else:
                    self._send(files, path, file)

    def _read(self, path: str) -> MarkdownFile | None:
        """Read a file; None if it cannot be imported, which is reported."""
        self._bar.advance(1)
        for _ in range(_TRIES):
            try:
                file = read(self._root, path)
            except Changing:
                continue
            except Unreadable as error:
                self._add_unparsed(path, str(error))
                return None
            if not file.signature.size:
                self._report.leave_out(LeftOut("empty files"))
                return None
            self._report.read += 1
            self._bar.set_count(self._report.read)
            return file
        self._add_unparsed(path, "The file is being written.")
        return None

    def _send(self, files: Files, path: str, file: MarkdownFile) -> None:
        try:
            answer = send_version(files, self._root, path, file, compute_embedding=True)
        except Problem as problem:
            if upload.applies_to_all(problem):
                raise
            if line := self._report.refuse(self._root.shown(path), str(problem)):
                print_line(line)
        else:
            if answer["status"] == "unchanged":
                self._report.already += 1
            else:
                self._report.recorded += 1

    def _add_unparsed(self, path: str, reason: str) -> None:
        if line := self._report.add_unparsed(NotParsed(self._root.shown(path), reason)):
            print_line(line)


class _Files(Files):
    """The API of files. Adds the options of the command line to each version."""

    def __init__(self, url: str, key: str, more: dict[str, Any]) -> None:
        super().__init__(url, key, pauses=upload.PAUSES)
        self._more = more

    def store(self, part: dict[str, Any]) -> dict[str, Any]:
        return super().store({**part, **self._more})
