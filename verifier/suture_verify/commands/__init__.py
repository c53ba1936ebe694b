"""The commands of `suture-verify`."""
