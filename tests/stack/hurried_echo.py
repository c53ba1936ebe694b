"""`echo` behind a server that waits for a body less long than others do, so that its tests need not wait so long."""

from memory_project.web import request_bodies
from tests.stack.echo import application as application

#: How long it waits for a body, in seconds.
request_bodies.PATIENCE = 4.0
