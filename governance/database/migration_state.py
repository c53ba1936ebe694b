"""Build fewer model classes while migrations run.

Between operations, Django keeps a class for the state of every model. When a model changes, Django rebuilds its class
and the classes of all related models: here nearly all, since nearly all refer to the tenant. This took four fifths of
the time to create the tables of a new database.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db.migrations.state import ProjectState

_Key = tuple[str, str]


@contextmanager
def few_classes() -> Iterator[None]:
    """Within the block, for a new model or a change of options only (indexes, constraints, triggers), rebuild only the
    model's own class. Classes that refer to it are rebuilt at the next change of fields."""
    plain = ProjectState.reload_model
    ProjectState.reload_model = _reload_model  # type: ignore[method-assign, assignment] # meant
    try:
        yield
    finally:
        ProjectState.reload_model = plain  # type: ignore[method-assign] # as it was


def _reload_model(state: Any, app_label: str, model_name: str, delay: bool = False) -> None:
    if "apps" not in state.__dict__:  # hasattr would build them
        return
    key = app_label, model_name.lower()
    # Operations change one state after another. The copies for comparison no longer change.
    made: dict[_Key, list[Any]] = state.__dict__.setdefault("fields_of_classes", {})
    behind: set[_Key] = state.__dict__.setdefault("classes_behind", set())
    fields = list(state.models[key].fields.items())
    if key[1] not in state.apps.all_models[app_label]:
        # nothing refers to it yet, and Django resolves pending references to it
        state._reload({key})
    elif made.get(key) == fields:
        behind |= state._find_reload_model(*key, True)
        state._reload({key})
    else:
        state._reload(behind | state._find_reload_model(*key, delay))
        behind.clear()
    made[key] = fields
