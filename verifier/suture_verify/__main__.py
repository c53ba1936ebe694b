"""`python -m suture_verify` runs the command."""

from suture_verify.cli import main

main(prog_name="suture-verify")
