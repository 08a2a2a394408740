# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every model of the corpus: its result on Vulkan, and the share that is taken."""

import numpy as np
import pytest
from reloading import Reloading

import iree_gemm
from iree_gemm.report import read_report, render_table
from models.corpus import MODELS, Model


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_model_is_right_and_taken(model: Model, tmp_path):
    if model.builder.startswith("onnx"):
        pytest.importorskip("onnx")
    built = model.build()
    report = tmp_path / "report.json"
    vmfb = iree_gemm.compile(built.source, target="llvmpipe", report=str(report))
    rows = read_report(report)
    share = sum(row.is_taken for row in rows), len(rows)
    assert share == (model.taken, model.products), "\n" + render_table(rows)
    result = Reloading(vmfb).call("main", *built.inputs)
    assert relative_error(result, built.expected) <= model.bound


def relative_error(result: np.ndarray, expected: np.ndarray) -> float:
    assert result.shape == expected.shape
    difference = result.astype(np.float64) - expected
    return np.abs(difference).max() / np.abs(expected).max()
