# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the fragments of a kernel bfloat16, which MLIR's fragments cannot be.

The kernel comes with f16 fragments, loaded from memory that has no type of its own:
SPV_KHR_bfloat16 gives the same instructions another 16-bit type.
"""

from __future__ import annotations

from .binary import Binary, Instruction, text_words

_EXTENSION, _CAPABILITY = 10, 17
_TYPE_FLOAT, _TYPE_MATRIX = 22, 4456
_FLOAT16, _BFLOAT16_TYPE, _BFLOAT16_MATRIX = 9, 5116, 5118
_BFLOAT16_ENCODING = 0

# Where types name the types they are made of: vectors, arrays, structs, pointers,
# functions, matrices.
_PARTS = {
    23: slice(1, 2),
    28: slice(1, 2),
    29: slice(1, 2),
    30: slice(1, None),
    32: slice(2, 3),
    33: slice(1, None),
    _TYPE_MATRIX: slice(1, 2),
}
# Instructions whose first operand is not the type of a result: debug information,
# extensions, the memory model, capabilities, decorations.
_UNTYPED = {3, 5, 6, 7, _EXTENSION, 11, 14, 15, 16, _CAPABILITY, _TYPE_FLOAT, 71, 72}


def with_bfloat16_fragments(binary: Binary) -> Binary:
    """The kernel with bfloat16 for f16; f16 is a type of nothing but fragments."""
    (half,) = (i.operands[0] for i in binary.instructions if _is_half_type(i))
    users = {i.opcode for i in binary.instructions if half in _types(i)}
    if users != {_TYPE_MATRIX}:
        raise ValueError("the kernel has f16 values beside its fragments")
    capabilities = [i for i in binary.instructions if i.opcode == _CAPABILITY]
    rest = binary.instructions[len(capabilities) :]
    extension = Instruction(_EXTENSION, text_words("SPV_KHR_bfloat16"))
    kept = [i for i in capabilities if i.operands != (_FLOAT16,)]
    added = [
        Instruction(_CAPABILITY, (number,))
        for number in (_BFLOAT16_TYPE, _BFLOAT16_MATRIX)
    ]
    typed = (_retyped(i) if _is_half_type(i) else i for i in rest)
    return Binary(binary.header, (*kept, *added, extension, *typed))


def _types(instruction: Instruction) -> tuple[int, ...]:
    """The types that an instruction uses."""
    if instruction.opcode in _PARTS:
        return instruction.operands[_PARTS[instruction.opcode]]
    return () if instruction.opcode in _UNTYPED else instruction.operands[:1]


def _is_half_type(instruction: Instruction) -> bool:
    return instruction.opcode == _TYPE_FLOAT and instruction.operands[1] == 16


def _retyped(instruction: Instruction) -> Instruction:
    result, width = instruction.operands[:2]
    return Instruction(_TYPE_FLOAT, (result, width, _BFLOAT16_ENCODING))
