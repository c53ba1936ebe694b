"""Every change of state in governance: one transaction each, with its ledger entry. No HTTP, no Celery, no request."""
