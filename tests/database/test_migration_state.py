"""Migrations see the models that Django would show them, though fewer classes are made."""

from dataclasses import dataclass
from typing import Any

import pytest
from django.db import models
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ModelState, ProjectState

from governance.database import migration_state

pytestmark = pytest.mark.pure


@dataclass
class Followed:
    """The state after all migrations, whose classes were made before them and followed them; how many were made."""

    state: Any
    made: int


@pytest.fixture(scope="module")
def followed() -> Followed:
    graph = MigrationLoader(None).graph
    state: Any = ProjectState(real_apps=set())
    assert state.apps is not None
    render, made = ModelState.render, []

    def counted(self: Any, apps: Any) -> Any:
        made.append(self.name)
        return render(self, apps)

    with pytest.MonkeyPatch.context() as patch, migration_state.few_classes():
        patch.setattr(ModelState, "render", counted)
        for node in graph._generate_plan(graph.leaf_nodes(), at_end=True):
            state = graph.nodes[node].mutate_state(state, preserve=False)
    return Followed(state, len(made))


def described(model: Any) -> Any:
    """A model as its class has it: fields, options, and what it refers to."""
    state = ModelState.from_model(model)
    return (
        [(name, repr(field.deconstruct()[1:])) for name, field in state.fields.items()],
        {name: repr(value) for name, value in state.options.items()},
        {field.name: field.related_model._meta.label for field in model._meta.fields if field.is_relation},
    )


def made(state: Any) -> dict[str, Any]:
    return {model._meta.label: described(model) for model in state.apps.get_models(include_auto_created=True)}


def test_the_models_are_those_of_the_migrations(followed: Followed) -> None:
    again = followed.state.clone()
    del again.__dict__["apps"]  # made from the beginning
    expected = made(again)
    assert len(expected) > 50
    found = made(followed.state)
    for label, model in expected.items():
        assert found[label] == model, label
    assert found.keys() == expected.keys()


def test_what_refers_to_a_model_is_made_anew_with_the_next_change_of_fields(followed: Followed) -> None:
    state = followed.state.clone()

    def referred_to() -> set[Any]:
        fields = [field for model in state.apps.get_models() for field in model._meta.fields if field.is_relation]
        return {field.related_model for field in fields if field.related_model._meta.model_name == "tenant"}

    with migration_state.few_classes():
        state.alter_field("governance", "tenant", "slug", models.TextField(), preserve_default=True)
        assert referred_to() == {state.apps.get_model("governance", "Tenant")}
        state.alter_model_options("governance", "tenant", {"verbose_name": "x"})
        assert state.apps.get_model("governance", "Tenant") not in referred_to()
        state.remove_field("memory", "event", "tags")
    assert referred_to() == {state.apps.get_model("governance", "Tenant")}


def test_few_classes_are_made(followed: Followed) -> None:
    # Django makes ninety for each model that there is in the end.
    assert followed.made < 30 * len(followed.state.models)
