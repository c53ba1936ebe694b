"""The means of deliveries, by which responses deliver chunks."""

from enum import StrEnum


class Means(StrEnum):
    """One for each way in which a response of the server contains the text of chunks."""

    #: `POST /chunks/search`, and the tool `search_memory`.
    SEARCH = "search"
    #: One by its id or number: `POST /chunks/get`, `GET /memories/{id}`, `GET /chain/{seq}`, `GET /captures/{id}`.
    GET = "get"
    #: A page of a list: `GET /chunks`, `GET /memories`, `GET /chain`, `GET /captures`.
    LIST = "list"
    #: The chunks around another one.
    TIMELINE = "timeline"
    #: The tool `memory_recall`.
    RECALL = "recall"
    #: The working memory of a bootstrap.
    BOOTSTRAP = "bootstrap"
    #: Core memory, in a bootstrap or by the tool `core_memories`.
    CORE = "core"
    #: The current version of a memory block.
    BLOCK = "block"
    #: The versions of a memory block.
    HISTORY = "history"
    #: A context bundle, when it is built. Replaying it delivers nothing new.
    BUNDLE = "bundle"
    #: A capsule, opened or in a context bundle.
    CAPSULE = "capsule"
    #: An event, whose content is the text of its chunks.
    EVENT = "event"
    #: The sample of the matches of an edit by filter.
    PREVIEW = "preview"
