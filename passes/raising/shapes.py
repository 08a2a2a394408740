# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Accesses through tensor reshapes."""

from __future__ import annotations

from collections.abc import Sequence

from iree.compiler import ir

from iree_gemm.dialects.linear import Access, Linear, linearize, split_index

from .contraction import Contraction

Shape = Sequence[int | None]


def static_shape(value: ir.Value) -> list[int | None]:
    """The sizes of a tensor; None where known at run time."""
    type_ = ir.RankedTensorType(value.type)
    return [
        None if type_.is_dynamic_dim(i) else type_.get_dim_size(i)
        for i in range(type_.rank)
    ]


def reassociation(op: ir.Operation) -> list[list[int]]:
    groups = ir.ArrayAttr(op.attributes["reassociation"])
    return [[ir.IntegerAttr(i).value for i in ir.ArrayAttr(g)] for g in groups]


def collapsed_access(
    access: Access, shape: Shape, groups: list[list[int]]
) -> Access | None:
    """Indices into the collapsed tensor from indices into the expanded one."""
    result = []
    for group in groups:
        form = linearize([access[i] for i in group], [shape[i] for i in group])
        if form is None:
            return None
        result.append(form)
    return tuple(result)


def expanded_access(
    contraction: Contraction, access: Access, shape: Shape, groups: list[list[int]]
) -> Access | Contraction | None:
    """Indices into the expanded tensor from indices into the collapsed one.

    Where that needs a dimension in two parts, the contraction with it split.
    """
    result = [Linear()] * len(shape)
    for index, group in zip(access, groups, strict=True):
        inner = [i for i in group if shape[i] != 1]
        while len(inner) > 1:
            axis = inner.pop()
            size = shape[axis]
            if size is None:
                return None
            parts = split_index(index, size, contraction.static_sizes)
            if parts is None:
                dim = index.plain_dim
                return None if dim is None else contraction.split(dim, size)
            index, result[axis] = parts
        if inner:
            result[inner[0]] = index
    return tuple(result)
