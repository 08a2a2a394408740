# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Loops, branches, subgroup operations and memory of the lowering, run on the shim."""

import numpy as np
from metal_modules import emit, kernel_text
from msl_check import mistakes
from msl_cpu import Kernel

THREADS = 64
SWAPPED = """
%c1 = arith.constant 1 : index
%steps = arith.index_cast %a : i32 to index
%r:2 = scf.for %i = %c0 to %steps step %c1 iter_args(%x = %a, %y = %b) -> (i32, i32) {
  %sum = arith.addi %x, %y : i32
  scf.yield %y, %sum : i32, i32
}
memref.store %r#0, %out[%c0, %t] : !out
"""
BRANCH = """
%less = arith.cmpi slt, %a, %b : i32
%r:2 = scf.if %less -> (i32, i32) {
  %c7 = arith.constant 7 : i32
  %x = arith.addi %a, %c7 : i32
  scf.yield %x, %b : i32, i32
} else {
  scf.yield %b, %a : i32, i32
}
%c1000 = arith.constant 1000 : i32
%y = arith.muli %r#0, %c1000 : i32
%z = arith.addi %y, %r#1 : i32
scf.if %less {
  memref.store %z, %out[%c0, %t] : !out
}
"""
WHILE = """
%zero = arith.constant 0 : i32
%r:2 = scf.while (%x = %a, %n = %zero) : (i32, i32) -> (i32, i32) {
  %go = arith.cmpi sgt, %x, %b : i32
  scf.condition(%go) %x, %n : i32, i32
} do {
^bb0(%x: i32, %n: i32):
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %half = arith.divsi %x, %two : i32
  %next = arith.addi %n, %one : i32
  scf.yield %half, %next : i32, i32
}
%c100 = arith.constant 100 : i32
%y = arith.muli %r#1, %c100 : i32
%z = arith.addi %y, %r#0 : i32
memref.store %z, %out[%c0, %t] : !out
"""
SUBGROUP = """
%c1 = arith.constant 1 : i32
%c32 = arith.constant 32 : i32
%x, %valid = gpu.shuffle down %a, %c1, %c32 : i32
%y = arith.select %valid, %x, %c1 : i32
%z, %always = gpu.shuffle xor %y, %c1, %c32 : i32
%sum = gpu.subgroup_reduce add %a : (i32) -> i32
%lane = gpu.lane_id
%group = gpu.subgroup_id : index
%lane32 = arith.index_cast %lane : index to i32
%group32 = arith.index_cast %group : index to i32
%u = arith.addi %z, %sum : i32
%v = arith.addi %u, %lane32 : i32
%w = arith.addi %v, %group32 : i32
memref.store %w, %out[%c0, %t] : !out
"""
LOCAL = """
%c1 = arith.constant 1 : index
%local = memref.alloca() : memref<2x2xi32>
memref.store %a, %local[%c1, %c0] : memref<2x2xi32>
memref.store %b, %local[%c0, %c1] : memref<2x2xi32>
%x = memref.load %local[%c1, %c0] : memref<2x2xi32>
%y = memref.load %local[%c0, %c1] : memref<2x2xi32>
%z = arith.subi %x, %y : i32
memref.store %z, %out[%c0, %t] : !out
"""


def run(body: str, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    types = {"COUNT": "1", "IN": "i32", "OUT": "i32"}
    kernel = emit(kernel_text("operations", BODY=body, **types))["operations"]
    assert mistakes(kernel.text) == []
    out = np.full(THREADS, -1, np.int32)
    Kernel(kernel.text, kernel.entry)([a, b, out], (1, 1, 1), kernel.threads)
    return out


def test_carried_values_that_swap(rng):
    """The Fibonacci step: one carried value becomes the other's old one."""
    a, b = rng.integers(-2, 9, (2, THREADS), np.int32)
    x, y = a.copy(), b.copy()
    for step in range(a.max()):
        running = step < a
        x, y = np.where(running, y, x), np.where(running, x + y, y)
    np.testing.assert_array_equal(run(SWAPPED, a, b), x)


def test_branch(rng):
    a, b = rng.integers(-9, 9, (2, THREADS), np.int32)
    want = np.where(a < b, (a + 7) * 1000 + b, -1)
    np.testing.assert_array_equal(run(BRANCH, a, b), want)


def test_while(rng):
    a = rng.integers(1, 10000, THREADS, np.int32)
    b = rng.integers(0, 50, THREADS, np.int32)
    x, n = a.copy(), np.zeros_like(a)
    while (x > b).any():
        n += x > b
        x = np.where(x > b, x // 2, x)
    np.testing.assert_array_equal(run(WHILE, a, b), n * 100 + x)


def test_subgroup(rng):
    a = rng.integers(-9, 9, THREADS, np.int32)
    groups, lanes = a.reshape(-1, 32), np.arange(32)
    below = np.concatenate([groups[:, 1:], np.ones((2, 1), np.int32)], 1)
    want = below[:, lanes ^ 1] + groups.sum(1, keepdims=True) + lanes
    want = want + np.arange(2)[:, None]
    np.testing.assert_array_equal(run(SUBGROUP, a, a), want.reshape(-1))


def test_local_array(rng):
    a, b = rng.integers(-9, 9, (2, THREADS), np.int32)
    np.testing.assert_array_equal(run(LOCAL, a, b), a - b)
