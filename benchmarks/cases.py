# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is measured: products by group, the most telling groups first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

BYTES = {"f32": 4, "i32": 4, "f16": 2, "bf16": 2, "i8": 1}
EPILOGUES = ("none", "bias", "bias_relu", "bias_gelu", "residual")


@dataclass(frozen=True)
class Case:
    """C = epilogue(op(A) op(B)), `batch` times; `layout` is n or t for A, then B.

    `type` is that of A and B, `result` that of C and of what the epilogue reads.
    """

    group: str
    m: int
    n: int
    k: int
    type: str = "f32"
    batch: int = 1
    layout: str = "nn"
    epilogue: str = "none"
    result: str = ""

    def __post_init__(self) -> None:
        if not self.result:
            result = "i32" if self.type == "i8" else "f32"
            object.__setattr__(self, "result", result)
        if self.epilogue not in EPILOGUES:
            raise ValueError(f"unknown epilogue: {self}")

    @property
    def shape(self) -> str:
        sizes = (self.m, self.n, self.k)
        batch = f"{self.batch}x" if self.batch > 1 else ""
        return batch + "x".join(map(str, sizes))

    @property
    def name(self) -> str:
        """Unique, and fit for a file."""
        types = self.type if self.result == "f32" else f"{self.type}_{self.result}"
        parts = [self.group, self.shape, types, self.layout]
        return "-".join([*parts, *([self.epilogue] if self.epilogue != "none" else [])])

    @property
    def flops(self) -> int:
        return 2 * self.batch * self.m * self.n * self.k

    @property
    def bytes(self) -> int:
        """The fewest bytes that move: each operand read once, C written once."""
        inputs = BYTES[self.type] * self.k * (self.m + self.n)
        outputs = BYTES[self.result] * self.m * self.n
        extra = {"none": 0, "residual": self.m * self.n}.get(self.epilogue, self.n)
        return self.batch * (inputs + outputs + BYTES[self.result] * extra)

    def columns(self, quartiles: Sequence[float]) -> dict[str, float]:
        """Of a row: the quartiles of its seconds, and the work they are for."""
        low, median, high = quartiles
        times = {"seconds": median, "low": low, "high": high}
        return times | {"flops": self.flops, "bytes": self.bytes}

    @property
    def shapes(self) -> list[tuple[int, ...]]:
        """Of A, B and what the epilogue reads, in order."""
        batch = (self.batch,) if self.batch > 1 else ()
        a, b = (self.m, self.k), (self.k, self.n)
        extra = {"none": [], "residual": [(*batch, self.m, self.n)]}
        return [
            (*batch, *(a if self.layout[0] == "n" else a[::-1])),
            (*batch, *(b if self.layout[1] == "n" else b[::-1])),
            *extra.get(self.epilogue, [(self.n,)]),
        ]


_LINEAR = ((128, 768, 768), (128, 2304, 768), (128, 3072, 768), (128, 768, 3072))
_FEW_ROWS = ((1, 768, 768), (1, 3072, 768), (1, 768, 3072), (4, 3072, 768))
_HALVES = ("f16", "bf16")


def _model() -> Iterator[Case]:
    for m, n, k in (*_LINEAR, (1024, 768, 3072)):
        for type_ in ("f32", "f16"):
            yield Case("model", m, n, k, type_)
    for m, n, k in (*_FEW_ROWS, (1, 51865, 768)):
        yield Case("model", m, n, k)
        yield Case("model", m, n, k, layout="nt")
    yield Case("model", 1, 51865, 768, "f16", layout="nt")


def _sweep() -> Iterator[Case]:
    for type_ in ("f32", *_HALVES):
        for n in (4096, 2048, 1024, 512, 256):
            yield Case("sweep", n, n, n, type_)
    yield Case("sweep", 4096, 4096, 4096, "i8")
    yield Case("sweep", 1024, 1024, 1024, "i8")


def _large() -> Iterator[Case]:
    yield Case("large", 4608, 4608, 4608, "f16")
    yield Case("large", 8192, 8192, 8192, "f16")
    yield Case("large", 4096, 4096, 11008, "f16")
    yield Case("large", 8192, 8192, 8192)


def _small_m() -> Iterator[Case]:
    for type_ in ("f32", "f16"):
        for m in (1, 2, 4, 5, 8, 16, 32, 64, 128, 256, 512):
            yield Case("small-m", m, 4096, 4096, type_)


def _long_k() -> Iterator[Case]:
    for type_ in ("f32", "f16"):
        yield Case("long-k", 64, 64, 65536, type_)
        yield Case("long-k", 512, 512, 16384, type_)


def _batched() -> Iterator[Case]:
    for type_ in ("f32", "f16"):
        yield Case("batched", 128, 128, 64, type_, batch=96, layout="nt")
        yield Case("batched", 512, 512, 64, type_, batch=96, layout="nt")
        yield Case("batched", 512, 64, 512, type_, batch=96)


def _layouts() -> Iterator[Case]:
    for type_ in ("f32", "f16"):
        for layout in ("nt", "tn", "tt"):
            yield Case("layouts", 2048, 2048, 2048, type_, layout=layout)


def _epilogues() -> Iterator[Case]:
    for type_, result in (("f32", "f32"), ("f16", "f16")):
        for epilogue in EPILOGUES:
            yield Case(
                "epilogues", 1024, 3072, 768, type_, epilogue=epilogue, result=result
            )


def _quick() -> Iterator[Case]:
    """Small enough for a CPU."""
    for type_ in ("f32", "f16"):
        yield Case("quick", 64, 64, 64, type_)
    yield Case("quick", 64, 96, 128, epilogue="bias_relu")
    yield Case("quick", 64, 64, 32, batch=3, layout="nt")
    yield Case("quick", 1, 128, 128)


GPU: tuple[Case, ...] = (
    *_model(),
    *_sweep(),
    *_large(),
    *_small_m(),
    *_epilogues(),
    *_long_k(),
    *_batched(),
    *_layouts(),
)
QUICK: tuple[Case, ...] = tuple(_quick())


def named(pattern: str, cases: Iterable[Case] = (*GPU, *QUICK)) -> list[Case]:
    """The cases whose names begin with one of the words of a pattern."""
    words = tuple(pattern.split(","))
    return [case for case in cases if case.name.startswith(words)]
