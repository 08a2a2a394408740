# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fragments straight from the tensors, where a tile of C and its step are whole."""

from __future__ import annotations

from dataclasses import dataclass

from iree.compiler import ir
from iree.compiler.dialects import gpu, hal

from iree_gemm.problem import ONE, ZERO, Size

from .arithmetic import Index
from .bindings import is_identity
from .fragment_store import whole_tile
from .fragments import FragmentProduct, fragment_type, multiply_fragments
from .kernel import Kernel
from .memory import Buffer
from .operands import Input

_ROW_LENGTH = 0
"""As a leading dimension: that of the memref, which may be known at run time only."""


def sums_in_place(
    product: FragmentProduct, steps: tuple[Index, Index]
) -> list[ir.Value]:
    """Fragments of C over a range of whole steps, staged only at the edges of C.

    The order of additions is the same in both parts.
    """
    kernel = product.kernel
    if not all(_side(kernel, name) for name in ("lhs", "rhs")):
        return product.staged(steps)
    zeros = product.zeros()
    return kernel.either(
        whole_tile(product),
        [zero.type for zero in zeros],
        lambda: _read(product, steps),
        lambda: product.staged(steps),
    )


@dataclass(frozen=True)
class _Side:
    """A side that is one matrix as it lies, by its axes of m or n, and of k."""

    name: str
    source: Input
    own: int
    k: int

    @property
    def along_k(self) -> bool:
        """Whether terms are neighbors in a row, and else rows or columns of C."""
        return self.source.operand.strides[self.k] == ONE

    @property
    def pitch(self) -> Size:
        return self.source.operand.strides[self.own if self.along_k else self.k]


def _side(kernel: Kernel, name: str) -> _Side | None:
    """The side where fragments of its elements lie in rows or columns."""
    problem, inputs = kernel.problem, kernel.bound.elements[name].inputs
    own, k = problem.axes_of("m" if name == "lhs" else "n"), problem.axes_of("k")
    if not (len(inputs) == len(own) == len(k) == 1):
        return None
    strides = inputs[0].operand.strides[own[0]], inputs[0].operand.strides[k[0]]
    if ONE not in strides or ZERO in strides:
        return None
    block: ir.Block = getattr(kernel.op, f"{name}_block")
    is_f32 = inputs[0].operand.element == "f32" and is_identity(block)
    return _Side(name, inputs[0], own[0], k[0]) if is_f32 else None


def _read(product: FragmentProduct, steps: tuple[Index, Index]) -> list[ir.Value]:
    kernel, layout = product.kernel, product.layout
    a, b = (_Fragments.of(product, name) for name in ("lhs", "rhs"))
    terms = layout.tile_k // layout.size

    def step(number: Index, sums: list[ir.Value]) -> list[ir.Value]:
        first = kernel.mul(number, terms)
        for term in (kernel.add(first, n) for n in range(terms)):
            sums = multiply_fragments(a.load(term), b.load(term), sums)
        return sums

    return product.joined(steps, [], step)


@dataclass(frozen=True)
class _Fragments:
    """A subgroup's part of a side, by its first row or column in the tensor."""

    product: FragmentProduct
    side: _Side
    memref: ir.Value
    first: Index

    @staticmethod
    def of(product: FragmentProduct, name: str) -> _Fragments:
        kernel, owner = product.kernel, product.owner
        side = _side(kernel, name)
        assert side is not None
        is_lhs = name == "lhs"
        start = owner.first_row if is_lhs else owner.first_column
        extent = product.layout.rows if is_lhs else product.layout.columns
        position = kernel.mul(product.subgroup[not is_lhs], extent)
        return _Fragments(
            product, side, _rows(product, side), kernel.add(start, position)
        )

    def load(self, term: Index) -> list[ir.Value]:
        """The fragments of some terms, counted in fragments."""
        kernel, layout = self.product.kernel, self.product.layout
        is_lhs, along_k = self.side.name == "lhs", self.side.along_k
        extent = layout.rows if is_lhs else layout.columns
        type_ = fragment_type(layout.size, "f32", "A" if is_lhs else "B")
        loaded = []
        for start in range(0, extent, layout.size):
            at = kernel.add(self.first, start), kernel.mul(term, layout.size)
            indices = [kernel.value(i) for i in (at if along_k else reversed(at))]
            transpose = None if along_k == is_lhs else True
            fragment = gpu.subgroup_mma_load_matrix(
                type_, self.memref, indices, _ROW_LENGTH, transpose=transpose
            )
            loaded.append(fragment)
        return loaded


def _rows(product: FragmentProduct, side: _Side) -> ir.Value:
    """The matrix of the workgroup's batch as scalars in rows."""
    kernel, operand = product.kernel, side.source.operand
    assert isinstance(side.source.source, Buffer)
    binding = side.source.source.memref.owner.attributes
    element = kernel.sizes.element(operand, product.owner.batch_indices)
    byte = kernel.mul(element, operand.bits // 8)
    rows = kernel.problem.axes[side.own if side.along_k else side.k].size
    dynamic = ir.ShapedType.get_dynamic_size()
    space = ir.Attribute.parse("#hal.descriptor_type<storage_buffer>")
    type_ = ir.MemRefType.get([dynamic] * 2, ir.F32Type.get(), memory_space=space)
    return hal.interface_binding_subspan(
        type_,
        binding["layout"],
        binding["binding"],
        [kernel.value(kernel.size(rows)), kernel.value(kernel.size(side.pitch))],
        byte_offset=kernel.value(byte),
    )
