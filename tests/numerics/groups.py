# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The products that share a module, and with which sizes each is called."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from devices import TestTarget
from element_types import F32, TYPES, Types
from products import Product
from shapes import BATCHED, LAYOUT_SHAPES, SHAPES, TYPE_SHAPES, Shape

LAYOUTS = ("NN", "TT", "NT", "TN")


@dataclass(frozen=True)
class Group:
    """Products for one module; those with run-time sizes are called with `shapes`.

    A target whose kernels take seconds to prepare does the first `essential` of them.
    """

    name: str
    products: Sequence[Product]
    shapes: Sequence[Shape] = ()
    essential: int = 1

    def __str__(self) -> str:
        return self.name

    def products_for(self, target: TestTarget) -> Sequence[Product]:
        return self.products[: self.essential] if target.is_slow else self.products

    def calls_of(self, product: Product) -> list[Product]:
        """The product with the sizes of each call; static sizes stay as they are."""
        if not product.dynamic:
            return [product]
        return [product.with_shape(s) for s in self.shapes if _accepts(product, s)]


def _accepts(product: Product, shape: Shape) -> bool:
    """Whether a function of the product takes operands of that shape."""
    sizes = zip(product.shape.sizes, shape.sizes, strict=True)
    return all(
        a == b or axis in product.dynamic
        for axis, (a, b) in zip("bmnk", sizes, strict=True)
    )


def _of_types(types: Types) -> Group:
    odd, aligned = TYPE_SHAPES
    return Group(
        str(types),
        [
            Product(odd, types),
            Product(aligned, types, "NT"),
            Product(aligned, types),
            Product(odd, types, "TN", dynamic="mnk"),
        ],
        (*LAYOUT_SHAPES, Shape(1, 33, 70)),
        essential=2,
    )


GROUPS = (
    Group("shapes", [Product(s) for s in SHAPES], essential=2),
    Group(
        "layouts",
        [Product(s, layout=a) for s in LAYOUT_SHAPES for a in LAYOUTS[1:]],
        essential=3,
    ),
    Group(
        "dynamic",
        [Product(Shape(1, 1, 1), layout=a, dynamic="mnk") for a in LAYOUTS],
        SHAPES,
        essential=2,
    ),
    Group(
        "few_rows",
        [
            Product(Shape(4, 96, 768)),
            Product(Shape(4, 96, 768), layout="NT"),
            Product(Shape(1, 33, 129)),
            Product(Shape(3, 17, 5), layout="NT"),
            Product(Shape(2, 8200, 36)),
        ],
        essential=2,
    ),
    Group(
        "long_k",
        [
            Product(Shape(65, 32, 515), layout="NT"),
            Product(Shape(5, 33, 300, batch=2)),
            Product(Shape(64, 64, 1024)),
        ],
    ),
    Group(
        "partly_dynamic",
        [
            Product(Shape(1, 768, 768), dynamic="m"),
            Product(Shape(128, 1, 768), layout="NT", dynamic="n"),
            Product(Shape(64, 64, 1), dynamic="k"),
        ],
        [
            *(Shape(m, 768, 768) for m in (1, 3, 64, 130)),
            *(Shape(128, n, 768) for n in (1, 5, 96)),
            *(Shape(64, 64, k) for k in (1, 16, 127, 300)),
        ],
    ),
    *map(_of_types, (types for types in TYPES if types != F32)),
    Group(
        "batched",
        [
            Product(BATCHED[-1], layout="NT", shared="rhs"),
            Product(BATCHED[-1], layout="TN", shared="lhs"),
            Product(BATCHED[-1], dynamic="bmnk"),
            *map(Product, BATCHED),
        ],
        BATCHED,
    ),
)
