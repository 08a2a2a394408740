# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sizes, merged axes, layouts and vectors."""

from __future__ import annotations

from dataclasses import replace

import pytest
from planning import axes, matmul, product, tensor

from iree_gemm.problem import ONE, ZERO, Size, merged

DYNAMIC = Size(1, (0,))


def sizes_of(problem, kind: str) -> list[str]:
    return [str(problem.axes[n].size) for n in problem.axes_of(kind)]


def test_sizes_multiply() -> None:
    assert Size(3) * Size(4) == Size(12)
    assert Size(3, (1,)) * Size(2, (0,)) == Size(6, (0, 1))
    assert (Size(0) * DYNAMIC).static == 0
    assert DYNAMIC.static is None


def test_multiples_are_those_known_at_compile_time() -> None:
    assert Size(12).is_multiple_of(4)
    assert Size(8, (0,)).is_multiple_of(4)
    assert not DYNAMIC.is_multiple_of(4)


@pytest.mark.parametrize(
    ("size", "text"), [(Size(5), "5"), (DYNAMIC, "?"), (Size(4, (0,)), "4*?")]
)
def test_sizes_in_messages(size: Size, text: str) -> None:
    assert str(size) == text


def test_rows_of_a_shared_rhs_merge() -> None:
    """A batch of rows against one B is one tall matrix."""
    problem = merged(product(axes(m0=3, m1=5, n=7, k=4), "m0 m1 k", "k n", "m0 m1 n"))
    assert sizes_of(problem, "m") == ["15"]
    assert problem.lhs[0].strides == (Size(4), ZERO, ONE)


def test_batch_dimensions_merge() -> None:
    sizes = axes(b0=2, b1=3, m=5, n=7, k=4)
    problem = merged(product(sizes, "b0 b1 m k", "b0 b1 k n", "b0 b1 m n"))
    assert sizes_of(problem, "batch") == ["6"]


def test_terms_in_two_dimensions_merge() -> None:
    problem = merged(product(axes(m=5, n=7, k0=3, k1=4), "m k0 k1", "k0 k1 n", "m n"))
    assert sizes_of(problem, "k") == ["12"]


def test_run_time_sizes_merge() -> None:
    sizes = axes(m0=DYNAMIC, m1=5, n=7, k=4)
    problem = merged(product(sizes, "m0 m1 k", "k n", "m0 m1 n"))
    assert sizes_of(problem, "m") == ["5*?"]


def test_what_an_operand_walks_otherwise_stays_apart() -> None:
    sizes = axes(m0=3, m1=5, n=7, k=4)
    problem = merged(product(sizes, "m0 m1 k", "k n", "m1 m0 n"))
    assert sorted(sizes_of(problem, "m")) == ["3", "5"]


def test_kinds_do_not_merge() -> None:
    """Rows beside a batch, though contiguous, are not rows of one matrix."""
    sizes = axes(b=3, m=5, n=7, k=4)
    problem = merged(product(sizes, "b m k", "b k n", "b m n"))
    assert [axis.kind for axis in problem.axes] == ["batch", "m", "n", "k"]


def test_an_extra_can_keep_axes_apart() -> None:
    sizes = axes(m0=3, m1=5, n=7, k=4)
    plain = product(sizes, "m0 m1 k", "k n", "m0 m1 n")
    problem = merged(replace(plain, extras=(tensor(sizes, "m1"),)))
    assert len(problem.axes_of("m")) == 2


def test_missing_kinds_have_one_element() -> None:
    problem = merged(product(axes(n=7, k=4), "k", "k n", "n"))
    assert (problem.m, problem.n, problem.k, problem.batch) == (
        ONE,
        Size(7),
        Size(4),
        ONE,
    )


def test_the_contiguous_axis_is_the_last_of_its_kind() -> None:
    sizes = axes(n1=3, n0=5, m=7, k=4)
    problem = merged(product(sizes, "m k", "k n0 n1", "n1 m n0"))
    last = problem.axes_of("n")[-1]
    assert ONE in {o.strides[last] for o in (*problem.rhs, *problem.results)}


@pytest.mark.parametrize(
    ("lhs", "rhs", "layout"),
    [
        ("m k", "k n", "NN"),
        ("m k", "n k", "NT"),
        ("k m", "k n", "TN"),
        ("k m", "n k", "TT"),
    ],
)
def test_layout(lhs: str, rhs: str, layout: str) -> None:
    assert product(axes(m=5, n=7, k=4), lhs, rhs, "m n").layout() == layout


@pytest.mark.parametrize(
    ("n", "length", "offset", "expected"),
    [
        (Size(8), Size(32), 0, True),
        (Size(6), Size(24), 0, False),  # does not divide
        (Size(8), Size(32), 2, False),  # starts between vectors
        (DYNAMIC, Size(4, (0,)), 0, False),  # may not divide
        (Size(4, (0,)), Size(16, (0,)), 0, True),
    ],
)
def test_vectors(n: Size, length: Size, offset: int, expected: bool) -> None:
    problem = matmul(5, n, 4)
    rhs = replace(problem.rhs[0], offset=offset, length=length)
    assert problem.is_vectorizable((rhs,), 4) == expected


def test_a_slice_with_an_odd_leading_dimension_has_no_vectors() -> None:
    problem = matmul(5, 8, 4)
    rhs = replace(problem.rhs[0], strides=(ZERO, ONE, Size(9)), length=Size(36))
    assert not problem.is_vectorizable((rhs,), 4)


def test_outputs_are_wide_where_results_and_extras_allow() -> None:
    sizes = axes(m=5, n=8, k=4)
    problem = product(sizes, "m k", "k n", "m n")
    assert problem.output_width(4) == 4
    row_bias = replace(problem, extras=(tensor(sizes, "m"),))
    assert row_bias.output_width(4) == 4
    shifted = replace(problem.results[0], offset=3)
    assert replace(problem, results=(shifted,)).output_width(4) == 1
    assert matmul(5, 7, 4).output_width(4) == 1


def test_rows_are_set_where_they_are_one_run_time_size() -> None:
    problem = matmul(DYNAMIC, 7, 4).with_rows(3)
    assert problem is not None
    assert problem.m == Size(3)
    assert matmul(5, 7, 4).with_rows(3) is None


def test_symbols_are_all_sizes_that_a_kernel_needs() -> None:
    sizes = axes(b=Size(1, (0,)), m=Size(1, (1,)), n=7, k=Size(1, (3,)))
    problem = product(sizes, "b m k", "k n", "b m n")
    assert problem.symbols == [0, 1, 3]


def test_description() -> None:
    assert matmul(DYNAMIC, 7, 4).describe() == "?x7x4 f32*f32->f32"
    batched = product(axes(b=2, m=5, n=7, k=4), "b m k", "b k n", "b m n")
    assert batched.describe() == "2x5x7x4 f32*f32->f32"
