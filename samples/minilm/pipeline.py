# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From the network to a compiled module: every step is a command of IREE."""

import os
import subprocess
import sysconfig
from dataclasses import dataclass
from pathlib import Path

import iree.runtime as rt
import onnx
from network import build
from weights import Weights

from iree_gemm.runtime import Function, Program, open_device

SCOPE = "model"  # the parameter scope that iree-import-onnx uses


@dataclass(frozen=True)
class Model:
    """An imported network: MLIR text that names its weights, and the weights."""

    text: Path
    parameters: Path


@dataclass(frozen=True)
class Build:
    """A way to compile: the plugin takes part where there is a path for its report."""

    model: Model
    report: Path | None = None


def import_model(weights: Weights, length: int | None, folder: Path) -> Model:
    """Builds the network as ONNX and imports it, the weights as parameters."""
    name = f"minilm_{length or 'any'}"
    network = folder / f"{name}.onnx"
    model = Model(folder / f"{name}.mlir", folder / f"{name}.irpa")
    onnx.save(build(weights, length), network)
    parameters = ["--externalize-params", f"--save-params-to={model.parameters}"]
    _run("iree-import-onnx", str(network), *parameters, "-o", str(model.text))
    network.unlink()
    return model


def compile_model(build: Build, target: str) -> Path:
    """Compiles with the stock compiler, with and without the plugin alike."""
    text = build.model.text
    output = text.with_suffix(".gemm.vmfb" if build.report else ".stock.vmfb")
    flags = ["--iree-hal-target-device=vulkan", f"--iree-vulkan-target={target}"]
    environment = dict(os.environ)
    if build.report:
        plugin = _run("iree-gemm", "plugin-path").strip()
        flags += [f"--iree-load-plugin={plugin}", "--iree-plugin=gemm"]
        environment["IREE_GEMM_OPTIONS"] = f"report={build.report}"
    command = ("iree-compile", *flags, str(text), "-o", str(output))
    _run(*command, environment=environment)
    return output


def load_model(model: Model, module: Path, device: str) -> Function:
    """The compiled network as a function of NumPy arrays, its weights beside it."""
    instance = rt.VmInstance()
    index = rt.ParameterIndex()
    index.load(str(model.parameters))
    provider = index.create_provider(SCOPE)
    weights = rt.create_io_parameters_module(instance, provider)
    network = rt.VmModule.mmap(instance, str(module))
    return Program(instance, open_device(device), weights, network).main


def explain(model: Model, target: str) -> str:
    """The table of the products of a model and what becomes of them."""
    return _run("iree-gemm", "explain", f"--target={target}", str(model.text))


def _run(tool: str, *arguments: str, environment=None) -> str:
    """Runs a tool of this environment; its own message is the error."""
    program = str(Path(sysconfig.get_path("scripts")) / tool)
    done = subprocess.run(
        [program, *arguments], env=environment, stdout=subprocess.PIPE, text=True
    )
    if done.returncode:
        raise SystemExit(f"{tool} failed with exit code {done.returncode}")
    return done.stdout
