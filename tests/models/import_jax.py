# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the text of the models from JAX: needs jax, which the tests do not."""

from pathlib import Path

import jax
import jax.numpy as jnp

WIDTH, HEADS, GROUPS, SIZE, INNER, TOKENS = 64, 4, 2, 16, 96, 40
EXPERTS = 4


def block(x, *weights):
    """Grouped-query attention and a gated feed-forward, each with its residual."""
    query, key, value, out, gate, up, down = weights
    q = jnp.einsum("btw,wgrd->btgrd", x, query)
    k = jnp.einsum("btw,wgd->btgd", x, key)
    v = jnp.einsum("btw,wgd->btgd", x, value)
    scores = jnp.einsum("bqgrd,bkgd->bgrqk", q, k) * SIZE**-0.5
    mixed = jnp.einsum("bgrqk,bkgd->bqgrd", jax.nn.softmax(scores), v)
    x = x + jnp.einsum("bqgrd,grdw->bqw", mixed, out)
    return x + (jax.nn.silu(x @ gate) * (x @ up)) @ down


def routed_experts(x, router, up, down):
    """One token goes to the two experts whose gates are the greatest."""
    gates = jax.nn.softmax(x @ router)
    result = x
    for _ in range(2):
        chosen = jnp.argmax(gates[0])
        result += gates[:, chosen, None] * (jax.nn.relu(x @ up[chosen]) @ down[chosen])
        gates = gates.at[0, chosen].set(0)
    return result


BLOCK = (
    (2, TOKENS, WIDTH),
    (WIDTH, GROUPS, HEADS // GROUPS, SIZE),
    (WIDTH, GROUPS, SIZE),
    (WIDTH, GROUPS, SIZE),
    (GROUPS, HEADS // GROUPS, SIZE, WIDTH),
    (WIDTH, INNER),
    (WIDTH, INNER),
    (INNER, WIDTH),
)
ROUTED_EXPERTS = (
    (1, WIDTH),
    (WIDTH, EXPERTS),
    (EXPERTS, WIDTH, INNER),
    (EXPERTS, INNER, WIDTH),
)


def write(name, function, shapes):
    arguments = [jax.ShapeDtypeStruct(shape, jnp.float32) for shape in shapes]
    text = Path(__file__).parent / "text" / f"{name}.mlir"
    text.write_text(jax.jit(function).lower(*arguments).as_text())


if __name__ == "__main__":
    write("jax_block", block, BLOCK)
    write("routed_experts", routed_experts, ROUTED_EXPERTS)
