"""E8, graph: what a text refers to: paths, links, ids and mentions."""

import re
from collections.abc import Iterator, Sequence

from memory.spaces.features import hashed
from memory.spaces.protocol import Dense, DenseSpace, Item

_URL = re.compile(r"\b[a-z][a-z0-9+.-]*://[^\s<>\"')\]]+", re.I)
_EMAIL = re.compile(r"\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b")
_PATH = re.compile(r"(?<![\w/])(?:~|\.{1,2})?/?(?:[\w.@-]+/)+[\w.@-]+|(?<![\w/.])[\w-]{2,}\.[a-z]{1,5}\b(?!\()")
_TICKET = re.compile(r"\b[A-Z][A-Z0-9]+-\d+\b|(?<!\w)#\d+\b")
_MENTION = re.compile(r"(?<![\w@])@[\w][\w.-]*\w")
_ID = re.compile(
    r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b(?=[0-9a-f]*\d)[0-9a-f]{7,40}\b", re.I
)
_WIKI = re.compile(r"\[\[([^\]|#]+)")
_LINE = re.compile(r":\d+(?::\d+)?$")

#: What each kind of reference counts. The session and the speaker are what every item refers to.
WHOLE, FILE_NAME, FOLDER, HOST, SETTING = 1.0, 0.7, 0.6, 0.4, 0.15


class References(DenseSpace):
    """The outgoing references of an item, hashed. Texts are near that refer to the same things, whatever their words;
    a path is near to its folder, and to the same path written from elsewhere."""

    name = "E8"
    title = "graph"
    size = 384
    source = "bibliographic coupling (Kessler 1963): likeness by shared references, hashed"

    def embed(self, items: Sequence[Item]) -> list[Dense]:
        return [hashed(self._features(item), self.size) for item in items]

    def _features(self, item: Item) -> dict[str, float]:
        found = references(item.text, item.refs)
        found[f"session {item.session_id or ''}"] = SETTING
        if item.speaker:
            found[f"mention {item.speaker.casefold()}"] = max(
                SETTING, found.get(f"mention {item.speaker.casefold()}", 0)
            )
        return found

    def embed_query(self, query: Item) -> Dense | None:
        found = references(query.text, query.refs)
        return hashed(found, self.size) if found else None


def references(text: str, refs: Sequence[str] = ()) -> dict[str, float]:
    """The references in `text`, and `refs` beside it, with their weights."""
    found: dict[str, float] = {}
    for name, weight in _references(" ".join([text, *refs])):
        found[name] = max(found.get(name, 0.0), weight)
    for ref in refs:
        found.setdefault(f"ref {ref.strip().casefold()}", WHOLE)
    return found


def _references(text: str) -> Iterator[tuple[str, float]]:
    rest = text
    for url in _URL.findall(rest):
        whole = url.rstrip(".,;:!?").casefold()
        yield f"url {whole}", WHOLE
        host, _, path = whole.partition("://")[2].partition("/")
        yield f"host {host.removeprefix('www.')}", HOST
        for part in path.split("/"):
            if _TICKET.fullmatch(part.upper()) or part.isdigit():
                yield f"ticket {part.removeprefix('#')}", FILE_NAME
    rest = _URL.sub(" ", rest)
    for email in _EMAIL.findall(rest):
        yield f"mention {email.casefold()}", WHOLE
    rest = _EMAIL.sub(" ", rest)
    for identifier in _ID.findall(rest):
        yield f"id {identifier.casefold()}", WHOLE
    for mention in _MENTION.findall(rest):
        yield f"mention {mention[1:].casefold()}", WHOLE
    for ticket in _TICKET.findall(rest):
        yield f"ticket {ticket.removeprefix('#').casefold()}", WHOLE
    for page in _WIKI.findall(rest):
        yield f"file {page.strip().casefold()}", WHOLE
    for path in _PATH.findall(rest):
        yield from _path(_LINE.sub("", path).casefold().rstrip("."))


def _path(path: str) -> Iterator[tuple[str, float]]:
    """A path, its file's name with as many of its folders as are written, and the folders."""
    names = [name for name in path.split("/") if name not in {"", ".", "..", "~"}]
    if not names:
        return
    yield f"file {names[-1]}", FILE_NAME if len(names) > 1 else WHOLE
    for start in range(len(names) - 1):
        yield f"path {'/'.join(names[start:])}", WHOLE
    for end in range(1, len(names)):
        yield f"folder {'/'.join(names[:end])}", FOLDER
