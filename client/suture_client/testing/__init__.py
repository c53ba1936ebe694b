"""For the tests of applications: `Memory(transport=FakeServer())`."""

from suture_client.testing.server import FakeServer

__all__ = ["FakeServer"]
