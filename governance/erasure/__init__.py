"""Lawful erasure: proposed and approved by admins, executed by the gate, and purged from the disk."""
