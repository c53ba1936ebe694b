"""Text of others on a page: escaped piece by piece, with what cannot be seen made visible."""

from collections.abc import Callable, Iterable

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from governance.edits import diffs
from governance.edits.diffs import Piece


def shown(text: str) -> SafeString:
    """`text` as HTML; invisible and bidirectional control characters appear as their code points."""
    return format_html_join("", "{}", ((_run(run, unseen),) for run, unseen in diffs.runs(text)))


def _run(text: str, unseen: bool) -> SafeString | str:
    if not unseen:
        return text
    return format_html_join(
        "",
        '<span class="unseen" title="{}">{}</span>',
        ((diffs.name_of(character), f"U+{ord(character):04X}") for character in text),
    )


def before_side(pieces: Iterable[Piece]) -> SafeString:
    """The text before, with what goes marked as deleted."""
    return _side(pieces, "delete", lambda inner: format_html("<del>{}</del>", inner))


def after_side(pieces: Iterable[Piece]) -> SafeString:
    """The text after, with what comes marked as inserted."""
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
