# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""How MSL spells MLIR types and constants; bf16 is carried as its bits in a ushort."""

import re
import struct
from math import isinf, isnan, prod

from iree.compiler import ir

SCALARS = {
    "f32": "float",
    "f16": "half",
    "bf16": "ushort",  # MSL 3.0, the newest that IREE's runtime takes, has no bfloat
    "i1": "bool",
    "i8": "char",
    "i16": "short",
    "i32": "int",
    "i64": "long",
    "index": "uint",  # offsets are in elements, so 32 bits reach 4 Gi of them
}
BYTES = {
    "bool": 1,
    "char": 1,
    "short": 2,
    "ushort": 2,
    "half": 2,
    "int": 4,
    "uint": 4,
    "float": 4,
    "long": 8,
}
SIGNED = {"uint": "int"}
UNSIGNED = {"char": "uchar", "short": "ushort", "int": "uint", "long": "ulong"}
MATRIX = re.compile(r'!gpu\.mma_matrix<(\d+)x(\d+)x(\w+), "(\w)Op">')


class UnsupportedError(Exception):
    """What the lowering cannot say in MSL; becomes an error at the operation."""


def scalar_name(type_: ir.Type) -> str:
    """The MSL scalar of an MLIR scalar type."""
    try:
        return SCALARS[str(type_)]
    except KeyError:
        raise UnsupportedError(f"type {type_} has no counterpart in MSL 3.0") from None


def lanes(type_: ir.Type) -> int:
    """How many elements a value has; vectors with one long dimension only."""
    if not isinstance(type_, ir.VectorType):
        return 1
    count = prod(type_.shape)
    if count > 4 or any(type_.scalable_dims) or max(type_.shape, default=1) != count:
        raise UnsupportedError(f"{type_} is not a vector of 1 to 4 elements")
    return count


def scalar_of(type_: ir.Type) -> str:
    """The MSL scalar of a scalar, of a vector's elements or of a fragment's."""
    if matrix := MATRIX.fullmatch(str(type_)):
        return SCALARS[matrix[3]]
    return scalar_name(
        type_.element_type if isinstance(type_, ir.VectorType) else type_
    )


def with_lanes(scalar: str, count: int) -> str:
    return scalar if count == 1 else f"{scalar}{count}"


def matrix_name(type_: ir.Type) -> str:
    """`simdgroup_half8x8` or `simdgroup_float8x8`."""
    matrix = MATRIX.fullmatch(str(type_))
    assert matrix, f"{type_} is not a fragment"
    rows, columns, element, _ = matrix.groups()
    if (rows, columns) != ("8", "8"):
        raise UnsupportedError(f"simdgroup matrices are 8x8, not {rows}x{columns}")
    if element not in ("f16", "f32"):
        raise UnsupportedError(
            f"simdgroup matrices hold f16 or f32 in MSL 3.0, not {element}"
        )
    return f"simdgroup_{SCALARS[element]}8x8"


def is_matrix(type_: ir.Type) -> bool:
    return MATRIX.fullmatch(str(type_)) is not None


def msl_type(type_: ir.Type) -> str:
    """The MSL type that holds a value of an MLIR type."""
    if is_matrix(type_):
        return matrix_name(type_)
    return with_lanes(scalar_of(type_), lanes(type_))


def is_float(type_: ir.Type) -> bool:
    return scalar_of(type_) in ("float", "half")


def is_bf16(type_: ir.Type) -> bool:
    element = type_.element_type if isinstance(type_, ir.VectorType) else type_
    return str(element) == "bf16"


def element_bytes(type_: ir.Type) -> int:
    """Bytes between neighbours in an array; a 3-vector takes the room of 4."""
    count = lanes(type_)
    return BYTES[scalar_of(type_)] * (4 if count == 3 else count)


def enumerator(attribute: ir.Attribute) -> str:
    """The last word of an enumeration attribute, as in `#gpu.shuffle_mode<xor>`."""
    return re.findall(r"\w+", str(attribute))[-1]


def float_literal(value: float) -> str:
    if isnan(value):
        return "NAN"
    if isinf(value):
        return "INFINITY" if value > 0 else "-INFINITY"
    return f"{_shortest(value)}f"


def _shortest(value: float) -> str:
    """Nine digits tell every float32 from its neighbors; fewer where they suffice."""
    for digits in range(1, 10):
        text = f"{value:.{digits}g}"
        if struct.pack("f", float(text)) == struct.pack("f", value):
            break
    return text if "." in text or "e" in text else f"{text}.0"


def bf16_bits(value: float) -> int:
    """The nearest bf16, ties to even."""
    (bits,) = struct.unpack("<I", struct.pack("<f", value))
    if isnan(value):
        return 0x7FC0
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


def scalar_literal(value: float | int, type_: ir.Type) -> str:
    """A constant of a scalar type."""
    match str(type_):
        case "f32":
            return float_literal(value)
        case "f16":
            return f"half({float_literal(value)})"
        case "bf16":
            return f"ushort({bf16_bits(value):#06x})"
        case "i1":
            return "true" if value else "false"
        case "index":
            return f"{int(value) & 0xFFFFFFFF}u"
        case "i32":
            return str(value) if value != -(2**31) else "int(0x80000000u)"
    return f"{scalar_name(type_)}({value})"


def constant(attribute: ir.Attribute) -> str:
    """An `arith.constant`'s value."""
    if isinstance(attribute, ir.DenseElementsAttr):
        return _dense(attribute)
    return scalar_literal(attribute.value, attribute.type)


def _dense(attribute: ir.DenseElementsAttr) -> str:
    element = attribute.type.element_type
    name = msl_type(attribute.type)
    if attribute.is_splat:
        value = scalar_literal(attribute.get_splat_value().value, element)
        return f"{name}({value})"
    short = str(element) in ("f16", "bf16")
    values = _printed_values(attribute) if short else list(attribute)
    return f"{name}({', '.join(scalar_literal(value, element) for value in values)})"


def _printed_values(attribute: ir.DenseElementsAttr) -> list[float]:
    """Read from the text, since the bindings do not index 16-bit floats."""
    text = str(attribute).partition("[")[2].partition("]")[0]
    try:
        return [float(value) for value in text.split(",")]
    except ValueError:
        raise UnsupportedError(f"constant {attribute} is not finite") from None
