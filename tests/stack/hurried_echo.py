"""`echo` behind a server that waits for a body less long than others do, so that its tests need not wait so long."""

from memory_project.web import bodies
from tests.stack.echo import application as application

#: How long it waits for a body, in seconds.
bodies.PATIENCE = 4.0
