# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The commands as a user runs them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from iree.compiler.tools import binaries

from iree_gemm import cli
from iree_gemm.paths import plugin_path

MODULE = """
func.func @double(%a: tensor<4xf32>) -> tensor<4xf32> {
  %b = arith.addf %a, %a : tensor<4xf32>
  return %b : tensor<4xf32>
}
"""
VULKAN = "--iree-hal-target-device=vulkan"


@pytest.fixture
def module(tmp_path: Path) -> str:
    path = tmp_path / "double.mlir"
    path.write_text(MODULE)
    return str(path)


def iree_gemm(*arguments: str, **environment: str):
    command = [sys.executable, "-m", "iree_gemm.cli", *arguments]
    return subprocess.run(
        command, env=os.environ | environment, capture_output=True, text=True
    )


def iree_compile(*arguments: str):
    command = [binaries.find_tool("iree-compile"), *arguments]
    return subprocess.run(command, capture_output=True, text=True)


def test_plugin_path_is_a_file(capsys):
    assert cli.main(["plugin-path"]) == 0
    assert Path(capsys.readouterr().out.strip()).is_file()


def test_version(capsys):
    with pytest.raises(SystemExit, match="0"):
        cli.main(["--version"])
    assert capsys.readouterr().out.count(".") == 2


def test_unknown_argument_of_a_command_with_fixed_ones(capsys):
    with pytest.raises(SystemExit, match="2"):
        cli.main(["plugin-path", "--speed"])
    assert "unrecognized arguments: --speed" in capsys.readouterr().err


def test_compile_writes_what_iree_compile_writes(module, tmp_path):
    ours, stock = tmp_path / "ours.vmfb", tmp_path / "stock.vmfb"
    assert iree_gemm("compile", VULKAN, module, "-o", str(ours)).returncode == 0
    iree_compile(VULKAN, module, "-o", str(stock))
    assert ours.read_bytes() == stock.read_bytes()


def test_compile_prints_what_iree_compile_prints(module):
    flags = (VULKAN, "--compile-to=input", module)
    ours, stock = iree_gemm("compile", *flags), iree_compile(*flags)
    assert (ours.stdout, ours.stderr) == (stock.stdout, stock.stderr)


@pytest.mark.parametrize(
    "arguments",
    [("/nothing.mlir",), ("--nothing",), (VULKAN, "/nothing.mlir", "-o", "/no/where")],
)
def test_compile_fails_as_iree_compile_does(arguments):
    ours, stock = iree_gemm("compile", *arguments), iree_compile(*arguments)
    assert ours.returncode == stock.returncode != 0
    # The program names itself by its path in one of its messages.
    assert ours.stderr == stock.stderr.replace(stock.args[0], "iree-compile")


def test_compile_passes_options_to_the_plugin(module):
    flags = (VULKAN, "--compile-to=preprocessing", module)
    wrong = iree_gemm("compile", "--plugin-option=mode=slow", *flags)
    assert wrong.returncode == 1
    assert wrong.stderr.startswith("iree-gemm: error: unknown mode 'slow'")


def test_options_of_the_environment_are_checked_too(module):
    result = iree_gemm("compile", VULKAN, module, IREE_GEMM_OPTIONS="mode=slow")
    assert result.returncode == 1
    assert result.stderr.startswith("iree-gemm: error: unknown mode 'slow'")


def test_compile_keeps_other_plugins_of_the_environment(module):
    result = iree_gemm(
        *("compile", VULKAN, "--iree-print-plugin-info", module, "-o", os.devnull),
        IREE_LOAD_PLUGINS=str(plugin_path()),
    )
    assert "Initializing plugin 'gemm'" in result.stderr


def test_doctor_finds_nothing_wrong():
    result = iree_gemm("doctor")
    assert result.returncode == 0, result.stdout
    assert "FAIL" not in result.stdout


def test_doctor_says_what_to_do_without_a_vulkan_driver():
    result = iree_gemm("doctor", VK_ICD_FILENAMES="/nothing")
    assert result.returncode == 1
    assert "FAIL  vulkan devices" in result.stdout
    assert "install a Vulkan driver" in result.stdout


def test_explain_writes_the_report_too(module, tmp_path):
    report = tmp_path / "report.json"
    option = f"--plugin-option=report={report}"
    done = iree_gemm("explain", option, "--format=json", module)
    assert done.returncode == 0, done.stderr
    assert report.read_text() == done.stdout


def test_explain_says_where_it_cannot_write(module, tmp_path):
    option = f"--plugin-option=report={tmp_path / 'nowhere' / 'report.json'}"
    done = iree_gemm("explain", option, module)
    assert done.returncode == 1
    assert "cannot write the report" in done.stderr
    assert "Traceback" not in done.stderr
