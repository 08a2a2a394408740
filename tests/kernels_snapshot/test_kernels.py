# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What kernels consist of, compared with counts in expected/: a change is meant.

After a change that is meant, `pytest tests/kernels_snapshot --update-kernels`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from benchmarks.cases import Case
from benchmarks.compiler import dump_binaries, lowered_before
from benchmarks.programs import program
from benchmarks.variants import variants
from executables import with_single_variants
from spirv import counts_of, validation_errors

_EXPECTED = Path(__file__).parent / "expected"


@dataclass(frozen=True)
class Subject:
    """A product and the target that it is compiled for."""

    target: str
    case: Case

    @property
    def name(self) -> str:
        return f"{self.target}-{self.case.name}"


def _product(target: str, m: int, n: int, k: int, **more) -> Subject:
    return Subject(target, Case("kernel", m, n, k, **more))


SUBJECTS = (
    _product("ampere", 4096, 4096, 4096),
    _product("ampere", 4096, 4096, 4096, type="f16"),
    _product("ampere", 1000, 1001, 999),  # edges on every side
    _product("ampere", 128, 768, 3072),
    _product("ampere", 1, 3072, 768),
    _product("ampere", 1, 51865, 768, layout="nt"),
    _product("llvmpipe", 512, 512, 512),
    _product("default", 512, 512, 512),
)


@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda s: s.name)
def test_kernels(
    subject: Subject, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    found = dict(_counted(subject, tmp_path))
    expected = _EXPECTED / f"{subject.name}.json"
    if request.config.getoption("--update-kernels", default=False):
        expected.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")
    assert expected.exists(), f"no expected counts: {__doc__}"
    differences = list(_differences(json.loads(expected.read_text()), found))
    assert not differences, "\n".join([*differences, __doc__ or ""])


def _counted(subject: Subject, folder: Path) -> Iterator[tuple[str, dict[str, int]]]:
    """Counts by kernel, for the usual strategy; every kernel is valid."""
    text = lowered_before(subject.target, program(subject.case))
    [chosen] = [variant for variant in variants(text) if variant.is_auto]
    for name, module in with_single_variants(chosen.text).items():
        dump_binaries(subject.target, module, folder / name)
        for kernel in sorted((folder / name).glob("*.spv")):
            errors = validation_errors(kernel)
            assert not errors, f"{kernel.name}: {errors}"
            yield _title(kernel, name), counts_of(kernel)


def _title(kernel: Path, variant: str) -> str:
    """The kernel's own name, which the file has twice, and its variant."""
    name = kernel.stem.removeprefix("module_")
    return " ".join(filter(None, (name[: len(name) // 2], variant)))


def _differences(
    expected: dict[str, dict[str, int]], found: dict[str, dict[str, int]]
) -> Iterator[str]:
    for kernel in sorted({*expected, *found}):
        if kernel not in expected or kernel not in found:
            yield f"{kernel}: " + ("new" if kernel in found else "no longer there")
            continue
        before, now = expected[kernel], found[kernel]
        for what in sorted({*before, *now}):
            if before.get(what, 0) != now.get(what, 0):
                yield f"{kernel}: {what}: {before.get(what, 0)}, now {now.get(what, 0)}"
