# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of small integers by fragments of floats, exact in sums of 32 bits.

Each chain of terms is short enough to be exact in f32; it then joins totals that
invocations hold as integers, by way of workgroup memory.
"""

from __future__ import annotations

from iree.compiler import ir
from iree.compiler.dialects import arith

from .arithmetic import Index
from .fragment_store import epilogue_of
from .fragment_strips import Strip
from .fragments import FragmentProduct
from .memory import RUN


def store_integer_product(
    product: FragmentProduct, steps: tuple[Index, Index], has_tail: bool
) -> None:
    """Sums whole steps of k and the rest, applies the epilogue and stores C."""
    kernel, layout = product.kernel, product.layout
    strip = Strip.of(product)
    starts = range(0, layout.size, strip.rows)
    places = [(i, s) for i in range(layout.rows // layout.size) for s in starts]
    i32 = ir.VectorType.get([RUN], ir.IntegerType.get_signless(32))

    def join(totals: list[ir.Value], sums: list[ir.Value]) -> list[ir.Value]:
        runs = [strip.load(start) for _ in strip.exchange(sums) for start in starts]
        whole = [arith.fptosi(i32, run) for run in runs]
        return list(map(arith.addi, totals, whole))

    totals = [kernel.zero_of(i32)] * len(places)
    sums = product.zeros()
    if isinstance(kernel.k, int) and kernel.k <= layout.chain:
        sums = product.staged(steps)
    else:
        totals = product.staged_into(totals, steps, join)
    if has_tail:
        sums = product.with_tail(steps[1], sums)
    totals = join(totals, sums)
    store_run = epilogue_of(product, strip.column)
    for (number, start), run in zip(places, totals, strict=True):
        strip.store(number, start, run, store_run)
