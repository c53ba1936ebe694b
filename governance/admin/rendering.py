"""Show foreign text on a page: escaped, with invisible characters made visible."""

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby, islice

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from governance.edits import diffs
from governance.edits.diffs import Piece

#: Maximum number of stretches of invisible characters that are named; each grows fiftyfold.
NAMED_AT_MOST = 1_000
#: Maximum number of different characters that are named in one stretch.
NAMED_IN_A_ROW = 20
_REPLACEMENT = "\ufffd"


def shown(text: str) -> SafeString:
    """`text` as HTML. Invisible and bidirectional control characters appear as code points, with a count if repeated.
    After the first 1,000 stretches of them, each further one is a replacement character."""
    return format_html_join("", "{}", ((piece,) for piece in _pieces(text)))


def _pieces(text: str) -> Iterator[SafeString | str]:
    at = named = 0
    for run, unseen in diffs.runs(text):
        if named == NAMED_AT_MOST:
            yield "".join(_REPLACEMENT if diffs.is_unseen(character) else character for character in text[at:])
            return
        at += len(run)
        named += unseen
        yield _named(run) if unseen else run


def _named(run: str) -> SafeString:
    groups = ((character, len(list(same))) for character, same in groupby(run))
    named = list(islice(groups, NAMED_IN_A_ROW + 1))
    marks = format_html_join(
        "",
        '<span class="unseen" title="{}">{}</span>',
        (
            (diffs.name_of(character), f"U+{ord(character):04X}" + (f" \u00d7 {count}" if count > 1 else ""))
            for character, count in named[:NAMED_IN_A_ROW]
        ),
    )
    return marks if len(named) <= NAMED_IN_A_ROW else format_html("{}{}", marks, _REPLACEMENT)


def before_side(pieces: Iterable[Piece]) -> SafeString:
    """The text before, with deletions marked."""
    return _side(pieces, "delete", lambda inner: format_html("<del>{}</del>", inner))


def after_side(pieces: Iterable[Piece]) -> SafeString:
    """The text after, with insertions marked."""
    return _side(pieces, "insert", lambda inner: format_html("<ins>{}</ins>", inner))


def _side(pieces: Iterable[Piece], kind: str, mark: Callable[[SafeString], SafeString]) -> SafeString:
    return format_html_join(
        "",
        "{}",
        (
            (mark(shown(piece.text)) if piece.kind == kind else shown(piece.text),)
            for piece in pieces
            if piece.kind in ("same", kind)
        ),
    )
