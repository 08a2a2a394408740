# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The choice of a strategy: its order, its reasons, its configurations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from planning import BASELINE, GPU, METAL, SOFTWARE, axes, matmul, product

from iree_gemm.metal_kernels import inspecting
from iree_gemm.options import STRATEGIES as OPTION_VALUES
from iree_gemm.options import Options
from iree_gemm.passes.strategies import cooperative, few_rows, split_k, tile
from iree_gemm.passes.strategies.strategy import Reject, Selection
from iree_gemm.passes.strategies.table import STRATEGIES, select, select_by_rows
from iree_gemm.problem import Problem, Size
from iree_gemm.target import Target

ROWS = Size(1, (0,))


@pytest.fixture(autouse=True)
def metal_kernels_are_welcome() -> Iterator[None]:
    with inspecting():
        yield


TARGETS = (GPU, BASELINE, SOFTWARE, METAL)
PROBLEMS = (
    matmul(64, 64, 64),
    matmul(4096, 4096, 4096),
    matmul(128, 768, 768),
    matmul(1, 768, 768),
    matmul(256, 256, 256, "f16 f16 f32"),
    matmul(128, 768, 3072, "f16 f16 f32"),
    matmul(64, 64, 64, "i8 i8 i32"),
)
HALF = matmul(256, 256, 256, "f16 f16 f32")


def chosen(problem: Problem, target: Target = GPU, **options: object) -> Selection:
    selection = select(problem, target, Options().replace(**options))
    assert isinstance(selection, Selection), selection
    return selection


def reason(problem: Problem, target: Target = GPU, **options: object) -> str:
    rejected = select(problem, target, Options().replace(**options))
    assert isinstance(rejected, Reject), rejected
    return rejected.reason


@pytest.mark.parametrize(
    ("problem", "name"),
    [
        (matmul(64, 64, 64), "tile"),
        (matmul(1, 768, 768), "few-rows"),
        (matmul(128, 768, 3072), "split-k"),
        (HALF, "cooperative"),
    ],
)
def test_the_shape_decides(problem: Problem, name: str) -> None:
    assert chosen(problem).strategy.name == name


@pytest.mark.parametrize("name", [s.name for s in STRATEGIES])
def test_every_strategy_is_chosen_for_something(name: str) -> None:
    zero = matmul(64, 64, 0)
    found = {
        selection.strategy.name
        for problem in (*PROBLEMS, zero)
        for target in TARGETS
        if isinstance(selection := select(problem, target, Options()), Selection)
    }
    assert name in found


def test_names_are_unique_and_options_known() -> None:
    assert len({s.name for s in STRATEGIES}) == len(STRATEGIES)
    assert {s.option for s in STRATEGIES} <= {*OPTION_VALUES}


@pytest.mark.parametrize("target", TARGETS, ids=lambda t: t.arch)
@pytest.mark.parametrize("problem", PROBLEMS, ids=Problem.describe)
def test_choices_respect_the_target(problem: Problem, target: Target) -> None:
    for option in OPTION_VALUES:
        selection = select(problem, target, Options(strategy=option))
        if isinstance(selection, Reject):
            continue
        for stage in selection.strategy.stages(selection.config):
            assert stage.threads <= target.max_threads
            assert stage.subgroup_size in (None, *target.subgroup_sizes)
        size = getattr(selection.config, "workgroup_bytes", 0)
        assert size <= target.workgroup_memory


@pytest.mark.parametrize(
    ("config", "shape", "threads"),
    [
        (tile.LARGE, (4096, 4096, 4096), 256),
        (tile.MEDIUM, (1024, 1536, 384), 256),
        (tile.SLICED, (64, 64, 64), 256),
        (tile.FLAT, (16, 16384, 4096), 256),
        (tile.SMALL, (64, 8192, 64), 128),
        (tile.LEAST, (64, 64, 64), 64),
    ],
)
def test_every_tile_is_for_some_target(
    config: tile.Config, shape: tuple[int, int, int], threads: int
) -> None:
    target = replace(GPU, max_threads=threads, compute_units=132)
    assert tile.configure(matmul(*shape), target) == config


@pytest.mark.parametrize("config", [*cooperative.CONFIGS, cooperative.LARGE])
def test_every_cooperative_shape_is_valid(config: cooperative.Config) -> None:
    assert not [*GPU.excesses(config.threads, config.workgroup_bytes)]


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        (replace(GPU, max_threads=32), "no tile fits 32 invocations"),
        (replace(GPU, workgroup_memory=64), "64 bytes of workgroup memory"),
    ],
)
def test_tile_reasons(target: Target, expected: str) -> None:
    assert expected in reason(matmul(64, 64, 64), target, strategy="tile")


@pytest.mark.parametrize(
    ("problem", "expected"),
    [
        (matmul(9, 64, 64), "m is 9: not 1 to 8 rows"),
        (matmul(7, 64, 64, "f16 f16 f32"), "m is 7: not 1 to 6 rows"),
        (matmul(17, 64, 64, "i8 i8 i32"), "m is 17: not 1 to 16 rows"),
        (matmul(ROWS, 64, 64), "m is ?: not 1 to 8 rows"),
        (
            product(axes(m=4, n=64, k=64), "k m", "k n", "m n"),
            "A is not contiguous",
        ),
        (
            product(axes(m0=2, m1=2, n=64, k=64), "m0 m1 k", "k n", "m1 m0 n"),
            "the rows of C are not one dimension",
        ),
    ],
)
def test_few_rows_reasons(problem: Problem, expected: str) -> None:
    assert expected in reason(problem, strategy="few-rows")


@pytest.mark.parametrize(
    ("problem", "expected"),
    [
        (matmul(64, 64, ROWS), "the number of ranges needs static sizes"),
        (matmul(64, 64, 127), "k is 127: fewer than 128 terms"),
        (matmul(1280, 2048, 4096), "two planes of sums exceed 16 MiB"),
    ],
)
def test_split_k_reasons(problem: Problem, expected: str) -> None:
    target = replace(GPU, compute_units=100)
    assert expected in reason(problem, target, strategy="split-k")


@pytest.mark.parametrize(
    ("problem", "target", "expected"),
    [
        (matmul(64, 64, 64), GPU, "no matrix units for f32 by f32"),
        (HALF, METAL, "backend metal has no cooperative matrices"),
        (HALF, replace(GPU, mma=()), "gpu lists no f32 sums of f16 products"),
        (HALF, replace(GPU, subgroup_sizes=(64,)), "gpu has no subgroups of 32"),
        (HALF, replace(GPU, max_threads=64), "invocations, where 64 are allowed"),
        (HALF, replace(GPU, workgroup_memory=64), "bytes of workgroup memory"),
    ],
)
def test_cooperative_reasons(problem: Problem, target: Target, expected: str) -> None:
    assert expected in reason(problem, target, strategy="cooperative")


@pytest.mark.parametrize(
    ("problem", "target", "expected"),
    [
        (HALF, GPU, "backend vulkan has no simdgroup matrices"),
        (matmul(64, 64, 64, "i8 i8 i32"), METAL, "integers of unknown size"),
        (HALF, replace(METAL, subgroup_sizes=(64,)), "apple has no subgroups of 32"),
        (HALF, replace(METAL, max_threads=64), "invocations, where 64 are allowed"),
    ],
)
def test_simdgroup_reasons(problem: Problem, target: Target, expected: str) -> None:
    assert expected in reason(problem, target, strategy="simdgroup")


def test_reasons_of_the_options() -> None:
    assert reason(HALF, strategy="off") == "strategy=off"
    forced = {"strategy": "cooperative"}
    assert "matrix-hardware=off" in reason(HALF, matrix_hardware=False, **forced)
    assert "mode=deterministic" in reason(HALF, mode="deterministic", **forced)


def test_what_no_strategy_does() -> None:
    assert "an extent is 0" in reason(matmul(0, 64, 64))


def test_all_reasons_are_kept() -> None:
    rejected = chosen(matmul(64, 64, 64)).rejected
    assert [*rejected] == [s.name for s in STRATEGIES if s.name != "tile"]
    assert all(rejected.values())


def test_a_product_is_not_split_where_that_is_slower() -> None:
    rejected = chosen(matmul(1024, 1024, 1024)).rejected
    assert "ranges would take 64 us, and one takes 63" in rejected["split-k"]
    forced = chosen(matmul(1024, 1024, 1024), strategy="split-k")
    assert forced.strategy.name == "split-k"


@pytest.mark.parametrize("ranges", [split_k.configure(matmul(128, 768, 768), GPU)])
def test_ranges_are_whole_and_fit_the_scratch(ranges: split_k.Config) -> None:
    assert 2 <= ranges.ranges <= 16
    assert ranges.ranges * 64 <= 768


def test_wide_outputs_take_wider_groups_of_columns() -> None:
    usual = few_rows.configure(matmul(1, 768, 768), GPU)
    wide = few_rows.configure(matmul(1, 3072, 768), GPU)
    assert (usual.columns, wide.columns) == (16, 32)


def test_rows_at_run_time_have_a_plan_for_every_number() -> None:
    choice = select_by_rows(matmul(ROWS, 768, 768), GPU, Options())
    assert not isinstance(choice, Reject)
    cases, rest = choice
    limit, few = cases[0]
    assert (limit, few.strategy.name) == (4, "few-rows")
    assert [n for n, _ in cases] == sorted({n for n, _ in cases})
    assert rest.strategy.name == "tile"


def test_promised_rows_need_no_plan_for_more() -> None:
    choice = select_by_rows(matmul(ROWS, 768, 768), GPU, Options(), most_rows=4)
    assert not isinstance(choice, Reject)
    cases, rest = choice
    assert not cases
    assert rest.strategy.name == "few-rows"


def test_rows_at_run_time_are_one_plan_where_all_agree() -> None:
    choice = select_by_rows(matmul(ROWS, 768, 768), SOFTWARE, Options())
    assert not isinstance(choice, Reject)
    assert choice[0] == []
