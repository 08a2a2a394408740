# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fragments straight from the tensors, where a tile of C and its step are whole."""

from __future__ import annotations

from dataclasses import dataclass

from iree.compiler import ir
from iree.compiler.dialects import hal

from iree_gemm.problem import ONE, ZERO

from .arithmetic import Index
from .bindings import is_identity
from .fragment_store import whole_tile
from .fragments import FragmentProduct, Fragments, fragment_type, multiply_fragments
from .kernel import Kernel
from .memory import Buffer
from .operands import Input


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
        return self.source.operand.strides[self.k] == ONE


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
    a, b = (_fragments(product, name) for name in ("lhs", "rhs"))
    terms = layout.tile_k // layout.size

    def step(number: Index, sums: list[ir.Value]) -> list[ir.Value]:
        first = kernel.mul(number, terms)
        for term in (kernel.add(first, n) for n in range(terms)):
            sums = multiply_fragments(a.load(kernel, term), b.load(kernel, term), sums)
        return sums

    return product.joined(steps, [], step)


def _fragments(product: FragmentProduct, name: str) -> Fragments:
    kernel, layout, owner = product.kernel, product.layout, product.owner
    side = _side(kernel, name)
    assert side is not None
    is_lhs = name == "lhs"
    first = owner.first_row if is_lhs else owner.first_column
    extent = layout.rows if is_lhs else layout.columns
    position = kernel.add(first, kernel.mul(product.subgroup[not is_lhs], extent))
    operand = side.source.operand
    start = kernel.sizes.offset(operand, {**owner.batch_indices, side.own: position})
    own, k = (kernel.size(operand.strides[axis]) for axis in (side.own, side.k))
    return Fragments(
        _rows(kernel, side.source, own if side.along_k else k),
        fragment_type(layout.size, "f32", "A" if is_lhs else "B"),
        extent // layout.size,
        kernel.add(operand.offset, start),
        kernel.mul(own, layout.size),
        kernel.mul(k, layout.size),
        0,
        side.along_k != is_lhs,
    )


def _rows(kernel: Kernel, source: Input, pitch: Index) -> ir.Value:
    """The tensor behind a binding as scalars in rows of `pitch`."""
    assert isinstance(source.source, Buffer)
    attributes = source.source.memref.owner.attributes
    dynamic = ir.ShapedType.get_dynamic_size()
    space = ir.Attribute.parse("#hal.descriptor_type<storage_buffer>")
    shape = [dynamic, dynamic]
    type_ = ir.MemRefType.get(shape, ir.F32Type.get(), memory_space=space)
    rows = kernel.div(kernel.size(source.operand.length), pitch)
    dims = [kernel.value(rows), kernel.value(pitch)]
    layout, binding = attributes["layout"], attributes["binding"]
    return hal.interface_binding_subspan(type_, layout, binding, dims, alignment=64)
