"""Questions that share words with a memory find it among the first three, in twelve writing systems."""

import pytest

from tests.embedding import embed_all
from tests.memory.lexical_questions import memories_and_questions

pytestmark = pytest.mark.django_db

#: How many questions of 170 find their memory, at least.
ENOUGH = {"keyword": 160, "hybrid": 165}


def test_the_memory_is_among_the_first_three(world):
    texts, questions = memories_and_questions()
    assert (len(texts), len(questions)) == (460, 170)
    for number, text in enumerate(texts):
        world.chunk(text, session_id=f"s-{number}")
    embed_all(world)
    for mode, enough in ENOUGH.items():
        missed = [
            (question.text, question.memory)
            for question in questions
            if question.memory not in world.found(question.text, mode=mode)[:3]
        ]
        assert len(questions) - len(missed) >= enough, f"{mode} misses {missed}"
