"""By what a chunk is given to somebody: the names that deliveries are recorded with."""

from enum import StrEnum


class Means(StrEnum):
    """One for each way in which an answer of the server has the words of chunks."""

    #: `POST /chunks/search`, and the tool `search_memory`.
    SEARCH = "search"
    #: One by its id or number: `POST /chunks/get`, `GET /memories/{seq}`, `GET /captures/{id}`.
    GET = "get"
    #: A page of a list: `GET /chunks`, `GET /memories`, `GET /captures`.
    LIST = "list"
    #: The chunks around another one.
    TIMELINE = "timeline"
    #: The tool `memory_recall`.
    RECALL = "recall"
    #: The working memory of a bootstrap.
    BOOTSTRAP = "bootstrap"
    #: Core memory, in a bootstrap or by the tool `core_memories`.
    CORE = "core"
    #: The present version of a memory block.
    BLOCK = "block"
    #: The versions of a memory block.
    HISTORY = "history"
    #: A context bundle, when it is built. Reading it again gives nothing new.
    BUNDLE = "bundle"
    #: A capsule, opened or in a context bundle.
    CAPSULE = "capsule"
    #: An event, whose content is the words of its chunks.
    EVENT = "event"
    #: The sample of what an edit by filter would change.
    PREVIEW = "preview"
