# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The options of the plugin, and the one place that reads them from text."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from iree_gemm.errors import UsageError

ENVIRONMENT_VARIABLE = "IREE_GEMM_OPTIONS"

MODES = ("fast", "deterministic")
STRATEGIES = (
    "auto",
    "tile",
    "split-k",
    "few-rows",
    "cooperative",
    "simdgroup",
    "off",
)
_SWITCH = {"on": True, "off": False}
_NAMES = ("mode", "matrix-hardware", "strategy", "report")


@dataclass(frozen=True)
class Options:
    """How products are compiled. `report` is the file that explains the choices."""

    mode: str = "fast"
    matrix_hardware: bool = True
    strategy: str = "auto"
    report: str | None = None

    def __post_init__(self) -> None:
        _check("mode", self.mode, MODES)
        _check("strategy", self.strategy, STRATEGIES)
        if not isinstance(self.matrix_hardware, bool):
            raise UsageError("matrix_hardware is True or False")
        if self.report is not None and (not self.report or "," in self.report):
            raise UsageError("report is the path of a file, without commas")

    @classmethod
    def parse(cls, text: str) -> Options:
        """Reads `name=value,name=value`."""
        return cls().parsed(text)

    @classmethod
    def from_env(cls) -> Options:
        """The options in the environment, or the defaults."""
        return cls.parse(os.environ.get(ENVIRONMENT_VARIABLE, ""))

    def parsed(self, text: str) -> Options:
        """These options with those in `name=value,name=value` changed."""
        return self.updated(dict(map(_split, filter(None, text.split(",")))))

    def updated(self, settings: Mapping[str, str]) -> Options:
        """These options with some of them set from their spelling as text."""
        return self.replace(**dict(map(_decode, settings.keys(), settings.values())))

    def replace(self, **changes: Any) -> Options:
        """These options with some fields changed."""
        known = [field.name for field in dataclasses.fields(self)]
        for name in changes:
            _check("option", name, known)
        return dataclasses.replace(self, **changes)

    def to_text(self) -> str:
        """What `parse` reads, for the environment of a compiler."""
        settings = {
            "mode": self.mode,
            "matrix-hardware": "on" if self.matrix_hardware else "off",
            "strategy": self.strategy,
        }
        if self.report:
            settings["report"] = self.report
        return ",".join(map("=".join, settings.items()))


def _split(setting: str) -> tuple[str, str]:
    name, equals, value = setting.partition("=")
    if not equals:
        raise UsageError(f"option '{setting}' has no value: write NAME=VALUE")
    return name.strip(), value.strip()


def _decode(name: str, value: str) -> tuple[str, Any]:
    _check("option", name, _NAMES)
    if name == "matrix-hardware":
        _check(name, value, _SWITCH)
        return "matrix_hardware", _SWITCH[value]
    return name, value


def _check(what: str, value: object, known: Any) -> None:
    if value not in known:
        raise UsageError(f"unknown {what} '{value}': one of {', '.join(known)}")
