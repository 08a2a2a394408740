# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The script for Mac users, on the CPU device of the runtime."""

import importlib.util
import json
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest
from metal_modules import COMPILER

from iree_gemm.metal import kernels_of

SCRIPT = Path(__file__).parents[2] / "samples" / "metal" / "metal_check.py"
CPU = [
    "--iree-hal-target-device=local",
    "--iree-hal-local-target-device-backends=llvm-cpu",
    "--iree-llvmcpu-target-cpu=generic",
]


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("metal_check", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules["metal_check"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def folder(script, tmp_path_factory) -> Path:
    """Modules of three cases as `stock`; the other strategies did not compile."""
    path = tmp_path_factory.mktemp("modules")
    cases = [
        script.Case(64, 32, 48),
        script.Case(9, 10, 11, "f16"),
        script.Case(9, 10, 11, "i8"),
    ]
    problems = {}
    for case in cases:
        source = path / f"{case.name}.mlir"
        source.write_text(script.module_text(case))
        output = path / f"{case.name}-stock.vmfb"
        subprocess.run([COMPILER, *CPU, source, "-o", output], check=True)
        problems |= {f"{case.name}-{s}": "error: none" for s in ("simdgroup", "tile")}
    index = {"cases": [asdict(case) for case in cases], "problems": problems}
    (path / "index.json").write_text(json.dumps(index))
    return path


def test_table(script, folder, capsys):
    assert script.run(folder, "local-task") == 0
    rows = capsys.readouterr().out.splitlines()
    assert len(rows) == 2 + 3 * len(script.STRATEGIES)
    assert sum("error: none" in row for row in rows) == 6
    assert not any("WRONG" in row or "failed" in row for row in rows)


def test_wrong_result_shows(script, folder, capsys, monkeypatch):
    monkeypatch.setattr(script, "TOLERANCE", 0.0)
    assert script.run(folder, "local-task") == 1
    assert "WRONG" in capsys.readouterr().out


def test_unknown_device_is_a_row(script, folder, capsys):
    assert script.run(folder, "no-such-device") == 1
    assert "failed" in capsys.readouterr().out


def test_build(script, tmp_path, monkeypatch):
    """Every strategy compiles; a product of integers is the one with most to do."""
    case = script.Case(65, 64, 40, "i8")
    monkeypatch.setattr(script, "CASES", (case,))
    assert script.build(tmp_path, "metal") == 0
    index = json.loads((tmp_path / "index.json").read_text())
    # IREE itself has no way for i8.
    assert set(index["problems"]) <= {f"{case.name}-stock"}
    vmfb = (tmp_path / f"{case.name}-simdgroup.vmfb").read_bytes()
    texts = [kernel.text for name, kernel in kernels_of(vmfb) if "gemm" in name]
    assert texts
    assert all("simdgroup_multiply_accumulate" in text for text in texts)
