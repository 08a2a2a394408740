# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What follows a product: MLIR text over the sum and over more operands."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Epilogue:
    """`body` makes %y from the sum %x and from %e0, %e1, ... of the accumulator's type.

    `extras` names the axes of each further operand, of "bmn". The sum is added to the
    last of them by the product itself where `accumulates`.
    """

    name: str
    body: str = ""
    extras: tuple[str, ...] = ()
    accumulates: bool = False
    transposes: bool = False


NONE = Epilogue("")

_RELU = """
    %zero = arith.constant 0.0 : f32
    %y = arith.maximumf %x, %zero : f32"""
_SCALED_BIAS = """
    %scale = arith.constant 0.1767767 : f32
    %scaled = arith.mulf %x, %scale : f32
    %y = arith.addf %scaled, %e0 : f32"""
_GELU_ERF = """
    %biased = arith.addf %x, %e0 : f32
    %root = arith.constant 0.707106769 : f32
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %inner = arith.mulf %biased, %root : f32
    %erf = math.erf %inner : f32
    %more = arith.addf %erf, %one : f32
    %halved = arith.mulf %biased, %half : f32
    %y = arith.mulf %halved, %more : f32"""
_GELU_TANH = """
    %cubic = arith.constant 4.471500e-02 : f32
    %root = arith.constant 0.797884583 : f32
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %square = arith.mulf %x, %x : f32
    %cube = arith.mulf %square, %x : f32
    %bent = arith.mulf %cube, %cubic : f32
    %added = arith.addf %x, %bent : f32
    %inner = arith.mulf %added, %root : f32
    %tanh = math.tanh %inner : f32
    %more = arith.addf %tanh, %one : f32
    %halved = arith.mulf %x, %half : f32
    %y = arith.mulf %halved, %more : f32"""
_SILU = """
    %one = arith.constant 1.0 : f32
    %negated = arith.negf %x : f32
    %power = math.exp %negated : f32
    %more = arith.addf %power, %one : f32
    %y = arith.divf %x, %more : f32"""
_RESIDUAL = """
    %biased = arith.addf %x, %e0 : f32
    %y = arith.addf %biased, %e1 : f32"""

EPILOGUES = (
    Epilogue("accumulate", "%y = arith.addf %x, %e0 : f32", ("bmn",), accumulates=True),
    Epilogue("relu", _RELU),
    Epilogue("scaled_bias", _SCALED_BIAS, ("n",)),
    Epilogue("row_bias", "%y = arith.addf %x, %e0 : f32", ("m",)),
    Epilogue("batch_bias", "%y = arith.addf %x, %e0 : f32", ("b",)),
    Epilogue("gelu_erf", _GELU_ERF, ("n",)),
    Epilogue("gelu_tanh", _GELU_TANH),
    Epilogue("silu", _SILU),
    Epilogue("residual", _RESIDUAL, ("n", "bmn")),
    Epilogue("transposed", "%y = arith.addf %x, %e0 : f32", ("n",), transposes=True),
)
