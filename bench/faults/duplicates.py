"""`python -m bench.faults.duplicates`, as the worker's user: sends each periodic task five times at once, and checks
that all are done."""

import os
import sys
import time

TIMES = 5
#: Maximum seconds until all are done.
LONGEST = 240.0
#: The exit code if they are not; prints the missing ones.
NOT_DONE = 3


def main() -> int:
    """Send them, and wait until the worker has run them."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memory_project.settings")
    from memory_project.celery import app

    def runs() -> dict[str, int]:
        """How often the worker has started each task."""
        for stats in (app.control.inspect(timeout=5).stats() or {}).values():
            return dict(stats["total"])
        return {}

    tasks = [job["task"] for job in app.conf.beat_schedule.values()]
    # tasks of the worker's main process are not counted
    counted = [task for task in tasks if task not in app.conf.task_routes]
    before = runs()
    for task in tasks:
        for _ in range(TIMES):
            app.send_task(task)
    until = time.monotonic() + LONGEST
    while True:
        now = runs()
        missing = {task for task in counted if now.get(task, 0) - before.get(task, 0) < TIMES}
        if not missing:
            return 0
        if time.monotonic() > until:
            print(f"not run {TIMES} times: {', '.join(sorted(missing))}")
            return NOT_DONE
        time.sleep(0.5)


if __name__ == "__main__":
    sys.exit(main())
