"""What a coding agent's hooks run: they read a payload, send one capture and print context.

An agent waits for its hooks, so nothing here imports more of the standard library than it needs, and nothing else but
`suture_client.text.masking` and `suture_client.filtering` (docs/decisions/0031-the-hook-path.md).
"""
