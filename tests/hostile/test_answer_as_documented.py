"""Whatever is sent, with the keys of two tenants: every answer is one that the OpenAPI schema describes, none is a
failure of the server, and none has an id of the other tenant."""

import random

import pytest
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from hypothesis.stateful import run_state_machine_as_test
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.hostile.documented import OPERATIONS, Calls
from tests.hostile.everything import UUID
from tests.hostile.narrowing import tried
from tests.scale import at_scale

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
BOUNDED = examples(max_examples=at_scale(8, 60), suppress_health_check=list(HealthCheck))
NAMED = [
    (
        f"{operation.label} {mode.value}",
        (operation.method.lower(), operation.path.removeprefix("/api/v1/"), operation, mode),
    )
    for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)
    for operation in OPERATIONS
]


@pytest.fixture
def on_one_connection(tenants):
    """As Django's own test client does: a plain WSGI request would close the connection in the test's transaction.
    After the last request of that client, which connects the signals again."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


def with_known(value, known):
    """The value with some of its ids replaced by known ones."""
    if isinstance(value, dict):
        return {name: with_known(one, known) for name, one in value.items()}
    if isinstance(value, list):
        return [with_known(one, known) for one in value]
    if isinstance(value, str) and UUID.fullmatch(value):
        return known() or value
    return value


@pytest.mark.scaled
@pytest.mark.usefixtures("on_one_connection")
@pytest.mark.parametrize(("method", "path", "operation", "mode", "whole"), tried(NAMED))
def test_every_answer_is_documented(tenants, method, path, operation, mode, whole):
    ids = [sorted(one.all_ids) for one in tenants]

    @(BOUNDED if whole else examples(BOUNDED, max_examples=1))
    @given(case=operation.as_strategy(mode), data=st.data())
    def run(case, data):
        place = data.draw(st.integers(0, 1))
        caller = data.draw(st.sampled_from(sorted(tenants[place].callers)))

        def known():
            return data.draw(st.sampled_from([None, *ids[place], *ids[place]]))

        for part in ("path_parameters", "query", "body"):
            setattr(case, part, with_known(getattr(case, part), known))
        response = case.call(headers={"Authorization": f"Bearer {tenants[place].callers[caller].key}"})
        case.validate_response(response, checks=CHECKS)
        assert not set(UUID.findall(response.text)) & tenants[1 - place].all_ids

    try:
        run()
    except Unsatisfiable:
        assert mode is GenerationMode.NEGATIVE  # nothing about this operation can be wrong


@pytest.mark.slow
@pytest.mark.scaled
@pytest.mark.usefixtures("on_one_connection")
def test_every_answer_in_a_row_of_requests_is_documented(tenants):
    """What one answer names, the next request asks about: the record of one tenant, with the key of either."""

    class OfTwoTenants(Calls):
        def get_call_kwargs(self, case):
            caller = tenants[0].callers if random.random() < 0.8 else tenants[1].callers
            return {"headers": {"Authorization": f"Bearer {random.choice(list(caller.values())).key}"}}

        def validate_response(self, response, case, additional_checks=(), **kwargs):
            case.validate_response(response, checks=CHECKS)

    run_state_machine_as_test(
        OfTwoTenants,
        settings=examples(BOUNDED, max_examples=at_scale(15, 200), stateful_step_count=at_scale(8, 20)),
    )
