# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules and arrays on a device. Needs IREE's runtime and no compiler."""

from __future__ import annotations

import fcntl
import platform
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import iree.runtime as rt
import ml_dtypes
import numpy as np

NUMPY = {
    "f32": np.dtype(np.float32),
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "i8": np.dtype(np.int8),
    "i32": np.dtype(np.int32),
    "i64": np.dtype(np.int64),
}
_ELEMENT = {
    "f32": rt.HalElementType.FLOAT_32,
    "f16": rt.HalElementType.FLOAT_16,
    "bf16": rt.HalElementType.BFLOAT_16,
    "i8": rt.HalElementType.INT_8,
    "i32": rt.HalElementType.INT_32,
    "i64": rt.HalElementType.INT_64,
}


@dataclass(frozen=True)
class Loaded:
    """A module whose kernels are ready to run."""

    context: rt.VmContext
    module: rt.VmModule


@dataclass(frozen=True)
class Device:
    """A HAL device and what is loaded on it."""

    instance: rt.VmInstance
    device: rt.HalDevice
    is_software: bool

    @staticmethod
    def open(uri: str) -> Device:
        is_software = _information(uri).get("type") == "cpu"
        return Device(rt.VmInstance(), rt.get_device(uri), is_software)

    def load(self, path: Path, *others: rt.VmModule) -> Loaded:
        hal = rt.create_hal_module(self.instance, self.device)
        module = rt.VmModule.mmap(self.instance, str(path))
        context = rt.VmContext(self.instance, modules=[hal, *others, module])
        return Loaded(context, module)

    def put(self, array: np.ndarray, type_: str) -> Any:
        """The array as a buffer view of an element type."""
        return self.device.allocator.allocate_buffer_copy(
            memory_type=rt.MemoryType.DEVICE_LOCAL,
            allowed_usage=rt.BufferUsage.DEFAULT,
            device=self.device,
            buffer=_plain(np.ascontiguousarray(array)),
            element_type=_ELEMENT[type_],
        )

    def start(
        self, loaded: Loaded, name: str, views: Sequence[Any]
    ) -> tuple[Any, rt.HalFence]:
        """The buffer view that a function returns, and what signals that it is there.

        The host has recorded and submitted everything when this returns.
        """
        semaphore = self.device.create_semaphore(0)
        ready, done = (rt.HalFence.create_at(semaphore, n) for n in (0, 1))
        arguments = rt.VmVariantList(len(views) + 2)
        for view in (*views, ready, done):
            arguments.push_ref(view)
        results = rt.VmVariantList(1)
        function = loaded.module.lookup_function(name)
        loaded.context.invoke(function, arguments, results)
        return results.get_as_object(0, rt.HalBufferView), done

    def call(self, loaded: Loaded, name: str, views: Sequence[Any]) -> Any:
        """The buffer view that a function returns, computed."""
        view, done = self.start(loaded, name, views)
        done.wait()
        return view

    def get(self, view: Any, type_: str) -> np.ndarray:
        """A copy on the host; DeviceArray.to_host fails on Vulkan in 3.13.0."""
        device, source = self.device, view.get_buffer()
        memory = rt.MemoryType.HOST_LOCAL | rt.MemoryType.DEVICE_VISIBLE
        staging = device.allocator.allocate_buffer(
            memory_type=memory,
            allowed_usage=rt.BufferUsage.TRANSFER_TARGET
            | rt.BufferUsage.MAPPING_SCOPED,
            allocation_size=source.byte_length(),
        )
        semaphore = device.create_semaphore(0)
        fences = [rt.HalFence.create_at(semaphore, n) for n in (0, 1)]
        device.queue_copy(
            source, staging, wait_semaphores=fences[0], signal_semaphores=fences[1]
        )
        fences[1].wait()
        shape, plain = tuple(view.shape), _plain(np.empty(0, NUMPY[type_])).dtype
        # Copied once more, since the mapping ends with the staging buffer.
        return np.array(staging.map().asarray(shape, plain)).view(NUMPY[type_])


def _plain(array: np.ndarray) -> np.ndarray:
    """bfloat16 as its bits, which the runtime passes on."""
    return array.view(np.uint16) if array.dtype == NUMPY["bf16"] else array


@contextmanager
def use(folder: Path, alone: bool) -> Iterator[None]:
    """Waits until no other process of the run uses the device alone, or at all."""
    with (folder / "device.lock").open("w") as file:
        # Given back by the system when the process ends, however it ends.
        fcntl.flock(file, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        yield


def describe(uri: str) -> dict[str, str]:
    """Names and versions of the device and what drives it."""
    information = _information(uri)
    return {
        "device": information.get("name", uri),
        "driver": " ".join(
            information[key] for key in ("driver", "driver_info") if key in information
        ),
        "runtime": metadata.version("iree-base-runtime"),
        "python": platform.python_version(),
        "processor": _processor(),
    }


def _information(uri: str) -> dict[str, str]:
    """What the driver says of a device, by name."""
    scheme, _, path = uri.partition("://")
    driver = rt.get_driver(scheme)
    found = driver.query_available_devices()
    chosen = next((d for d in found if d["path"] == path), found[0])
    text = str(driver.dump_device_info(chosen["device_id"]))
    lines = (line.partition(": ") for line in text.splitlines())
    return {name: value for name, colon, value in lines if colon}


def _processor() -> str:
    path = Path("/proc/cpuinfo")
    lines = path.read_text().splitlines() if path.exists() else []
    names = (line for line in lines if line.startswith("model name"))
    return next(names, ": unknown").partition(": ")[2]
