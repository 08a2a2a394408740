# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How MLIR types and constants look in NumPy."""

import re
from dataclasses import dataclass

import ml_dtypes
import numpy as np
from iree.compiler import ir

INDEX = np.dtype(np.int64)

_DTYPES = {
    "f64": np.float64,
    "f32": np.float32,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "index": INDEX,
    "i64": np.int64,
    "i32": np.int32,
    "i16": np.int16,
    "i8": np.int8,
    "si8": np.int8,
    "ui8": np.uint8,
    "i1": np.bool_,
}
_FRAGMENT = re.compile(r'!gpu\.mma_matrix<(\d+)x(\d+)x(\w+), "(\w+)">')


def scalar_dtype(type_: ir.Type) -> np.dtype:
    """The NumPy type of a scalar."""
    if (dtype := _DTYPES.get(str(type_))) is None:
        raise ValueError(f"the interpreter knows no scalar type {type_}")
    return np.dtype(dtype)


def element_dtype(type_: ir.Type) -> np.dtype:
    """The NumPy type of a scalar or of a vector's elements."""
    return scalar_dtype(
        type_.element_type if isinstance(type_, ir.VectorType) else type_
    )


def vector_shape(type_: ir.Type) -> tuple[int, ...]:
    """The shape that a value has in each invocation; a scalar's is empty."""
    return tuple(type_.shape) if isinstance(type_, ir.VectorType) else ()


def is_integer(dtype: np.dtype) -> bool:
    """Whether a type has no NaN that could stand for an uninitialised value."""
    return dtype.kind in "iub"


@dataclass(frozen=True)
class FragmentType:
    """A matrix fragment that the invocations of a subgroup hold together."""

    rows: int
    columns: int
    dtype: np.dtype

    @staticmethod
    def parse(type_: ir.Type) -> "FragmentType | None":
        """None for any type that is not a fragment."""
        if not (match := _FRAGMENT.fullmatch(str(type_))):
            return None
        rows, columns, element, _ = match.groups()
        return FragmentType(int(rows), int(columns), np.dtype(_DTYPES[element]))


def constant_array(attribute: ir.Attribute) -> np.ndarray:
    """A constant as a value that all invocations share."""
    type_ = attribute.type
    if not isinstance(attribute, ir.DenseElementsAttr):
        return np.array([attribute.value], scalar_dtype(type_))
    dtype, shape = scalar_dtype(type_.element_type), tuple(type_.shape)
    if attribute.is_splat:
        return np.full((1, *shape), attribute.get_splat_value().value, dtype)
    values = np.array(attribute) if dtype == np.float16 else list(attribute)
    return np.array(values, dtype).reshape(1, *shape)
