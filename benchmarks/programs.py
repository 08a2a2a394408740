# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The MLIR text of a case, as a model would spell it."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.cases import Case

_EPILOGUES = {
    "bias": ("%s = arith.addf %x, %y : {t}", "%s"),
    "residual": ("%s = arith.addf %x, %y : {t}", "%s"),
    "bias_relu": (
        "%s = arith.addf %x, %y : {t}\n      %r = arith.maximumf %s, %zero : {t}",
        "%r",
    ),
    "bias_gelu": (
        "%s = arith.addf %x, %y : {t}\n"
        "      %q = arith.mulf %s, %root : {t}\n"
        "      %w = math.erf %q : {t}\n"
        "      %p = arith.addf %w, %one : {t}\n"
        "      %h = arith.mulf %s, %half : {t}\n"
        "      %r = arith.mulf %h, %p : {t}",
        "%r",
    ),
}


def program(case: Case) -> str:
    """A function `main` of A, B and what the epilogue reads."""
    lines = [
        f"func.func @main({_parameters(case)}) -> {_tensor(case, case.result)} {{",
        *_product(case),
        *([] if case.epilogue == "none" else _epilogue(case)),
        f"    return %c : {_tensor(case, case.result)}",
        "}\n",
    ]
    return "\n".join(lines)


def _parameters(case: Case) -> str:
    types = [case.type, case.type, case.result]
    names = ("%a", "%b", "%d")
    return ", ".join(
        f"{name}: {_shaped(shape, type_)}"
        for name, shape, type_ in zip(names, case.shapes, types, strict=False)
    )


def _product(case: Case) -> list[str]:
    sum_type = "i32" if case.type == "i8" else "f32"
    total, result = _tensor(case, sum_type), _tensor(case, case.result)
    a, b = (_shaped(shape, case.type) for shape in case.shapes[:2])
    zero = "0" if sum_type == "i32" else "0.0"
    kind = "linalg.batch_matmul" if case.batch > 1 else "linalg.matmul"
    is_rounded = case.result != sum_type
    product = "%wide" if is_rounded else _product_name(case)
    lines = [
        f"    %z = arith.constant {zero} : {sum_type}",
        f"    %e = tensor.empty() : {total}",
        f"    %f = linalg.fill ins(%z : {sum_type}) outs(%e : {total}) -> {total}",
        f"    {product} = {kind}{_maps(case)} ins(%a, %b : {a}, {b})"
        f" outs(%f : {total}) -> {total}",
    ]
    if is_rounded:
        cast = f"arith.truncf %wide : {total} to {result}"
        lines.append(f"    {_product_name(case)} = {cast}")
    return lines


def _product_name(case: Case) -> str:
    return "%c" if case.epilogue == "none" else "%product"


def _maps(case: Case) -> str:
    if case.layout == "nn":
        return ""
    batch = ["b"] if case.batch > 1 else []
    a = ["m", "k"] if case.layout[0] == "n" else ["k", "m"]
    b = ["k", "n"] if case.layout[1] == "n" else ["n", "k"]
    dims = ", ".join([*batch, "m", "n", "k"])
    maps = ", ".join(
        f"affine_map<({dims}) -> ({', '.join([*batch, *side])})>"
        for side in (a, b, ["m", "n"])
    )
    return f" indexing_maps = [{maps}]"


def _epilogue(case: Case) -> list[str]:
    result = _tensor(case, case.result)
    dims = ("b", "m", "n") if case.batch > 1 else ("m", "n")
    read = dims if case.epilogue == "residual" else ("n",)
    maps = ", ".join(
        f"affine_map<({', '.join(dims)}) -> ({', '.join(side)})>"
        for side in (dims, read, dims)
    )
    body, yielded = _EPILOGUES[case.epilogue]
    kinds = ", ".join(['"parallel"'] * len(dims))
    t = case.result
    return [
        f"    %zero = arith.constant 0.0 : {t}",
        f"    %one = arith.constant 1.0 : {t}",
        f"    %half = arith.constant 0.5 : {t}",
        f"    %root = arith.constant 0.70710678 : {t}",
        f"    %o = tensor.empty() : {result}",
        f"    %c = linalg.generic {{indexing_maps = [{maps}],"
        f" iterator_types = [{kinds}]}}"
        f" ins(%product, %d : {result}, {_shaped(case.shapes[2], t)})"
        f" outs(%o : {result}) {{",
        f"    ^bb0(%x: {t}, %y: {t}, %old: {t}):",
        f"      {body.format(t=t)}",
        f"      linalg.yield {yielded} : {t}",
        f"    }} -> {result}",
    ]


def _tensor(case: Case, element: str) -> str:
    batch = (case.batch,) if case.batch > 1 else ()
    return _shaped((*batch, case.m, case.n), element)


def _shaped(shape: Sequence[int], element: str) -> str:
    return f"tensor<{'x'.join(map(str, shape))}x{element}>"
