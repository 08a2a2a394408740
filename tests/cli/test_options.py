# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Options from text, from the environment and from keywords."""

import dataclasses

import pytest

from iree_gemm.errors import UsageError
from iree_gemm.options import MODES, STRATEGIES, Options

CHANGED = Options("deterministic", False, "tile", "report.json")


def test_text_and_back():
    assert Options.parse(CHANGED.to_text()) == CHANGED
    assert Options.parse(Options().to_text()) == Options()


def test_empty_text_means_the_defaults():
    assert Options.parse("") == Options()
    assert Options.parse(" mode = fast ,") == Options()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_value_is_accepted(mode, strategy):
    options = Options.parse(f"mode={mode},strategy={strategy}")
    assert (options.mode, options.strategy) == (mode, strategy)


def test_parsed_keeps_the_other_options():
    assert CHANGED.parsed("mode=fast") == dataclasses.replace(CHANGED, mode="fast")


def test_environment(monkeypatch):
    monkeypatch.delenv("IREE_GEMM_OPTIONS", raising=False)
    assert Options.from_env() == Options()
    monkeypatch.setenv("IREE_GEMM_OPTIONS", "strategy=off,matrix-hardware=off")
    assert Options.from_env() == Options(strategy="off", matrix_hardware=False)


def test_attribute_of_an_operation():
    assert Options().updated({"strategy": "tile"}) == Options(strategy="tile")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("speed=high", "unknown option 'speed': one of mode, matrix-hardware"),
        ("mode=slow", "unknown mode 'slow': one of fast, deterministic"),
        ("strategy=", "unknown strategy '': one of auto, tile"),
        ("matrix-hardware=1", "unknown matrix-hardware '1': one of on, off"),
        ("mode", "option 'mode' has no value: write NAME=VALUE"),
        ("report=", "report is the path of a file"),
    ],
)
def test_mistakes_in_text(text, message):
    with pytest.raises(UsageError, match=message):
        Options.parse(text)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"speed": "high"}, "unknown option 'speed'"),
        ({"mode": None}, "unknown mode 'None'"),
        ({"matrix_hardware": "on"}, "matrix_hardware is True or False"),
        ({"report": "a,b"}, "without commas"),
    ],
)
def test_mistakes_in_keywords(changes, message):
    with pytest.raises(UsageError, match=message):
        Options().replace(**changes)
