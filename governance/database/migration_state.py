"""Fewer model classes made while migrations run.

Django keeps a class of every model as it is between two operations. When a model changes, Django rebuilds its class and
the classes of all related models: here nearly all, since nearly all refer to the tenant. That took four fifths of the
time that it takes to create the tables of a new database.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db.migrations.state import ProjectState

_Key = tuple[str, str]


@contextmanager
def few_classes() -> Iterator[None]:
    """Within the block, rebuild only the class of a model that is new, or of which only options changed (indexes,
    constraints, triggers). The classes that refer to it are rebuilt at the next change of any fields."""
    plain = ProjectState.reload_model
    ProjectState.reload_model = _reload_model  # type: ignore[method-assign, assignment] # meant
    try:
        yield
    finally:
        ProjectState.reload_model = plain  # type: ignore[method-assign] # as it was


def _reload_model(state: Any, app_label: str, model_name: str, delay: bool = False) -> None:
    if "apps" not in state.__dict__:  # hasattr would make them
        return
    key = app_label, model_name.lower()
    # Operations change one state after the other. Copies of it, which they compare it with, change no more.
    made: dict[_Key, list[Any]] = state.__dict__.setdefault("fields_of_classes", {})
    behind: set[_Key] = state.__dict__.setdefault("classes_behind", set())
    fields = list(state.models[key].fields.items())
    if key[1] not in state.apps.all_models[app_label]:
        # nothing refers to it yet, and Django resolves what waited for it
        state._reload({key})
    elif made.get(key) == fields:
        behind |= state._find_reload_model(*key, True)
        state._reload({key})
    else:
        state._reload(behind | state._find_reload_model(*key, delay))
        behind.clear()
    made[key] = fields
