"""Editing by filter over the API."""


def ask(api, filter, op="quarantine", **fields):
    return api.post("edits/by-filter", {"filter": filter, "op": op, "reason": "a test", **fields})


def commit(api, token, **headers):
    return api.post("edits/by-filter", {"token": token}, **headers)


def previewed(api, filter, op="quarantine", **fields):
    response = ask(api, filter, op, **fields)
    assert response.status_code == 200, response.content
    return response.json()
