"""The hooks of coding agents: read a payload, send one capture and print context.

Agents wait for their hooks, so these modules import as little of the standard library as possible, and otherwise only
`suture_client.text.masking` and `suture_client.filtering` (docs/decisions/0031-the-hook-path.md).
"""
