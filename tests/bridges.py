"""What tests do with the bridge between the web server and Django."""

import threading

from django.db import connections

from memory_project.web.bridge import Bridge


def close(bridge: Bridge) -> None:
    """Close the connections of all its threads, and end these."""
    threads = bridge._threads
    together = threading.Barrier(len(threads._threads) or 1)

    def one() -> None:
        together.wait()  # so that none takes two
        connections.close_all()

    for done in [threads.submit(one) for _ in range(together.parties)]:
        done.result()
    threads.shutdown()
