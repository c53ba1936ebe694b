"""Importing existing memory: `suture import KIND PATH`.

A module of `suture_client/importing/kinds/` reads each kind of source, as a stream, into items (`items.py`).
`sources.py` finds and opens the files, `records.py` reads JSON of any size, `preparation.py` prepares items for the
API, `upload.py` sends them, and `report.py` counts. Item ids depend only on the source's ids, so an import can be
repeated or continued.
"""
