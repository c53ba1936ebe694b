"""What tests do with the bridge between the web server and Django."""

import threading

from django.db import connections

from memory_project.web.bridge import Bridge


def close(bridge: Bridge) -> None:
    """Close the connections of all its threads, and end these."""
    threads = bridge._threads
    # as many as there may be: another one is started where one is not idle yet
    together = threading.Barrier(threads._max_workers)

    def one() -> None:
        together.wait()  # so that none takes two
        connections.close_all()

    for done in [threads.submit(one) for _ in range(together.parties)]:
        done.result()
    threads.shutdown()
