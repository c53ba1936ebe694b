"""What must hold after every scenario of captured memory."""

from tests.curation.conftest import nothing_drifts  # noqa: F401 (a fixture)
