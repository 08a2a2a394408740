# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions around products, as MLIR text."""

from __future__ import annotations

from products import Product

_CAST = "%y = arith.truncf %x : f32 to "


def fused(product: Product) -> str:
    """The product and its epilogue in one function."""
    epilogue = product.epilogue
    init = f"%extra{len(epilogue.extras) - 1}" if epilogue.accumulates else None
    lines, done = _sum(product, init), "%sum"
    if epilogue.body and not epilogue.accumulates:
        lines += _epilogue(product)
        done = "%done"
    lines += _returned(product, done)
    arguments = [*_sides(product), *_extras(product)]
    return _function(product.name, arguments, _result_type(product), lines)


def plain(product: Product) -> str:
    """The product alone, its sums not rounded to the type of the result."""
    name = f"{product.name}_plain"
    return _function(name, _sides(product), *_plain_sum(product, []))


def separate(product: Product) -> str:
    """The epilogue alone, as a function of the sums."""
    lines = _sizes(product, {"sum": (product.result_axes, product.types.accumulator)})
    done = "%sum"
    if product.epilogue.body:
        lines += _epilogue(product)
        done = "%done"
    lines += _returned(product, done)
    arguments = [f"%sum: {_sum_type(product)}", *_extras(product)]
    name = f"{product.name}_separate"
    return _function(name, arguments, _result_type(product), lines)


def of_slices(product: Product, margin: int) -> str:
    """The product of slices of operands that are larger by `margin` on each side."""
    lines, arguments = [], []
    for name, axes, element in _operands(product):
        extents = product.extents(axes)
        larger = "x".join(str(extent + 2 * margin) for extent in extents)
        arguments.append(f"%larger_{name}: tensor<{larger}x{element}>")
        lines.append(
            f"%{name} = tensor.extract_slice %larger_{name}"
            f"{[margin] * len(axes)} {list(extents)} {[1] * len(axes)}"
            f" : tensor<{larger}x{element}> to {product.type(axes, element)}"
        )
    return _function(product.name, arguments, *_plain_sum(product, lines))


def of_experts(product: Product, count: int) -> str:
    """The product of one A of `count` and of one B.

    The host knows which A, and the second element of a tensor which B.
    """
    lines = [
        "%one = arith.constant 1 : index",
        "%read = tensor.extract %which_b[%one] : tensor<2xi32>",
        "%at_b = arith.index_cast %read : i32 to index",
    ]
    arguments = ["%at_a: index", "%which_b: tensor<2xi32>"]
    for name, axes, element in _operands(product):
        sizes = [1, *product.extents(axes)]
        all_of_them = "x".join(map(str, (count, *sizes[1:])))
        arguments.append(f"%all_{name}: tensor<{all_of_them}x{element}>")
        lines.append(
            f"%{name} = tensor.extract_slice %all_{name}[%at_{name}{', 0' * len(axes)}]"
            f" {sizes} {[1] * len(sizes)}"
            f" : tensor<{all_of_them}x{element}> to {product.type(axes, element)}"
        )
    return _function(product.name, arguments, *_plain_sum(product, lines))


def _operands(product: Product) -> list[tuple[str, str, str]]:
    return [
        ("a", product.lhs_axes, product.types.lhs),
        ("b", product.rhs_axes, product.types.rhs),
    ]


def _plain_sum(product: Product, lines: list[str]) -> tuple[str, list[str]]:
    """The type and the lines that return the product of %a and %b."""
    type_ = _sum_type(product)
    return type_, [*lines, *_sum(product, None), f"return %sum : {type_}"]


def _function(name: str, arguments: list[str], result: str, lines: list[str]) -> str:
    head = f"func.func @{name}({', '.join(arguments)}) -> {result} {{"
    return "\n  ".join([head, *lines]) + "\n}\n"


def _sides(product: Product) -> list[str]:
    types = product.types
    return [
        f"%a: {product.type(product.lhs_axes, types.lhs)}",
        f"%b: {product.type(product.rhs_axes, types.rhs)}",
    ]


def _extras(product: Product) -> list[str]:
    return [
        f"%extra{n}: {product.type(axes, product.types.accumulator)}"
        for n, axes in enumerate(product.extra_axes)
    ]


def _sum_type(product: Product) -> str:
    return product.type(product.result_axes, product.types.accumulator)


def _stored_axes(product: Product) -> str:
    axes = product.result_axes
    return axes[:-2] + axes[:-3:-1] if product.epilogue.transposes else axes


def _result_type(product: Product) -> str:
    return product.type(_stored_axes(product), product.types.result)


def _sizes(product: Product, operands: dict[str, tuple[str, str]]) -> list[str]:
    """The run-time sizes of the result, as %size_m and so on, from axes of operands."""
    lines = []
    for axis in product.result_axes:
        if axis not in product.dynamic:
            continue
        name, (axes, element) = next(o for o in operands.items() if axis in o[1][0])
        type_ = product.type(axes, element)
        lines.append(f"%at_{axis} = arith.constant {axes.index(axis)} : index")
        lines.append(f"%size_{axis} = tensor.dim %{name}, %at_{axis} : {type_}")
    return lines


def _empty(product: Product, name: str, axes: str, element: str) -> str:
    sizes = ", ".join(f"%size_{axis}" for axis in axes if axis in product.dynamic)
    return f"{name} = tensor.empty({sizes}) : {product.type(axes, element)}"


def _sum(product: Product, init: str | None) -> list[str]:
    """%sum = init + op(A) op(B); no init is zero."""
    types, type_ = product.types, _sum_type(product)
    operands = {"a": (product.lhs_axes, types.lhs), "b": (product.rhs_axes, types.rhs)}
    lines = _sizes(product, operands)
    if init is None:
        init, zero = "%filled", "0" if types.accumulator == "i32" else "0.0"
        lines += [
            f"%none = arith.constant {zero} : {types.accumulator}",
            _empty(product, "%empty", product.result_axes, types.accumulator),
            f"%filled = linalg.fill ins(%none : {types.accumulator})"
            f" outs(%empty : {type_}) -> {type_}",
        ]
    axes = (product.lhs_axes, product.rhs_axes, product.result_axes)
    maps = _maps(product.result_axes + "k", axes)
    a, b = (product.type(*operand) for operand in operands.values())
    lines.append(
        f"%sum = linalg.contract indexing_maps = [{maps}] ins(%a, %b : {a}, {b})"
        f" outs({init} : {type_}) -> {type_}"
    )
    return lines


def _epilogue(product: Product) -> list[str]:
    return _elementwise(product, "done", "sum", product.epilogue.body)


def _returned(product: Product, value: str) -> list[str]:
    """Returns a value in the type of the result."""
    types, lines = product.types, []
    if types.result != types.accumulator:
        lines = _elementwise(product, "narrow", value[1:], _CAST + types.result)
        value = "%narrow"
    return [*lines, f"return {value} : {_result_type(product)}"]


def _elementwise(product: Product, name: str, source: str, body: str) -> list[str]:
    """A generic operation: the epilogue on %sum, or the cast of what comes of it."""
    wide = product.types.accumulator
    stored, is_cast = _stored_axes(product), name == "narrow"
    axes = [] if is_cast else product.extra_axes
    first = stored if is_cast else product.result_axes
    result = product.type(stored, product.types.result if is_cast else wide)
    types = ", ".join(product.type(a, wide) for a in (first, *axes))
    values = ", ".join([f"%{source}", *(f"%extra{n}" for n in range(len(axes)))])
    arguments = ", ".join(["%x", *(f"%e{n}" for n in range(len(axes)))])
    inputs = ", ".join(f"{a}: {wide}" for a in arguments.split(", "))
    element = product.types.result if is_cast else wide
    iterators = ", ".join(['"parallel"'] * len(stored))
    return [
        _empty(product, f"%{name}_empty", stored, element),
        f"%{name} = linalg.generic {{indexing_maps ="
        f" [{_maps(product.result_axes, (first, *axes, stored))}],"
        f" iterator_types = [{iterators}]}} ins({values} : {types})"
        f" outs(%{name}_empty : {result}) {{",
        f"^bb0({inputs}, %out: {element}):",
        f"  {body.strip()}",
        f"  linalg.yield %y : {element}",
        f"}} -> {result}",
    ]


def _maps(domain: str, operands: tuple[str, ...]) -> str:
    dims = ", ".join(domain)
    return ", ".join(f"affine_map<({dims}) -> ({', '.join(o)})>" for o in operands)
