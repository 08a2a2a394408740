# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs whose calls survive a fault of IREE's Vulkan runtime."""

from __future__ import annotations

from typing import Any

import iree_gemm

_LOST = "DATA_LOSS"
"""IREE's status of a lost device, from vkSignalSemaphore or from what is asked next."""
_ATTEMPTS = 10


class Reloading:
    """A program on a new device after each loss of one.

    Where the host waits within a program, as for an index that a tensor holds, IREE
    3.13 may signal a semaphore twice, for which Mesa 22.3 declares the device lost: on
    a machine with 5 busy threads on 2 processors in 13 of 57 calls without the plugin
    and in 9 of 49 with it (2026-11-30).
    """

    def __init__(self, vmfb: bytes) -> None:
        self._vmfb = vmfb
        self._program = iree_gemm.load(vmfb)

    def call(self, name: str, *arguments: Any) -> Any:
        for _ in range(_ATTEMPTS - 1):
            try:
                return self._program.functions[name](*arguments)
            except RuntimeError as error:
                if _LOST not in str(error):
                    raise
            self._program = iree_gemm.load(self._vmfb)
        return self._program.functions[name](*arguments)
