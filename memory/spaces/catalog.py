"""The thirteen spaces by name."""

from collections.abc import Mapping
from typing import Any

from memory.spaces.causality import Causality
from memory.spaces.cycles import Cycles
from memory.spaces.entities import Entities
from memory.spaces.expansion import Expansion
from memory.spaces.intent import Intent
from memory.spaces.late_interaction import LateInteraction
from memory.spaces.position import Position
from memory.spaces.protocol import Space
from memory.spaces.recency import Recency
from memory.spaces.references import References
from memory.spaces.semantic import Semantic
from memory.spaces.source_code import SourceCode
from memory.spaces.spelling import Spelling
from memory.spaces.terms import Terms


def without_model() -> dict[str, Space[Any]]:
    """Create the eleven spaces that need no language model, by name."""
    made = (
        *(Recency(), Cycles(), Position(), Causality(), Terms(), SourceCode()),
        *(References(), Spelling(), Intent(), Entities(), Expansion()),
    )
    return {space.name: space for space in made}


def all_thirteen(semantic: Semantic, late_interaction: LateInteraction) -> Mapping[str, Space[Any]]:
    """All spaces, in the order of their numbers."""
    made = without_model() | {semantic.name: semantic, late_interaction.name: late_interaction}
    return {f"E{number}": made[f"E{number}"] for number in range(1, len(made) + 1)}
