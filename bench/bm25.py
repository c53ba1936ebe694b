"""BM25 by a library (bm25s), for comparison."""

import logging
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from bench.corpora import Corpus

K1, B = 1.2, 0.75
MOST = 20


def rank(corpus: Corpus, *, stems: bool) -> list[list[str]]:
    """The best 20 source ids for each question, among the events of its group; by words or by stems, without stop
    words."""
    texts: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for event in corpus.events:
        source = event["source_id"]
        texts[corpus.groups.get(source, "")][source] = event["content"]["text"]
    indexes = {group: _index(list(of_group.values()), stems) for group, of_group in texts.items()}
    ranked = []
    for question in corpus.questions:
        ids = list(texts[question.group])
        best = _best(indexes[question.group], question.text, stems, min(MOST, len(ids)))
        ranked.append([ids[place] for place in best])
    return ranked


def order(texts: Sequence[str], query: str) -> list[int]:
    """The places of the texts that have a stem of the query, best first."""
    return _best(_index(texts, stems=True), query, True, len(texts))


def _index(texts: Sequence[str], stems: bool) -> Any:
    import bm25s

    logging.getLogger("bm25s").setLevel(logging.WARNING)  # importing it sets DEBUG
    index = bm25s.BM25(k1=K1, b=B)
    index.index(_tokens(texts, stems), show_progress=False)
    return index


def _best(index: Any, query: str, stems: bool, most: int) -> list[int]:
    found, scores = index.retrieve(_tokens([query], stems), k=most, show_progress=False)
    return [int(place) for place, score in zip(found[0], scores[0], strict=True) if score > 0]


def _tokens(texts: Sequence[str], stems: bool) -> Any:
    import bm25s
    import Stemmer

    stemmer = Stemmer.Stemmer("english") if stems else None
    return bm25s.tokenize(
        texts, stopwords="english_plus", stemmer=stemmer, token_pattern=r"(?u)\b\w+\b", show_progress=False
    )
