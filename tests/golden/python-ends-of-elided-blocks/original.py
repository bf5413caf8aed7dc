"""Settings from files."""

import json
import os


def read(path, *, is_strict=False):
    try:
        with open(path, encoding="utf-8") as handle:
            data = json.load(handle)
    except FileNotFoundError:
        if is_strict:
            raise
        return {}

    for key in list(data):
        if key.startswith("_"):
            del data[key]
            continue
        if not isinstance(key, str):
            raise TypeError(key)

    try:
        data["home"] = os.environ["HOME"]
    except KeyError:
        return {}

    return data


def write(path, data):
    if not data:
        return {}

    try:
        with open(path, "w", encoding="utf-8") as handle:
            json.dump(data, handle)
    except OSError:
        return {}

    return data
