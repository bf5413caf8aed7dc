from __future__ import annotations

import pytest

from fastedit.config import Settings, load_settings
from fastedit.errors import SettingsError


def test_without_variables_settings_are_the_defaults() -> None:
    assert load_settings({"HOME": "/root", "FASTEDITOR": "x"}) == Settings()


def test_variables_are_read() -> None:
    settings = load_settings(
        {
            "FASTEDIT_MODE": "structural",
            "FASTEDIT_SCOPE": "file",
            "FASTEDIT_TARGET": "none",
            "FASTEDIT_MAX_FILE_BYTES": "10",
            "FASTEDIT_DEBUG": "1",
        }
    )
    assert settings == Settings("structural", "file", "none", 10, is_debugging=True)


@pytest.mark.parametrize(
    "environment",
    [
        {"FASTEDIT_MOED": "auto"},
        {"FASTEDIT_MODE": "Structural"},
        {"FASTEDIT_SCOPE": ""},
        {"FASTEDIT_TARGET": " "},
        {"FASTEDIT_MAX_FILE_BYTES": "0"},
        {"FASTEDIT_MAX_FILE_BYTES": "1e6"},
        {"FASTEDIT_MAX_FILE_BYTES": "9" * 5000},
        {"FASTEDIT_DEBUG": "perhaps"},
    ],
)
def test_what_cannot_be_used_is_refused_by_name(environment: dict[str, str]) -> None:
    with pytest.raises(SettingsError, match=next(iter(environment))):
        load_settings(environment)


@pytest.mark.parametrize(
    ("environment", "has_color"),
    [
        ({}, None),
        ({"NO_COLOR": "1"}, False),
        ({"NO_COLOR": ""}, None),
        ({"FORCE_COLOR": "1"}, True),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
    ],
)
def test_colour(environment: dict[str, str], has_color: bool | None) -> None:
    assert load_settings(environment).has_color is has_color
