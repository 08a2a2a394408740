# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random contractions with random surroundings give what NumPy gives.

IREE_GEMM_PROGRAMS is the number of programs; modules hold 30 each.
"""

from __future__ import annotations

import os

import iree_gemm
import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings

from random_programs import Program, programs

_PER_MODULE = 30
_MODULES = -(-int(os.environ.get("IREE_GEMM_PROGRAMS", "300")) // _PER_MODULE)


def _generated(number: int) -> list[Program]:
    found: list[Program] = []

    @seed(number)
    @settings(
        max_examples=_PER_MODULE,
        phases=[Phase.generate],
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(program=programs("f"))
    def collect(program: Program) -> None:
        found.append(program)

    collect()
    return found[:_PER_MODULE]


@pytest.mark.parametrize("number", range(_MODULES))
def test_random_programs(number: int) -> None:
    found = _generated(number)
    texts = [p.text.replace("@f(", f"@f{n}(", 1) for n, p in enumerate(found)]
    program = iree_gemm.load(iree_gemm.compile("".join(texts), target="llvmpipe"))
    wrong = []
    for n, (text, expected) in enumerate(zip(texts, found, strict=True)):
        results = program.functions[f"f{n}"](*expected.arguments)
        results = results if isinstance(results, (list, tuple)) else [results]
        for result, reference in zip(results, expected.results, strict=True):
            if not np.array_equal(result, reference):
                wrong.append(f"{text}\ngot {result}\nexpected {reference}")
    assert not wrong, f"{len(wrong)} of {len(found)} differ, the first:\n{wrong[0]}"
