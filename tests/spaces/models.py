"""A model of language for tests: words as hashed vectors, so that equal words are equal and others are not."""

import numpy as np

from memory.spaces.features import hashed, telling_words

SIZE = 384


def embed_texts(texts):
    return np.stack([hashed(dict.fromkeys(telling_words(text), 1.0) or {text: 1.0}, SIZE) for text in texts])


def embed_tokens(texts):
    return [np.stack([hashed({word: 1.0}, SIZE) for word in telling_words(text) or [text]]) for text in texts]
