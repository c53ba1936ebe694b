"""An agent that is killed in its fourth turn. Start it again: it goes on in the fourth turn, and loses nothing.

Start Suture (`make up`), make an agent, and run this twice with its key:

    .venv/bin/python manage.py provision demo --agent example-agent
    export SUTURE_KEY=sut_...
    .venv/bin/python examples/checkpoint_agent.py    # ends with: Killed
    .venv/bin/python examples/checkpoint_agent.py

A name and `--steady` after it run another session without the kill: the result is the same.
"""
# ruff: noqa: T201 - a script to read: it prints

import os
import signal
import sys
from datetime import date, timedelta
from decimal import Decimal

from suture_client.checkpointing import Checkpointer

SESSION = sys.argv[1] if len(sys.argv) > 1 else "checkpoint-example"
TURNS = 8


def pay(day: date, paid: dict[date, Decimal]) -> None:
    """A turn's work. What it does depends on all that was done before."""
    paid[day] = (sum(paid.values(), Decimal("100.01")) / 7).quantize(Decimal("0.01"))


with Checkpointer(SESSION, every=2, resume=True) as run:
    day = run.variables.get("day", date(2026, 11, 2))
    paid = run.variables.get("paid", {})
    sent = run.variables.get("sent", [])
    if run.restored:
        print(f"Turn {run.number} is restored: {len(paid)} payments.")
    for letter in run.unfinished:
        # Whoever finds an operation pending does it, or finds out that it was done.
        print(f"The letter to {letter.operation['to']} was pending.")
        sent.append(letter.operation["to"])
        letter.done()
    while run.number < TURNS:
        turn = run.number + 1
        print(f"Turn {turn}")
        pay(day, paid)
        if turn == 4 and "Ms Lovelace" not in sent:
            with run.pending({"id": "letter", "to": "Ms Lovelace"}):
                if not run.restored and "--steady" not in sys.argv:
                    sys.stdout.flush()
                    os.kill(os.getpid(), signal.SIGKILL)
                sent.append("Ms Lovelace")
        day += timedelta(days=1)
        run.turn(variables={"day": day, "paid": paid, "sent": sent})

print(f"{sum(paid.values())} paid until {day - timedelta(days=1)}, letters to {', '.join(sent)}")
