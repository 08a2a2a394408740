# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `pip wheel .` builds."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [
            *(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", str(ROOT)),
            f"--wheel-dir={folder}",
            f"--config-settings=build-dir={folder / 'build'}",
        ],
        check=True,
    )
    return next(folder.glob("*.whl"))


def test_serves_every_python_of_the_platform(wheel):
    _, _, python, abi, platform = wheel.stem.split("-")
    assert (python, abi) == ("py3", "none")
    assert platform != "any"


def test_holds_the_three_folders_as_one_package(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    packages = {name.split("/")[0] for name in names if ".dist-info" not in name}
    assert packages == {"iree_gemm"}
    for folder, package in (
        ("python/iree_gemm", "iree_gemm"),
        ("passes", "iree_gemm/passes"),
        ("dialects", "iree_gemm/dialects"),
    ):
        sources = list((ROOT / folder).rglob("*.py"))
        assert sources
        for path in sources:
            assert f"{package}/{path.relative_to(ROOT / folder)}" in names


def test_holds_the_library_the_dialect_and_the_license(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert "iree_gemm/_plugin/libiree_gemm_plugin.so" in names
    assert "iree_gemm/dialects/gemm.irdl.mlir" in names
    assert "iree_gemm/py.typed" in names
    assert any(name.endswith("licenses/LICENSE") for name in names)
