from __future__ import annotations

import pytest

from fastedit.errors import SettingsError
from fastedit.training.settings import Stage, read_settings


def read(tmp_path, text: str):
    path = tmp_path / "run.toml"
    path.write_text(text)
    return read_settings(path)


def test_reads_tables_and_keeps_defaults(tmp_path):
    settings = read(
        tmp_path,
        'output = "run"\n[model]\nbase = "x"\n[schedule]\nminutes = 5\nstages = [{start = 0, max_tokens = 512}]\n'
        '[data]\nsources = ["a", "b"]\n',
    )
    assert settings.model.base == "x"
    assert settings.schedule.minutes == 5.0
    assert settings.schedule.stages == (Stage(0.0, 512),)
    assert settings.data.sources == ("a", "b")
    assert settings.lora.rank == 0
    assert settings.path("run") == tmp_path / "run"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "output"),
        ('output = "x"\n', "never end"),
        ('output = "x"\nwrong = 1\n', "no setting 'wrong'"),
        ('output = "x"\n[schedule]\nminutes = "long"\n', "minutes must be float"),
        ('output = "x"\n[schedule]\ntokens = 1.5\n', "tokens must be int"),
        ('output = "x"\n[data]\nsources = "a"\n', "must be a list"),
        ('output = "x"\nlora = 3\n', "must be a table"),
        ('output = "x"\n[schedule]\nminutes = 1\nrow_tokens = 100\n', "row_tokens"),
        ("output = ", "can't be read"),
    ],
)
def test_says_what_is_wrong(tmp_path, text, complaint):
    with pytest.raises(SettingsError, match=complaint):
        read(tmp_path, text)


def test_a_missing_file_is_said(tmp_path):
    with pytest.raises(SettingsError, match=r"none\.toml"):
        read_settings(tmp_path / "none.toml")
