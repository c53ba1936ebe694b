"""Work on one file of a watched root, which threads do."""

from dataclasses import dataclass
from enum import Enum
from typing import Any

from capture.watching.reading import Look, MarkdownFile
from capture.watching.sending import Files, Rejected, send_version
from capture.watching.state import RootState


class Kind(Enum):
    """What a job does."""

    LIST = "list"
    LOOK = "look"
    SEND = "send"
    RENAME = "rename"
    DELETE = "delete"


@dataclass(frozen=True, slots=True)
class Job:
    """Work on one file of a root, or, to LIST, on the root."""

    state: RootState
    kind: Kind
    path: str = ""
    look: Look | None = None
    #: Of a RENAME, the path from before.
    former: str = ""

    def do(self, files: Files, *, compute_embedding: bool) -> Any:
        """Do it, and answer what the server said, or what the file has. Raises what `files` raises."""
        root = self.state.root
        match self.kind:
            case Kind.LIST:
                return {one.path: one.file_hash for one in files.listed(root.session_id) if not one.is_deleted}
            case Kind.DELETE:
                try:
                    return files.mark_deleted(root.session_id, self.path)
                except Rejected as error:
                    if error.status == 404:  # the server does not know the file any more
                        return 0
                    raise
            case Kind.RENAME:
                return files.rename(root.session_id, self.former, self.path)
            case Kind.SEND if self.look is not None:
                return send_version(files, root, self.path, self.look, compute_embedding=compute_embedding)
            case _:
                return MarkdownFile(root, self.path).look()
