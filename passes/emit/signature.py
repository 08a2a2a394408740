# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Text that is equal for equal regions, whatever their values are called."""

from __future__ import annotations

from iree.compiler import ir


def signature(block: ir.Block) -> str:
    """Operations, attributes, types and data flow of a region without captures."""
    numbers = {argument: n for n, argument in enumerate(block.arguments)}
    lines = [str([str(a.type) for a in block.arguments])]
    for view in block.operations:
        op = view.operation
        attributes = {name: str(op.attributes[name]) for name in op.attributes}
        operands = [numbers[v] for v in op.operands]
        types = [str(r.type) for r in op.results]
        lines.append(f"{op.name} {operands} {sorted(attributes.items())} {types}")
        for result in op.results:
            numbers[result] = len(numbers)
    return "\n".join(lines)
