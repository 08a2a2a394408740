# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The plugin in iree-compile and iree-opt, where no Python is in the process."""

import os
import venv

from iree_gemm.passes.registry import PASSES


def test_compiles_a_product_to_our_kernel(stock, plugin):
    result = stock.compile(plugin, "--compile-to=preprocessing")
    assert result.returncode == 0, result.stderr
    assert "flow.dispatch @gemm" in result.stdout
    assert "linalg.matmul" not in result.stdout


def test_writes_a_module(stock, plugin):
    result = stock.compile(plugin)
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    assert stock.output.stat().st_size > 0


def test_relative_path(stock, plugin):
    path = os.path.relpath(plugin, stock.folder)
    assert stock.compile(path).returncode == 0


def test_link_to_the_library(stock, plugin):
    link = stock.folder / "gemm.so"
    link.symlink_to(plugin)
    assert stock.compile(link).returncode == 0


def test_interpreter_of_the_environment_and_not_of_path(stock, plugin):
    assert stock.compile(plugin, PATH="/nothing").returncode == 0


def test_does_nothing_until_activated(stock, plugin):
    flags = ("--iree-hal-target-device=vulkan", "product.mlir", "-o")
    stock.run("iree-compile", *flags, "bare.vmfb")
    stock.run("iree-compile", f"--iree-load-plugin={plugin}", *flags, "loaded.vmfb")
    bare, loaded = stock.folder / "bare.vmfb", stock.folder / "loaded.vmfb"
    assert bare.read_bytes() == loaded.read_bytes()


def test_iree_opt_loads_it(stock, plugin):
    result = stock.run(
        "iree-opt",
        f"--iree-load-plugin={plugin}",
        "--iree-plugin=gemm",
        "--iree-print-plugin-info",
        "product.mlir",
    )
    assert result.returncode == 0, result.stderr
    assert "Initializing plugin 'gemm'" in result.stderr


def test_environment_in_a_folder_with_any_name(stock, plugin):
    environment = (
        stock.folder / "an environment \N{LATIN SMALL LETTER U WITH DIAERESIS}"
    )
    venv.create(environment, symlinks=True)
    [site_packages] = environment.glob("lib/python*/site-packages")
    package = site_packages / "iree_gemm"
    (package / "_plugin").mkdir(parents=True)
    library = package / "_plugin" / plugin.name
    library.write_bytes(plugin.read_bytes())
    (package / "plugin.py").write_text(
        """
import sys


def run_pass(name, address):
    with open("calls.txt", "a", encoding="utf-8") as calls:
        calls.write(f"{name} in {sys.prefix}\\n")
    return True
"""
    )
    result = stock.compile(library, LC_ALL="C")
    assert result.returncode == 0, result.stderr
    calls = (stock.folder / "calls.txt").read_text(encoding="utf-8")
    assert calls.splitlines() == [f"{name} in {environment}" for name in PASSES]
