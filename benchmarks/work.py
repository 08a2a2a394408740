# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kinds of case: products, ceilings of the device, whole networks."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import iree.runtime as rt
import numpy as np

from benchmarks import experts, inputs
from benchmarks.cases import Case
from benchmarks.device import NUMPY, Device
from benchmarks.random_network import RandomNetwork
from benchmarks.run import Arrays, Found, Work
from benchmarks.timing import WALL, WHOLE


def work_of(path: Path) -> Work:
    """The work of a record that was written when it was built."""
    record = json.loads(path.read_text())
    if record["kind"] == "kernel":
        return Product(Case(**record["case"]))
    if record["kind"] == "network":
        return Network(RandomNetwork(**record["network"]))
    if record["kind"] == "experts":
        return Layers(experts.Experts(**record["case"]), record["counts"][0])
    return Ceiling(**record["ceiling"])


@dataclass
class Product:
    """Checked exactly on integers, then against float64 on reals."""

    case: Case
    fills_memory: bool = False
    clock: int = WALL
    _sets: list[inputs.Inputs] = field(default_factory=list)
    _expected: np.ndarray | None = None

    @property
    def result(self) -> str:
        return self.case.result

    def inputs(self) -> Sequence[Arrays]:
        self._sets = [inputs.integers(self.case), inputs.reals(self.case)]
        return [list(zip(s.arrays, s.types, strict=True)) for s in self._sets]

    def modules(self, device: Device) -> Sequence[rt.VmModule]:
        return []

    def judge(self, found: Found) -> dict[str, Any]:
        exact, real = found.results
        error = inputs.error_of(self.case, self._sets[1], real)
        return {
            "flops": self.case.flops,
            "bytes": self.case.bytes,
            "error": error,
            "failure": self._failure(exact, error),
        }

    def _failure(self, exact: np.ndarray, error: float) -> str:
        if not error <= inputs.bound_of(self.case):
            return f"wrong result: error {error:.1e}"
        if not inputs.is_exact_on_integers(self.case):
            return ""
        if self._expected is None:
            self._expected = inputs.exact_result(self.case, self._sets[0])
        wrong = int((exact != self._expected).sum())
        return f"wrong result: {wrong} elements on integers" if wrong else ""


@dataclass
class Ceiling:
    """A kernel that does `flops` operations and moves `bytes`."""

    name: str
    shape: Sequence[int]
    type: str
    flops: int
    bytes: int
    result: str = "f32"
    fills_memory: bool = False
    clock: int = WALL
    _input: np.ndarray | None = None

    def inputs(self) -> Sequence[Arrays]:
        random = np.random.default_rng(1)
        drawn = random.standard_normal(self.shape, np.float32)
        self._input = drawn.astype(NUMPY[self.type])
        return [[(self._input, self.type)]]

    def modules(self, device: Device) -> Sequence[rt.VmModule]:
        return []

    def judge(self, found: Found) -> dict[str, Any]:
        result = found.results[0]
        is_right = np.isfinite(result).all() and np.any(result)
        if self.name == "copy":
            is_right = np.array_equal(result, self._input)
        failure = "" if is_right else "wrong result"
        return {"flops": self.flops, "bytes": self.bytes, "failure": failure}


@dataclass
class Network:
    """A network of random weights, two of its sentences checked against NumPy."""

    network: RandomNetwork
    fills_memory: bool = True
    clock: int = WALL
    _expected: np.ndarray | None = None

    @property
    def result(self) -> str:
        return self.network.type

    def inputs(self) -> Sequence[Arrays]:
        ids = self.network.ids()
        self._expected = self.network.expected(ids)
        network = self.network
        previous = np.zeros((network.batch, network.hidden), NUMPY[network.type])
        tokens = [(ids, "i64"), (np.ones_like(ids), "i64")]
        return [[*tokens, (previous, network.type)]]

    def modules(self, device: Device) -> Sequence[rt.VmModule]:
        index = rt.ParameterIndex()
        for name, array in self.network.parameters().items():
            index.add_buffer(name, array.tobytes())
        provider = index.create_provider("model")
        return [rt.create_io_parameters_module(device.instance, provider)]

    def judge(self, found: Found) -> dict[str, Any]:
        assert self._expected is not None
        checked = found.results[0][[0, -1]].astype(np.float64)
        error = np.abs(checked - self._expected).max() / np.abs(self._expected).max()
        is_right = error <= self.network.bound
        failure = "" if is_right else f"wrong result: error {error:.1e}"
        return {"error": float(error), "failure": failure}


@dataclass
class Layers:
    """`count` layers of experts, checked exactly."""

    experts: experts.Experts
    count: int
    result: str = "f16"
    fills_memory: bool = True
    clock: int = WHOLE
    _row: np.ndarray | None = None

    def inputs(self) -> Sequence[Arrays]:
        row, weights, sized = self.experts.inputs()
        self._row = row
        return [[(row, "f16"), (weights, "f16"), (sized, "i32")]]

    def modules(self, device: Device) -> Sequence[rt.VmModule]:
        return []

    def judge(self, found: Found) -> dict[str, Any]:
        assert self._row is not None
        expected = self.experts.expected(self._row, self.count)
        is_right = np.array_equal(found.results[0], expected)
        failure = "" if is_right else "wrong result"
        flops, bytes_ = self.experts.flops, self.experts.bytes
        return {"flops": flops, "bytes": bytes_, "failure": failure}
