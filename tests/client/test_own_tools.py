"""The client knows the names of the server's tools, so that hooks do not record what Suture answered."""

import pytest

from governance.tools import registry
from suture_client.hooks import own_answers

pytestmark = pytest.mark.pure


def test_the_client_knows_every_tool():
    assert set(own_answers.TOOLS) == {tool.name for tool in registry.all_tools()}
