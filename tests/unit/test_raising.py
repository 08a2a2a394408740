# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The plain data that raising works on: linear forms, expressions, factors."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from iree.compiler import ir

from iree_gemm.dialects.linear import (
    Linear,
    linearize,
    overlaps,
    split_index,
)
from iree_gemm.passes.raising.expression import (
    Accumulator,
    Apply,
    apply,
    constant,
    transform,
    walk_up,
)
from iree_gemm.passes.raising.simplify import narrowed
from iree_gemm.passes.raising.values import is_on_host


@pytest.fixture
def i32() -> Iterator[ir.Type]:
    with ir.Context(), ir.Location.unknown():
        yield ir.IntegerType.get_signless(32)


def _value(form: Linear, point: list[int]) -> int:
    return form.constant + sum(point[d] * c for d, c in form.terms)


_points = st.lists(st.integers(0, 5), min_size=3, max_size=3)
_forms = st.builds(
    Linear.of,
    st.dictionaries(st.integers(0, 2), st.integers(0, 24), max_size=3),
    st.integers(0, 30),
)


@given(_forms, _forms, st.integers(0, 9), _points)
def test_linear_forms_add_and_scale(
    a: Linear, b: Linear, factor: int, point: list[int]
) -> None:
    expected = _value(a, point) + factor * _value(b, point)
    assert _value(a + b * factor, point) == expected


@given(_forms, _points)
def test_substitution_is_evaluation(form: Linear, point: list[int]) -> None:
    image = form.substitute(lambda dim: Linear(constant=point[dim]))
    assert image == Linear(constant=_value(form, point))


@given(_forms, st.integers(1, 12), _points)
def test_split_index_is_division(form: Linear, inner: int, point: list[int]) -> None:
    parts = split_index(form, inner, [6, 6, 6])
    if parts is None:
        return
    expected = divmod(_value(form, point), inner)
    assert tuple(_value(part, point) for part in parts) == expected


def test_split_index_needs_extents() -> None:
    assert split_index(Linear.dim(0), 4, [4]) is not None
    assert split_index(Linear.dim(0), 4, [5]) is None
    assert split_index(Linear.dim(0), 4, [None]) is None


def test_linearize_is_row_major() -> None:
    indices = [Linear.dim(0), Linear.dim(1)]
    assert linearize(indices, [None, 7]) == Linear.of({0: 7, 1: 1})
    assert linearize(indices, [7, None]) is None


@pytest.mark.parametrize(
    ("terms", "sizes", "expected"),
    [
        ({0: 4, 1: 1}, [2, 4], False),
        ({0: 4, 1: 1}, [2, 5], True),
        ({0: 1, 1: 1}, [2, 1], False),
        ({0: 1, 1: 1}, [2, 3], True),
        ({0: 4, 1: 1}, [None, 4], False),
        ({0: 4, 1: 1}, [2, None], True),
        ({0: -1, 1: 4}, [4, 2], True),
    ],
)
def test_windows_overlap(
    terms: dict[int, int], sizes: list[int | None], expected: bool
) -> None:
    assert overlaps((Linear.of(terms),), sizes.__getitem__) is expected


def test_transform_keeps_what_is_shared(i32: ir.Type) -> None:
    total = Accumulator(i32)
    twice = apply("arith.addi", (total, total), i32)
    results = transform([twice, apply("arith.muli", (twice, twice), i32)], _renamed)
    assert isinstance(results[1], Apply)
    assert results[1].operands == (results[0], results[0])


def _renamed(node: object) -> object:
    if isinstance(node, Apply) and node.name == "arith.addi":
        return apply("arith.subi", node.operands, node.type)
    return node


def test_deep_expressions_do_not_recurse(i32: ir.Type) -> None:
    node = Accumulator(i32)
    for _ in range(5000):
        node = apply("arith.addi", (node, node), i32)
    assert len(list(walk_up([node]))) == 5001
    assert transform([node], lambda n: n) == [node]


@pytest.mark.parametrize(
    ("number", "width", "expected"),
    [(300, 8, 44), (200, 8, -56), (-1, 8, -1), (2**40 + 5, 32, 5)],
)
def test_narrowed_constants_wrap(
    i32: ir.Type, number: int, width: int, expected: int
) -> None:
    wide = constant(ir.IntegerType.get_signless(64), number)
    narrow = narrowed(wide, ir.IntegerType.get_signless(width))
    assert isinstance(narrow, Apply)
    assert narrow.attributes["value"].value == expected


def test_shared_indices_are_walked_once() -> None:
    """60 sums of a value with itself have 2^60 paths."""
    sums = "".join(f"%x{n + 1} = arith.addi %x{n}, %x{n} : index\n" for n in range(60))
    text = f"func.func @f(%x0: index) -> index {{ {sums} return %x60 : index }}"
    with ir.Context():
        module = ir.Module.parse(text)
        block = module.body.operations[0].regions[0].blocks[0]
        assert is_on_host(block.operations[59].operation.result)
