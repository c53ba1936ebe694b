"""Importing what people already have: `suture import KIND PATH`.

A module of `suture_client/importing/kinds/` reads each kind of source, as a stream, into items (`items.py`).
`sources.py` finds and opens the files, `records.py` reads JSON of any size, `preparing.py` makes an item fit for the
API, `upload.py` delivers it, and `report.py` counts. Ids are computed from the source's own ids, so that an import can
be repeated, and goes on after an interruption.
"""
