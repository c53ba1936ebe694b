"""Chunks of a file that repeat the header of their table are found, and lose it if the chunk before is corrected."""

import pytest

from suture_client.watching.markdown_files import chunks_of
from tests.capture.capturing import memories, part

pytestmark = pytest.mark.django_db

HEADER = "| name | use |\n|---|---|"
ROWS = "\n".join(f"| row{number} | {'some words that describe it ' * 3}|" for number in range(60))


def test_a_chunk_of_a_table_loses_its_header_with_the_chunk_before(world):
    chunks = chunks_of(f"# Names\n\n{HEADER}\n{ROWS}\n").chunks
    world.alice.ok("post", "files", {**part("a.md", "x"), "chunks": chunks, "total_chunks": len(chunks)})
    before = memories(world.alice, file_path="a.md")
    assert all(HEADER in one["content"] for one in before)

    world.edit(before[0]["id"], "retract")

    second, *others = memories(world.alice, file_path="a.md")
    assert second["id"] == before[1]["id"]
    assert HEADER not in second["content"]
    assert second["content"].startswith("| row")
    assert second["content"].splitlines()[-1] == before[1]["content"].splitlines()[-1]
    assert [one["content"] for one in others] == [one["content"] for one in before[2:]]
