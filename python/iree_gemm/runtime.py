# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs compiled modules on NumPy arrays."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Any

import iree.runtime as rt
import numpy as np

from iree_gemm.errors import UsageError


class Function:
    """One function of a program, called with arrays and returning arrays."""

    def __init__(self, name: str, invoke: rt.FunctionInvoker) -> None:
        self.name = name
        self._invoke = invoke

    def __call__(self, *arguments: Any) -> Any:
        try:
            return _to_numpy(self._invoke(*arguments))
        except Exception as error:
            # IREE's frames hold buffers, which crash where they outlive their device.
            traceback.clear_frames(error.__traceback__)
            raise

    def __repr__(self) -> str:
        return f"<iree_gemm function {self.name}>"


class Program:
    """A loaded module: its functions are attributes, an only one can be called.

    The device is closed with the program, if nobody else has it.
    """

    def __init__(
        self, instance: rt.VmInstance, device: rt.HalDevice, *modules: rt.VmModule
    ) -> None:
        """The last of the modules is the program; it may call the others."""
        # IREE's SystemContext is a cycle of references: a device would stay open until
        # Python collects it.
        hal = rt.create_hal_module(instance, device)
        context = rt.VmContext(instance, modules=[hal, *modules])
        main = modules[-1]
        self.functions = {
            name: Function(
                name, rt.FunctionInvoker(context, device, main.lookup_function(name))
            )
            for name in main.function_names
            if not name.startswith("__")
        }

    def __getattr__(self, name: str) -> Function:
        try:
            return self.functions[name]
        except KeyError:
            raise AttributeError(f"the program has no function '{name}'") from None

    def __call__(self, *arguments: Any) -> Any:
        if len(self.functions) != 1:
            names = ", ".join(self.functions)
            raise UsageError(f"call one of the program's functions: {names}")
        return next(iter(self.functions.values()))(*arguments)

    def __repr__(self) -> str:
        return f"<iree_gemm program with {', '.join(self.functions)}>"


def load(vmfb: bytes | Path, device: str = "vulkan") -> Program:
    """Loads a VM module (its bytes or its path) on an IREE device, by its URI.

    The program has the device to itself, and closes it when it is no longer used.
    """
    instance, opened = rt.VmInstance(), open_device(device)
    data = vmfb.read_bytes() if isinstance(vmfb, Path) else vmfb
    return Program(instance, opened, rt.VmModule.copy_buffer(instance, data))


def open_device(uri: str) -> rt.HalDevice:
    """The device, or an error that says how to find out what is missing."""
    # Not from IREE's cache, which never closes one: with Mesa 22.3's lavapipe an open
    # device keeps two processors busy, though nothing runs.
    try:
        return rt.get_device(uri, cache=False)
    except Exception as error:
        reason = str(error).splitlines()[0]
        raise UsageError(
            f"cannot open device '{uri}' ({reason}): iree-gemm doctor says what is"
            " missing"
        ) from error


def _to_numpy(value: Any) -> Any:
    if isinstance(value, rt.DeviceArray):
        return _read(value)
    if isinstance(value, dict):
        return {key: _to_numpy(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(map(_to_numpy, value))
    return value


def _read(array: rt.DeviceArray) -> np.ndarray:
    view = array._buffer_view
    shape = tuple(view.shape)
    dtype = rt.HalElementType.map_to_dtype(view.element_type)
    if 0 in shape:
        return np.zeros(shape, array.dtype)
    staged = _stage(array._device, view.get_buffer())
    # Copied once more, since the mapping ends with the staging buffer.
    return np.array(staged.map().asarray(shape, dtype)).astype(array.dtype, copy=False)


def _stage(device: rt.HalDevice, source: rt.HalBuffer) -> rt.HalBuffer:
    """A copy that the host can map; DeviceArray.to_host fails on Vulkan in 3.13.0."""
    staging = device.allocator.allocate_buffer(
        memory_type=rt.MemoryType.HOST_LOCAL | rt.MemoryType.DEVICE_VISIBLE,
        allowed_usage=rt.BufferUsage.TRANSFER_TARGET | rt.BufferUsage.MAPPING_SCOPED,
        allocation_size=source.byte_length(),
    )
    semaphore = device.create_semaphore(0)
    started = rt.HalFence.create_at(semaphore, 0)
    copied = rt.HalFence.create_at(semaphore, 1)
    device.queue_copy(
        source, staging, wait_semaphores=started, signal_semaphores=copied
    )
    copied.wait()
    return staging
