# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Views, builders and verifier of the `gemm` dialect; see `gemm.irdl.mlir`.

The only module that knows how a product is spelled as an operation. IREE has no
loader for dialects defined in Python, so the operations are unregistered ones.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from typing import Any, ClassVar

from iree.compiler import ir
from iree.compiler._mlir_libs import _mlir

from .spelling import INDEXED, SEGMENTS
from .verifier import problems_of

LEFT = "gemm.left"
"""On an operation that multiplies and sums: why it stays as it is."""
OPTIONS = "gemm.options"
"""On a structured operation that is a product, or on `gemm.matmul`: its options."""
STOP = "stop"
"""On `gemm.matmul`: why the next reader of the result did not fold."""


@_mlir.register_dialect
class _Dialect(ir.Dialect):
    DIALECT_NAMESPACE = "gemm"


@dataclass(frozen=True)
class MatmulSpec:
    """What a `gemm.matmul` is built from; maps are over the iteration dimensions.

    `bounds` holds the static sizes and the dynamic sentinel of shaped types, `sizes`
    the index values of the dynamic ones in order.
    """

    iterators: Sequence[str]
    bounds: Sequence[int]
    operands: dict[str, Sequence[ir.Value]]
    maps: Sequence[ir.AffineMap]
    results: Sequence[ir.Type]


@dataclass(frozen=True)
class Case:
    """The strategy and configuration for products of at most so many rows.

    `config` is a dataclass of integers; read back it is a dictionary.
    """

    at_most: int
    strategy: str
    config: Any


@_mlir.register_operation(_Dialect)
class MatmulOp(ir.OpView):
    """A matrix product with prologues and epilogue."""

    OPERATION_NAME = "gemm.matmul"
    _ODS_REGIONS = (4, True)
    _ODS_OPERAND_SEGMENTS: ClassVar[list[int]] = [-1, -1, -1, -1, -1]
    _ODS_RESULT_SEGMENTS = None

    @staticmethod
    def build(spec: MatmulSpec, loc: ir.Location) -> MatmulOp:
        """An operation with four empty regions at the current insertion point."""
        counts = [len(spec.operands[s]) for s in SEGMENTS]
        attributes = {
            "iterators": ir.ArrayAttr.get(
                [ir.StringAttr.get(i) for i in spec.iterators]
            ),
            "bounds": ir.DenseI64ArrayAttr.get(spec.bounds),
            "indexing_maps": ir.ArrayAttr.get(
                [ir.AffineMapAttr.get(m) for m in spec.maps]
            ),
            "operandSegmentSizes": ir.DenseI32ArrayAttr.get(counts),
        }
        op = ir.Operation.create(
            MatmulOp.OPERATION_NAME,
            results=list(spec.results),
            operands=[v for s in SEGMENTS for v in spec.operands[s]],
            attributes=attributes,
            regions=4,
            loc=loc,
        )
        return op.opview

    def _segment(self, name: str) -> list[ir.Value]:
        counts = list(self.attributes["operandSegmentSizes"])
        position = SEGMENTS.index(name)
        start = sum(counts[:position])
        return list(self.operands)[start : start + counts[position]]

    @property
    def lhs(self) -> list[ir.Value]:
        return self._segment("lhs")

    @property
    def rhs(self) -> list[ir.Value]:
        return self._segment("rhs")

    @property
    def extras(self) -> list[ir.Value]:
        return self._segment("extras")

    @property
    def lookups(self) -> list[ir.Value]:
        return self._segment("lookups")

    @property
    def sizes(self) -> list[ir.Value]:
        return self._segment("sizes")

    @property
    def iterators(self) -> list[str]:
        return [ir.StringAttr(a).value for a in self.attributes["iterators"]]

    @property
    def bounds(self) -> list[int | None]:
        """Sizes of the iteration dimensions; None where known at run time."""
        dynamic = ir.ShapedType.get_dynamic_size()
        bounds = ir.DenseI64ArrayAttr(self.attributes["bounds"])
        return [None if b == dynamic else b for b in bounds]

    @property
    def upper_bounds(self) -> list[int | None]:
        """What dynamic sizes do not exceed; None where nothing is promised."""
        if "upper_bounds" not in self.attributes:
            return [None] * len(self.iterators)
        bounds = ir.DenseI64ArrayAttr(self.attributes["upper_bounds"])
        return [None if b < 0 else b for b in bounds]

    @property
    def most_rows(self) -> int | None:
        """What the rows of C do not exceed, where a promise says so."""
        pairs = zip(self.upper_bounds, self.bounds, self.iterators, strict=True)
        sizes = [most or size for most, size, kind in pairs if kind == "m"]
        return None if None in sizes else math.prod(filter(None, sizes))

    def promise(self, upper_bounds: Sequence[int | None]) -> None:
        """Records what dynamic sizes do not exceed."""
        if any(b is not None for b in upper_bounds):
            numbers = [-1 if b is None else b for b in upper_bounds]
            self.attributes["upper_bounds"] = ir.DenseI64ArrayAttr.get(numbers)

    @property
    def maps(self) -> list[ir.AffineMap]:
        """One map for each value of the groups in INDEXED."""
        return [ir.AffineMapAttr(a).value for a in self.attributes["indexing_maps"]]

    def indexed(self, group: str) -> list[tuple[ir.Value, ir.AffineMap]]:
        """The values of one of the groups in INDEXED, each with its map."""
        sizes = [len(getattr(self, name)) for name in INDEXED]
        position = INDEXED.index(group)
        maps = self.maps[sum(sizes[:position]) :]
        return list(zip(getattr(self, group), maps, strict=False))

    @property
    def lhs_block(self) -> ir.Block:
        return self.regions[0].blocks[0]

    @property
    def rhs_block(self) -> ir.Block:
        return self.regions[1].blocks[0]

    @property
    def epilogue_block(self) -> ir.Block:
        return self.regions[2].blocks[0]

    @property
    def original_block(self) -> ir.Block:
        return self.regions[3].blocks[0]

    @property
    def strategy(self) -> str | None:
        """The chosen strategy's name; None before selection."""
        if "strategy" not in self.attributes:
            return None
        return ir.StringAttr(self.attributes["strategy"]).value

    @property
    def config(self) -> dict[str, int]:
        return _read_config(self.attributes["config"])

    @property
    def reason(self) -> str:
        """Why the product is left to IREE."""
        return ir.StringAttr(self.attributes["reason"]).value

    @property
    def stop(self) -> str:
        """Why the next reader of the result did not fold."""
        return (
            ir.StringAttr(self.attributes[STOP]).value
            if STOP in self.attributes
            else ""
        )

    @property
    def is_wide(self) -> bool:
        """Whether kernels read narrow elements from words: the target has no others."""
        return "wide" in self.attributes

    @property
    def cases(self) -> list[Case]:
        """What the program chooses from at run time before `strategy`, by rows."""
        if "cases" not in self.attributes:
            return []
        return [_read_case(ir.DictAttr(c)) for c in self.attributes["cases"]]

    def choose(self, strategy: str, config: object, cases: Sequence[Case] = ()) -> None:
        """Records the strategy and its configuration, a dataclass of integers.

        `cases` are for at most so many rows each, in increasing order.
        """
        self.attributes["strategy"] = ir.StringAttr.get(strategy)
        self.attributes["config"] = _config_attribute(config)
        if cases:
            self.attributes["cases"] = ir.ArrayAttr.get(
                list(map(_case_attribute, cases))
            )

    @property
    def passed_over(self) -> dict[str, str]:
        """Why strategies that come before the chosen one do not fit."""
        if "passed_over" not in self.attributes:
            return {}
        reasons = ir.DictAttr(self.attributes["passed_over"])
        return {e.name: ir.StringAttr(e.attr).value for e in reasons}

    def pass_over(self, reasons: Mapping[str, str]) -> None:
        """Records why strategies do not fit."""
        texts = {name: ir.StringAttr.get(why) for name, why in reasons.items()}
        if texts:
            self.attributes["passed_over"] = ir.DictAttr.get(texts)

    def leave(self, reason: str) -> None:
        """Records that IREE keeps the original operations, and why."""
        self.attributes["strategy"] = ir.StringAttr.get("iree")
        self.attributes["reason"] = ir.StringAttr.get(reason)

    def problems(self) -> list[str]:
        """What is wrong with the operation; empty where it is valid."""
        return problems_of(self)


def _config_attribute(config: object) -> ir.DictAttr:
    assert is_dataclass(config), "a configuration is a dataclass"
    assert not isinstance(config, type), "an instance, not the class"
    i64 = ir.IntegerType.get_signless(64)
    fields = {n: ir.IntegerAttr.get(i64, v) for n, v in asdict(config).items()}
    return ir.DictAttr.get(fields)


def _read_config(attribute: ir.Attribute) -> dict[str, int]:
    """Raises ValueError for an entry that is no 64-bit integer."""
    config = {}
    for entry in ir.DictAttr(attribute):
        if str(entry.attr.type) != "i64" or not isinstance(entry.attr, ir.IntegerAttr):
            raise ValueError(f"{entry.name} is {entry.attr}: not an i64")
        config[entry.name] = entry.attr.value
    return config


def _case_attribute(case: Case) -> ir.DictAttr:
    at_most = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), case.at_most)
    return ir.DictAttr.get(
        {
            "at_most": at_most,
            "strategy": ir.StringAttr.get(case.strategy),
            "config": _config_attribute(case.config),
        }
    )


def _read_case(entries: ir.DictAttr) -> Case:
    return Case(
        ir.IntegerAttr(entries["at_most"]).value,
        ir.StringAttr(entries["strategy"]).value,
        _read_config(entries["config"]),
    )


def yield_(values: Sequence[ir.Value], loc: ir.Location) -> None:
    """Ends a region of `gemm.matmul`."""
    ir.Operation.create("iree_linalg_ext.yield", operands=list(values), loc=loc)


def matmuls(module: ir.Operation) -> list[MatmulOp]:
    """All products of a module in order."""
    found: list[MatmulOp] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name == MatmulOp.OPERATION_NAME:
            found.append(op.opview)
        return ir.WalkResult.ADVANCE

    module.walk(visit)
    return found
