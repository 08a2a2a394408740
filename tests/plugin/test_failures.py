# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a user reads when something is missing or broken: one clear error each."""

import sys
import venv
from pathlib import Path

HASH = (0x27493EE2EDDC0611).to_bytes(8, "little")
OTHER_HASH = (0x0123456789ABCDEF).to_bytes(8, "little")
PYTHON = f"python{sys.version_info.major}.{sys.version_info.minor}"


def errors(result) -> list[str]:
    return [line for line in result.stderr.splitlines() if "error:" in line]


def install(environment: Path, plugin: Path) -> Path:
    """A copy of the library where pip would have put it in an environment."""
    folder = environment / "lib" / PYTHON / "site-packages" / "iree_gemm" / "_plugin"
    folder.mkdir(parents=True)
    copy = folder / plugin.name
    copy.write_bytes(plugin.read_bytes())
    return copy


def install_with_interpreter(environment: Path, plugin: Path, script: str) -> Path:
    copy = install(environment, plugin)
    interpreter = environment / "bin" / PYTHON
    interpreter.parent.mkdir()
    interpreter.write_text(f"#!/bin/sh\n{script}\n")
    interpreter.chmod(0o755)
    return copy


def test_another_compiler_version_is_refused_with_both(stock, plugin, tmp_path):
    library = plugin.read_bytes()
    assert library.count(HASH) == 1
    other = tmp_path / "other.so"
    other.write_bytes(library.replace(HASH, OTHER_HASH))
    result = stock.compile(other)
    assert result.returncode != 0
    assert "0123456789abcdef, this compiler has 27493ee2eddc0611" in result.stderr
    assert not stock.output.exists()


def test_exception_becomes_a_diagnostic_with_the_traceback(
    stock, plugin, broken_passes
):
    result = stock.compile(plugin, PYTHONPATH=broken_passes)
    assert result.returncode != 0
    assert errors(result) == [
        "product.mlir:0:0: error: internal error in gemm-select-strategy:"
        " ZeroDivisionError: broken on purpose"
    ]
    assert "note: Traceback (most recent call last):" in result.stderr
    assert "note: ZeroDivisionError: broken on purpose" in result.stderr
    assert not stock.output.exists()


def test_interpreter_without_the_package(stock, plugin, tmp_path):
    environment = tmp_path / "empty"
    venv.create(environment, symlinks=True)
    result = stock.compile(install(environment, plugin))
    assert result.returncode != 0
    [error] = errors(result)
    assert f"cannot import iree_gemm in {environment}/bin/{PYTHON}" in error
    assert error.endswith("install iree-gemm there with pip")
    assert not stock.output.exists()


def test_interpreter_without_a_library(stock, plugin, tmp_path):
    script = "printf /nothing/libpython3.so"
    copy = install_with_interpreter(tmp_path / "static", plugin, script)
    result = stock.compile(copy)
    assert result.returncode != 0
    [error] = errors(result)
    assert f"no shared library of {tmp_path}/static/bin/{PYTHON}" in error
    assert "/nothing/libpython3.so" in error
    assert error.endswith("or use iree-gemm compile, which does not need it")
    assert not stock.output.exists()


def test_interpreter_that_does_not_run(stock, plugin, tmp_path):
    copy = install_with_interpreter(tmp_path / "broken-python", plugin, "exit 1")
    result = stock.compile(copy)
    assert result.returncode != 0
    [error] = errors(result)
    assert f"cannot run {tmp_path}/broken-python/bin/{PYTHON}" in error


def test_no_interpreter_at_all(stock, plugin, tmp_path):
    copy = install(tmp_path / "nothing", plugin)
    result = stock.compile(copy, PATH="/nothing")
    assert result.returncode != 0
    [error] = errors(result)
    assert f"cannot run {PYTHON}" in error


def test_library_that_is_not_pythons(stock, plugin, tmp_path):
    copy = install_with_interpreter(tmp_path / "other", plugin, "printf libm.so.6")
    result = stock.compile(copy)
    assert result.returncode != 0
    [error] = errors(result)
    assert "libm.so.6 is not a Python that can be embedded" in error
