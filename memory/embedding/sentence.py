"""A model of the library sentence-transformers, if it is installed."""

from collections.abc import Sequence
from threading import Lock
from typing import Any

from memory.embedding.protocol import ProviderFailed, Vector, Vectors, checked


class SentenceTransformers:
    """A model that is already on this machine: the server downloads nothing. Loads at first use."""

    batch_size = 16

    def __init__(self, *, name: str, dimensions: int) -> None:
        self._name = name
        self.dimensions = dimensions
        self._loading = Lock()
        self._loaded: Any = None

    @property
    def model(self) -> str:
        return f"sentence-transformers/{self._name}/{self.dimensions}"

    def embed(self, texts: Sequence[str]) -> Vectors:
        """The vectors of the texts. Raises ProviderFailed if the library or the model is not installed."""
        answer = self._load().encode(list(texts), batch_size=self.batch_size, show_progress_bar=False)
        return checked(answer, count=len(texts), dimensions=self.dimensions)

    def embed_query(self, text: str) -> Vector:
        vector: Vector = self.embed([text])[0]
        return vector

    def _load(self) -> Any:
        with self._loading:
            if self._loaded is None:
                self._loaded = self._open()
            return self._loaded

    def _open(self) -> Any:
        try:
            # mypy finds the package only if it is installed: it is optional
            from sentence_transformers import SentenceTransformer  # type: ignore[import-not-found, unused-ignore]
        except ImportError:
            raise ProviderFailed("The package sentence-transformers is not installed.") from None
        try:
            return SentenceTransformer(self._name, device="cpu", local_files_only=True)
        except (OSError, ValueError):
            raise ProviderFailed(
                f"The model {self._name} of sentence-transformers is not on this machine. Download it before the server"
                " starts."
            ) from None
