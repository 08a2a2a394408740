# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Turns sentences into token ids with the tokenizer file of the model."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import tokenizers


def tokenize(folder: Path, sentences: Sequence[str]) -> list[np.ndarray]:
    """The ids of each sentence, as 1 x tokens, without padding."""
    tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    encodings = tokenizer.encode_batch(list(sentences))
    return [np.array([encoding.ids], np.int64) for encoding in encodings]


def pad(ids: np.ndarray, length: int) -> tuple[np.ndarray, np.ndarray]:
    """The ids and the attention mask, filled up with padding to `length` tokens."""
    missing = length - ids.shape[1]
    if missing < 0:
        message = f"a sentence of {ids.shape[1]} tokens does not fit into {length}"
        raise SystemExit(f"{message}: shorten it, or raise --length")
    fill = [(0, 0), (0, missing)]
    return np.pad(ids, fill), np.pad(np.ones_like(ids), fill)
