# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes text/torch_block.mlir: needs torch, which the tests do not."""

from pathlib import Path

import torch
import torch.nn.functional as F
from iree.compiler.extras.fx_importer import FxImporter

WIDTH, HEADS, INNER = 64, 4, 128


class Block(torch.nn.Module):
    """A transformer block without normalization; the weights are arguments."""

    def forward(self, x, *weights):
        """Causal attention and feed-forward, each with its residual."""
        qkv, qkv_bias, out, out_bias, up, up_bias, down, down_bias = weights
        x = x + self.attention(F.linear(x, qkv, qkv_bias), out, out_bias)
        inner = F.gelu(F.linear(x, up, up_bias), approximate="tanh")
        return x + F.linear(inner, down, down_bias)

    def attention(self, packed, out, out_bias):
        """Softmax attention of the packed query, key and value."""
        batch, tokens, _ = packed.shape
        split = packed.view(batch, tokens, 3, HEADS, WIDTH // HEADS)
        query, key, value = split.permute(2, 0, 3, 1, 4)
        scores = query @ key.transpose(-2, -1) / (WIDTH // HEADS) ** 0.5
        causal = torch.ones(tokens, tokens, dtype=torch.bool).tril()
        weights = scores.masked_fill(~causal, float("-inf")).softmax(-1)
        joined = (weights @ value).transpose(1, 2).reshape(batch, tokens, WIDTH)
        return F.linear(joined, out, out_bias)


def main() -> None:
    """Exports the block with a dynamic number of tokens."""
    shapes = [(3 * WIDTH, WIDTH), (WIDTH, WIDTH), (INNER, WIDTH), (WIDTH, INNER)]
    weights = [
        t for shape in shapes for t in (torch.zeros(shape), torch.zeros(shape[0]))
    ]
    arguments = (torch.zeros(2, 24, WIDTH), *weights)
    tokens = torch.export.Dim("tokens", min=2, max=512)
    dynamic = ({1: tokens}, tuple([None] * len(weights)))
    program = torch.export.export(Block(), arguments, dynamic_shapes=dynamic)
    importer = FxImporter()
    importer.import_program(program.run_decompositions({}), func_name="main")
    importer.module.operation.verify()
    text = Path(__file__).parent / "text" / "torch_block.mlir"
    text.write_text(str(importer.module))


if __name__ == "__main__":
    main()
