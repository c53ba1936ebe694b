"""Providers of vectors, and how they fail. The service is a local server that speaks OpenAI's protocol."""

import json
import subprocess
import sys
import threading
import types
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from pgvector import HalfVector

from memory.embedding import configured
from memory.embedding.composing import embed_chunks
from memory.embedding.local import LocalModel, local_model
from memory.embedding.openai import MAX_WAIT, MAX_WORDS, TRIES, OpenAICompatible
from memory.embedding.protocol import ProviderFailed, TextRefused, checked
from memory.embedding.sentence import SentenceTransformers
from tests.embedding import FakeProvider

pytestmark = pytest.mark.pure


@pytest.mark.parametrize(("slow_above", "asked"), [(3, [5, 2, 3]), (1, [5, 2, 1, 1, 3, 1, 2, 1, 1])])
def test_half_of_a_batch_that_timed_out_is_asked_for(service, waits, slow_above, asked):
    service.slow_above = slow_above
    slow = OpenAICompatible(url=service.url, key="", name="m", dimensions=3, seconds=0.3, wait=waits.append)

    assert slow.embed(["one", "two", "three", "four", "five"]).shape == (5, 3)

    assert [len(request["input"]) for request in service.requests] == asked
    assert waits == []
    slow.close()


def test_a_request_has_a_bounded_number_of_words(provider, service):
    texts = ["word " * (MAX_WORDS // 3 + 1)] * 3 + ["word " * 2 * MAX_WORDS, "one"]

    assert provider.embed(texts).shape == (5, 3)

    assert [len(request["input"]) for request in service.requests] == [2, 1, 1, 1]


NAN = float("nan")


class Service:
    """What the server answers: `answers` first, each a status with a body and headers, then vectors."""

    def __init__(self) -> None:
        self.answers: list[tuple[int, Any, dict[str, str]]] = []
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.delay = threading.Event()
        self.is_slow = False
        #: The number of texts above which it answers too late.
        self.slow_above = 1_000
        self.url = ""

    def vectors(self, count: int) -> Any:
        data = [{"index": number, "embedding": [number + 1.0, 0.0, 1.0]} for number in range(count)]
        return {"object": "list", "data": list(reversed(data)), "model": "m"}


@pytest.fixture
def service() -> Iterator[Service]:
    made = Service()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            made.requests.append(asked)
            made.keys.append(self.headers.get("Authorization"))
            if made.is_slow or len(asked["input"]) > made.slow_above:
                made.delay.wait(5)
            status, body, headers = (
                made.answers.pop(0) if made.answers else (200, made.vectors(len(asked["input"])), {})
            )
            content = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            with suppress(BrokenPipeError):  # a client that waited long enough
                self.wfile.write(content)

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    made.url = f"http://127.0.0.1:{server.server_port}/v1"
    yield made
    made.delay.set()
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def waits() -> list[float]:
    return []


@pytest.fixture
def provider(service: Any, waits: list[float]) -> Iterator[OpenAICompatible]:
    made = OpenAICompatible(
        url=service.url, key="a-key", name="text-embedding-3-small", dimensions=3, seconds=5, wait=waits.append
    )
    yield made
    made.close()


def test_it_works(provider, service):
    found = provider.embed(["one", "two"])

    assert np.allclose(found[1], np.array([2, 0, 1]) / np.sqrt(5)), "in the order of the texts, at length 1"
    assert service.requests == [
        {"model": "text-embedding-3-small", "input": ["one", "two"], "encoding_format": "float", "dimensions": 3}
    ]
    assert service.keys == ["Bearer a-key"]
    assert provider.model == "openai/text-embedding-3-small/3"


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_what_may_pass_is_tried_again(provider, service, waits, status):
    service.answers = [(status, {}, {}), (status, {}, {})]

    assert len(provider.embed(["one"])) == 1
    assert len(service.requests) == 3
    assert 0 < waits[0] <= 1 < 2 * waits[1] <= 4


def test_a_rate_limit_is_waited_for(provider, service, waits):
    service.answers = [
        (429, {}, {"Retry-After": "7"}),
        (429, {}, {"Retry-After": "9999"}),
        (429, {}, {"Retry-After": "x"}),
    ]

    provider.embed(["one"])

    assert waits[:2] == [7, MAX_WAIT]
    assert 0 < waits[2] <= 4


def test_a_service_that_stays_away_has_failed(provider, service, waits):
    service.answers = [(503, b"secret address", {})] * TRIES

    with pytest.raises(ProviderFailed, match=r"^The embedding service answered 503\.$"):
        provider.embed(["one"])
    assert len(waits) == TRIES - 1


def test_a_question_is_tried_once(provider, service, waits):
    service.answers = [(503, {}, {})]

    with pytest.raises(ProviderFailed):
        provider.embed_query("one")
    assert len(service.requests) == 1
    assert waits == []


def test_a_slow_service_has_failed(service, waits):
    service.is_slow = True
    slow = OpenAICompatible(url=service.url, key="", name="m", dimensions=3, seconds=0.05, wait=waits.append)

    with pytest.raises(ProviderFailed, match=r"did not answer within 0\.05 s"):
        slow.embed(["one"])
    slow.close()


def test_nobody_at_the_address_is_a_failure_without_the_address(waits):
    gone = OpenAICompatible(url="http://127.0.0.1:9/v1", key="k", name="m", dimensions=3, wait=waits.append)

    with pytest.raises(ProviderFailed) as failed:
        gone.embed(["one"])
    assert "127.0.0.1" not in str(failed.value)
    gone.close()


@pytest.mark.parametrize(("status", "error"), [(401, ProviderFailed), (403, ProviderFailed), (404, ProviderFailed),
                                               (400, TextRefused), (413, TextRefused), (422, TextRefused)])  # fmt: skip
def test_what_does_not_pass_is_not_tried_again(provider, service, status, error):
    service.answers = [(status, {"error": {"message": "the text 'one' ..."}}, {})]

    with pytest.raises(error) as failed:
        provider.embed(["one"])
    assert len(service.requests) == 1
    assert "one'" not in str(failed.value), "the service may repeat the words"


@pytest.mark.parametrize(
    "body",
    [
        b"<html>",
        {},
        {"data": []},
        {"data": None},
        {"data": [{"index": 0, "embedding": [1, 2]}]},
        {"data": [{"index": 5, "embedding": [1, 2, 3]}]},
        {"data": [{"index": 0, "embedding": "AAAA"}]},
        {"data": [{"index": 0, "embedding": [1, 2, 3, 4]}]},
    ],
)
def test_an_answer_that_is_no_vector_is_a_failure(provider, service, body):
    service.answers = [(200, body, {})]

    with pytest.raises(ProviderFailed):
        provider.embed(["one"])


def test_another_model_is_asked_for_its_own_length(service, waits):
    other = OpenAICompatible(url=service.url + "/", key="", name="nomic", dimensions=3, wait=waits.append)

    other.embed(["one"])

    assert "dimensions" not in service.requests[0]
    assert service.keys == [None]
    other.close()


def test_vectors_are_checked():
    assert np.allclose(checked([[3, 4]], count=1, dimensions=2), [[0.6, 0.8]])
    with pytest.raises(ProviderFailed, match="vectors with 2 numbers, but EMBEDDING_DIMENSIONS is 3"):
        checked([[1, 2]], count=1, dimensions=3)
    with pytest.raises(ProviderFailed, match="different lengths"):
        checked([[1, 2], [1]], count=2, dimensions=2)
    with pytest.raises(ProviderFailed, match="zero or contain NaN"):
        checked([[NAN, 1], [0, 0]], count=2, dimensions=2)
    with pytest.raises(TextRefused):
        checked([[NAN, 1], [1, 0]], count=2, dimensions=2)
    for bad in (NAN, float("inf"), 1e39, None, "x"):
        with pytest.raises((TextRefused, ProviderFailed)):
            checked([[bad, 1]], count=1, dimensions=2)


@examples(max_examples=25)
@given(st.lists(st.floats(-1e3, 1e3, width=32).filter(lambda number: abs(number) > 1e-3), min_size=2, max_size=8))
def test_a_vector_keeps_its_direction_in_postgresql(numbers):
    (unit,) = checked([numbers], count=1, dimensions=len(numbers))
    written = np.array(json.loads(HalfVector(unit).to_text()))

    assert float(written @ unit) / float(np.linalg.norm(written)) > 0.99999


def test_the_local_model_knows_what_is_alike():
    dog, puppy, invoice = local_model().embed(["a dog", "a puppy", "The invoice is overdue."])

    assert dog @ puppy > 0.6 > 0.3 > dog @ invoice
    assert np.allclose(np.linalg.norm(dog), 1, atol=1e-5)
    assert [len(one) for one in local_model().token_vectors(["hello world", "hello"])] == [2, 1]


def test_the_local_model_embeds_a_text_alike_alone_and_in_a_batch():
    texts = ["short", "a text that is much longer than the other one", "日本語 مرحبا 👍", "word " * 1000, "a\nb\tc"]
    together = local_model().embed(texts)

    for text, vector in zip(texts, together, strict=True):
        assert local_model().embed_query(text) @ vector > 0.99


def test_another_file_is_not_the_local_model(tmp_path):
    (tmp_path / "model.onnx").write_bytes(b"something else")

    with pytest.raises(ProviderFailed, match="differs from the one that this release was tested with"):
        LocalModel(tmp_path / "model.onnx").embed(["one"])
    with pytest.raises(ProviderFailed, match="Cannot read the file"):
        LocalModel(tmp_path / "gone").embed(["one"])


def test_nothing_is_loaded_before_it_is_used():
    code = "import sys, memory.embedding.local, memory.embedding.openai; print('onnxruntime' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "False\n"


def test_sentence_transformers_is_used_where_it_is_installed(monkeypatch):
    class Model:
        def __init__(self, name: str, *, device: str, local_files_only: bool) -> None:
            assert (name, device, local_files_only) == ("a/model", "cpu", True), "nothing is downloaded"

        def encode(self, texts: list[str], **_: Any) -> Any:
            return [[float(len(text)), 1.0] for text in texts]

    provider = SentenceTransformers(name="a/model", dimensions=2)
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(ProviderFailed, match="not installed"):
        provider.embed(["one"])
    monkeypatch.setitem(sys.modules, "sentence_transformers", types.SimpleNamespace(SentenceTransformer=Model))
    assert np.allclose(provider.embed_query("one") * np.sqrt(10), [3, 1])
    assert provider.model == "sentence-transformers/a/model/2"


def test_the_settings_choose_the_provider(settings):
    assert configured.configured() is local_model()
    settings.EMBEDDING_PROVIDER, settings.EMBEDDING_MODEL, settings.EMBEDDING_DIMENSIONS = "openai", "m", 1536
    settings.EMBEDDING_KEY = "k"
    now = configured.configured()
    assert isinstance(now, OpenAICompatible)
    assert configured.provider_of("openai/m/1536") is now
    assert configured.provider_of(LocalModel.model) is local_model()
    other = configured.provider_of("openai/other/256")
    assert other is not None
    assert other.model == "openai/other/256"
    assert configured.provider_of("from/elsewhere") is None
    settings.EMBEDDING_PROVIDER = "off"
    assert configured.configured() is None


def test_the_same_text_is_embedded_once_a_batch():
    class Alone:
        speaker, text = "ann", "hello"
        speaker_before = text_before = speaker_after = text_after = None

    fake = FakeProvider()
    vectors = embed_chunks(fake, [Alone(), Alone()])

    assert fake.asked == ["ann: hello"]
    assert vectors.shape == (2, 384)
