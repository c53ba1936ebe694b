"""BM25 by a library (bm25s), on the texts of a corpus, for comparison."""

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
    import bm25s

    logging.getLogger("bm25s").setLevel(logging.WARNING)  # importing it sets DEBUG
    texts: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for event in corpus.events:
        source = event["source_id"]
        texts[corpus.groups.get(source, "")][source] = event["content"]["text"]
    indexes = {}
    for group, of_group in texts.items():
        index = bm25s.BM25(k1=K1, b=B)
        index.index(_tokens(list(of_group.values()), stems), show_progress=False)
        indexes[group] = index
    ranked = []
    for question in corpus.questions:
        ids = list(texts[question.group])
        asked = _tokens([question.text], stems)
        found, scores = indexes[question.group].retrieve(asked, k=min(MOST, len(ids)), show_progress=False)
        ranked.append([ids[place] for place, score in zip(found[0], scores[0], strict=True) if score > 0])
    return ranked


def _tokens(texts: Sequence[str], stems: bool) -> Any:
    import bm25s
    import Stemmer

    stemmer = Stemmer.Stemmer("english") if stems else None
    return bm25s.tokenize(
        texts, stopwords="english_plus", stemmer=stemmer, token_pattern=r"(?u)\b\w+\b", show_progress=False
    )
