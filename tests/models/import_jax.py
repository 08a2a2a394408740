# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes text/jax_block.mlir: needs jax, which the tests do not."""

from pathlib import Path

import jax
import jax.numpy as jnp

WIDTH, HEADS, GROUPS, SIZE, INNER, TOKENS = 64, 4, 2, 16, 96, 40


def main(x, *weights):
    """Grouped-query attention and a gated feed-forward, each with its residual."""
    query, key, value, out, gate, up, down = weights
    q = jnp.einsum("btw,wgrd->btgrd", x, query)
    k = jnp.einsum("btw,wgd->btgd", x, key)
    v = jnp.einsum("btw,wgd->btgd", x, value)
    scores = jnp.einsum("bqgrd,bkgd->bgrqk", q, k) * SIZE**-0.5
    mixed = jnp.einsum("bgrqk,bkgd->bqgrd", jax.nn.softmax(scores), v)
    x = x + jnp.einsum("bqgrd,grdw->bqw", mixed, out)
    return x + (jax.nn.silu(x @ gate) * (x @ up)) @ down


SHAPES = (
    (2, TOKENS, WIDTH),
    (WIDTH, GROUPS, HEADS // GROUPS, SIZE),
    (WIDTH, GROUPS, SIZE),
    (WIDTH, GROUPS, SIZE),
    (GROUPS, HEADS // GROUPS, SIZE, WIDTH),
    (WIDTH, INNER),
    (WIDTH, INNER),
    (INNER, WIDTH),
)

if __name__ == "__main__":
    arguments = [jax.ShapeDtypeStruct(shape, jnp.float32) for shape in SHAPES]
    text = Path(__file__).parent / "text" / "jax_block.mlir"
    text.write_text(jax.jit(main).lower(*arguments).as_text())
