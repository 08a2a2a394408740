# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Simdgroup matrices on Metal: 8x8 fragments, operands staged in workgroup memory.

A workgroup computes one tile of C, each of its simdgroups a part of it in fragments.
The kernel becomes Metal's own language: see `emit_msl.py`.

Order of additions: f16 inputs make all of k one chain, 8 terms at a time. Other floats
are multiplied as f32; 128 terms are summed on their own, then join the total. Small
integers are multiplied as f16, exactly, and as many summed as f32 can add exactly.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

from iree.compiler import ir

from iree_gemm import metal_kernels
from iree_gemm.passes.emit.arithmetic import Index
from iree_gemm.passes.emit.fragment_integers import store_integer_product
from iree_gemm.passes.emit.fragment_layout import SUBGROUP, Layout
from iree_gemm.passes.emit.fragment_reads import sums_in_place
from iree_gemm.passes.emit.fragment_store import store_product
from iree_gemm.passes.emit.fragments import FragmentProduct
from iree_gemm.passes.emit.kernel import Kernel, Tile
from iree_gemm.passes.emit.memory import RUN
from iree_gemm.passes.emit_msl import ATTRIBUTE
from iree_gemm.passes.msl.kernel import MAX_BINDINGS, MAX_CONSTANTS, inexpressible
from iree_gemm.problem import Problem
from iree_gemm.target import Target

from .strategy import Reject, Stage, Strategy, one_dispatch

_CHAIN = 128
_MAX_ELEMENTS = 2**30  # offsets are of 32 bits, in bytes
_LARGEST = 2048  # up to which f16 has every integer
_EXACT_MULTIPLE = 128
_MOST_EXACT = 1024
_FLOATS = ("f32", "f16", "bf16")


@dataclass(frozen=True)
class Config(Layout):
    """Sizes in elements; `padding` is in 16-byte quads after a staged row."""

    given: ClassVar[tuple[str, ...]] = ("element_bits", "exact")
    size: ClassVar[int] = 8
    sums_in_f32: ClassVar[bool] = True
    is_unrolled: ClassVar[bool] = True

    tile_m: int = 64
    tile_n: int = 64
    tile_k: int = 16
    subgroups_m: int = 2
    subgroups_n: int = 4
    padding: int = 1
    element_bits: int = 16
    in_place: bool = False
    """Whether fragments are read from tensors of f32 as they lie, inside C."""
    exact: int = 0
    """Terms whose sum is exact in f32, where C is of integers."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.in_place and self.element_bits != 32:
            raise ValueError(f"{self.element_bits} bits are not read in place")

    @property
    def chain(self) -> int:
        if self.exact:
            return self.exact // self.tile_k * self.tile_k
        return _CHAIN if self.element_bits == 32 else 0

    @property
    def packed(self) -> bool:
        """Whether operands are staged as they lie."""
        return self.element_bits == 16 and not self.exact


FEW = Config(subgroups_n=2)
"""Half as many simdgroups, for devices that allow no more or have less memory."""

DEEP = Config(tile_k=32, subgroups_n=2)
_DEEP_TERMS = 256


def configure(problem: Problem, target: Target) -> Config | Reject:
    reasons = [*_unsupported(problem, target)] or [*_inexpressible(problem)]
    if reasons:
        return Reject("; ".join(reasons))
    for config in _candidates(problem):
        reasons = [*target.excesses(config.threads, config.workgroup_bytes)]
        if not reasons:
            return config
    return Reject("; ".join(reasons))


def _candidates(problem: Problem) -> Iterator[Config]:
    if problem.accumulator == "i32":
        for config in (Config(), FEW):
            yield replace(config, exact=_exact_terms(problem))
        return
    if (problem.lhs_type, problem.rhs_type) != ("f16", "f16"):
        for config in (Config(), FEW):
            yield replace(config, element_bits=32, in_place=True)
        return
    # Published kernels for f16 take steps of 32 with 4 x 4 fragments a simdgroup.
    if problem.k.factor >= _DEEP_TERMS:
        yield DEEP
    yield from (Config(), FEW)


def _unsupported(problem: Problem, target: Target) -> Iterator[str]:
    """Each condition that fails for a product."""
    if target.backend != "metal":
        yield f"backend {target.backend} has no simdgroup matrices"
    elif not metal_kernels.are_welcome():
        yield "needs a second run: use iree-gemm compile"
    yield from _unsupported_types(problem)
    if SUBGROUP not in target.subgroup_sizes:
        yield f"{target.arch} has no subgroups of {SUBGROUP}"


def _unsupported_types(problem: Problem) -> Iterator[str]:
    types = (problem.lhs_type, problem.rhs_type)
    if problem.accumulator == "i32":
        largest = max(magnitude or 0 for magnitude in problem.magnitudes)
        if None in problem.magnitudes:
            yield f"integers of unknown size are multiplied as {' by '.join(types)}"
        elif largest > _LARGEST or not _exact_terms(problem):
            yield f"integers up to {largest} are not exact in f16"
        return
    for name in types:
        if name not in _FLOATS:
            yield f"no simdgroup matrices for {name}"


def _exact_terms(problem: Problem) -> int:
    """How many products of integers f32 can add exactly, rounded down."""
    lhs, rhs = (magnitude or 1 for magnitude in problem.magnitudes)
    terms = 2**24 // (lhs * rhs)
    return min(terms // _EXACT_MULTIPLE * _EXACT_MULTIPLE, _MOST_EXACT)


def _inexpressible(problem: Problem) -> Iterator[str]:
    """What of a product has no counterpart in a Metal kernel."""
    for operation in problem.operations:
        if reason := inexpressible(operation.name, operation.types):
            yield reason
    tensors = sum(not operand.is_scalar for operand in problem.operands)
    tensors += len(problem.lookups)
    if tensors > MAX_BINDINGS:
        yield f"{tensors} tensors, where Metal kernels take {MAX_BINDINGS}"
    scalars = sum(o.is_scalar for o in problem.operands) + len(problem.symbols)
    if scalars > MAX_CONSTANTS:
        yield f"{scalars} scalars, where Metal kernels take {MAX_CONSTANTS}"
    if any((o.length.static or 0) > _MAX_ELEMENTS for o in problem.operands):
        yield f"an operand of more than {_MAX_ELEMENTS} elements"


def emit(kernel: Kernel, config: Config) -> None:
    owner = Tile.of_workgroup(kernel, config.tile_m, config.tile_n)
    product = product_of(owner, config)
    steps = (0, kernel.div(kernel.k, config.tile_k))
    has_tail = not kernel.problem.k.is_multiple_of(config.tile_k)
    if config.exact:
        store_integer_product(product, steps, has_tail)
        return
    totals = sums(product, config, steps)
    if has_tail:
        totals = product.with_tail(steps[1], totals)
    store_product(product, totals)


def product_of(owner: Tile, config: Config) -> FragmentProduct:
    """Also marks the kernel, which is to become Metal's language."""
    function = ir.InsertionPoint.current.block.owner
    function.attributes[ATTRIBUTE] = ir.UnitAttr.get()
    return FragmentProduct(owner, config)


def sums(
    product: FragmentProduct, config: Config, steps: tuple[Index, Index]
) -> list[ir.Value]:
    """Fragments of C over a range of whole steps."""
    return sums_in_place(product, steps) if config.in_place else product.staged(steps)


def stages(config: Config) -> tuple[Stage, ...]:
    return one_dispatch(
        config,
        (config.tile_m, config.tile_n),
        emit,
        width=RUN,
        subgroup_size=SUBGROUP,
        packed=config.packed,
    )


STRATEGY = Strategy(
    "simdgroup", "simdgroup", Config, configure, stages, on_matrix_hardware=True
)
