# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products lowered with a given configuration and executed by the interpreter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
from iree.compiler import ir

from interpreter import run_function
from iree_gemm.dialects.gemm import matmuls
from iree_gemm.options import Options
from iree_gemm.passes import driver
from iree_gemm.targets import assign_device

DTYPES = {
    "f32": np.dtype(np.float32),
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "i8": np.dtype(np.int8),
    "i32": np.dtype(np.int32),
}
_LHS = {"N": "(b, m, k)", "T": "(b, k, m)"}
_RHS = {"N": "(b, k, n)", "T": "(b, n, k)"}
_ORDER = {"N": (0, 1, 2), "T": (0, 2, 1)}
_DIMS = "(b, m, n, k)"


@dataclass(frozen=True)
class Product:
    """C = op(A) op(B) for `batch` matrices; `types` are those of A, B and C.

    `epilogue` is the body of a linalg.generic over the product `%x` and the column
    bias `%y`, in the type of C. With `shared_rhs`, all matrices have one B.
    """

    m: int
    n: int
    k: int
    types: tuple[str, str, str]
    layout: str = "NN"
    batch: int = 1
    shared_rhs: bool = False
    epilogue: str = ""

    @property
    def text(self) -> str:
        a, b, c, bias = (self._tensor(x, t) for x, t in self._operands())
        rhs = _RHS[self.layout[1]].replace("b, ", "" if self.shared_rhs else "b, ")
        maps = ", ".join(
            f"affine_map<{_DIMS} -> {results}>"
            for results in (_LHS[self.layout[0]], rhs, "(b, m, n)")
        )
        zero = "0" if self.types[2] == "i32" else "0.0"
        return f"""
          func.func @f(%a: {a}, %b: {b}, %bias: {bias}) -> {c} {{
            %zero = arith.constant {zero} : {self.types[2]}
            %e = tensor.empty() : {c}
            %f = linalg.fill ins(%zero : {self.types[2]}) outs(%e : {c}) -> {c}
            %p = linalg.batch_matmul indexing_maps = [{maps}]
              ins(%a, %b : {a}, {b}) outs(%f : {c}) -> {c}
            {self._consumer(c, bias)}
          }}"""

    def operands(self) -> list[np.ndarray]:
        """A, B and bias of small integers, whose products are exact."""
        random = np.random.default_rng(self.m + self.n + self.k)
        a, b, _, bias = self._operands()
        return [
            random.integers(-3, 4, shape).astype(DTYPES[type_])
            for shape, type_ in (a, b, bias)
        ]

    def exact(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """The product in float64."""
        a = a.astype(np.float64).transpose(_ORDER[self.layout[0]])
        b = b.astype(np.float64)
        if self.shared_rhs:
            b = b[None]
        return a @ b.transpose(_ORDER[self.layout[1]])

    def _operands(self) -> list[tuple[tuple[int, ...], str]]:
        a = (self.batch, *((self.m, self.k)[:: 1 if self.layout[0] == "N" else -1]))
        b = (self.batch, *((self.k, self.n)[:: 1 if self.layout[1] == "N" else -1]))
        c = (self.batch, self.m, self.n)
        shapes = (a, b[1:] if self.shared_rhs else b, c, (self.n,))
        return list(zip(shapes, (*self.types, self.types[2]), strict=True))

    def _tensor(self, shape: tuple[int, ...], type_: str) -> str:
        return f"tensor<{'x'.join(map(str, shape))}x{type_}>"

    def _consumer(self, c: str, bias: str) -> str:
        if not self.epilogue:
            return f"return %p : {c}"
        element = self.types[2]
        return f"""
            %r = linalg.generic {{
                indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>,
                  affine_map<(b, m, n) -> (n)>, affine_map<(b, m, n) -> (b, m, n)>],
                iterator_types = ["parallel", "parallel", "parallel"]}}
              ins(%p, %bias : {c}, {bias}) outs(%e : {c}) {{
            ^bb0(%x: {element}, %y: {element}, %o: {element}):
              {self.epilogue}
            }} -> {c}
            return %r : {c}"""


def run(
    product: Product,
    choice: tuple[str, Any] | None = None,
    target: str = "ampere",
    variant: str | None = None,
) -> tuple[np.ndarray, list[np.ndarray]]:
    """The result and the operands; `choice` is a strategy's name and configuration."""
    operands = product.operands()
    with ir.Context() as context, ir.Location.unknown():
        context.allow_unregistered_dialects = True
        module = lowered(product.text, choice, target)
        (function,) = (op for op in module.body.operations if _is_function(op))
        (result,) = run_function(function, operands, variant)
    return result, operands


def lowered(text: str, choice: tuple[str, Any] | None, target: str) -> ir.Module:
    """The module with kernels."""
    module = ir.Module.parse(text)
    assign_device(module, target)
    options = Options(strategy="cooperative")
    for name in ("gemm-raise-contractions", "gemm-select-strategy"):
        assert driver.run_pass(name, module.operation, options)
    for op in matmuls(module.operation):
        if choice is not None:
            op.choose(*choice)
    assert driver.run_pass("gemm-lower-kernels", module.operation, options)
    module.operation.verify()
    return module


def _is_function(op: ir.OpView) -> bool:
    return op.operation.name == "func.func"
