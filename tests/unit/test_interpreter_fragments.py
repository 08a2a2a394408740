# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fragments in the interpreter: products, and the rules of cooperative matrices."""

from collections.abc import Iterator

import numpy as np
import pytest
from iree.compiler import ir

from interpreter import KernelError
from interpreter.handwritten import STORAGE, WORKGROUP, buffer_type, kernel, run

WIDE = buffer_type("vector<4xf32>")
RESULT = f"memref<16x16xf32, {STORAGE}>"
F16 = ('!gpu.mma_matrix<16x16xf16, "AOp">', '!gpu.mma_matrix<16x16xf16, "BOp">')
F32 = '!gpu.mma_matrix<16x16xf32, "COp">'
BARRIER = f"gpu.barrier memfence [{WORKGROUP}]"


@pytest.fixture(autouse=True)
def context() -> Iterator[None]:
    with ir.Context(), ir.Location.unknown():
        yield


def product(lead: int = 3, barrier: str = BARRIER, transpose: str = "") -> str:
    """A 16x16x16 product of one subgroup, staged in rows of `lead` vectors.

    Each invocation copies one vector of 8 halves of either operand, in the rows of 2
    vectors that they have in the bindings.
    """
    staged = f"memref<16x{lead}xvector<4xf32>, {WORKGROUP}>"
    copies = "\n".join(
        f"""%s{i} = memref.alloc() : {staged}
        %v{i} = memref.load %b{i}[%t] : {WIDE}
        memref.store %v{i}, %s{i}[%row, %column] : {staged}"""
        for i in (0, 1)
    )
    body = f"""
        %c2 = arith.constant 2 : index
        %row = arith.divui %t, %c2 : index
        %column = arith.remui %t, %c2 : index
        {copies}
        {barrier}
        %a = gpu.subgroup_mma_load_matrix %s0[%c0, %c0] leadDimension {lead}
          : {staged} -> {F16[0]}
        %b = gpu.subgroup_mma_load_matrix %s1[%c0, %c0] leadDimension {lead}
          {transpose} : {staged} -> {F16[1]}
        %one = arith.constant 1.0 : f32
        %c = gpu.subgroup_mma_constant_matrix %one : {F32}
        %d = gpu.subgroup_mma_compute %a, %b, %c : {F16[0]}, {F16[1]} -> {F32}
        %e = gpu.subgroup_mma_elementwise addf %d, %c : ({F32}, {F32}) -> {F32}
        gpu.subgroup_mma_store_matrix %e, %b2[%c0] leadDimension 16
          : {F32}, {buffer_type("f32")}"""
    return kernel(body, ("vector<4xf32>", "vector<4xf32>", "f32"), size=32)


def operands() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    a, b = np.random.default_rng(0).integers(-3, 4, (2, 16, 16)).astype(np.float16)
    return a, b, np.zeros((16, 16), np.float32)


@pytest.mark.parametrize("transpose", ["", "transpose"])
def test_product(transpose: str) -> None:
    a, b, c = operands()
    run(product(transpose=transpose), a, b, c, n=256)
    a, b = a.astype(np.float32), b.astype(np.float32)
    assert (c == a @ (b.T if transpose else b) + 2).all()


def test_product_without_a_barrier_is_a_race() -> None:
    with pytest.raises(KernelError, match=r"subgroup 0 reads .* by invocation 0 at"):
        run(product(barrier=""), *operands(), n=256)


def test_integers() -> None:
    types = ('!gpu.mma_matrix<16x16xsi8, "AOp">', '!gpu.mma_matrix<16x16xui8, "BOp">')
    sums = '!gpu.mma_matrix<16x16xi32, "COp">'
    loads = "\n".join(
        f"""%f{i} = gpu.subgroup_mma_load_matrix %b{i}[%c0] leadDimension 16
          : {buffer_type("i8")} -> {type_}"""
        for i, type_ in enumerate(types)
    )
    body = f"""{loads}
        %zero = arith.constant 0 : i32
        %c = gpu.subgroup_mma_constant_matrix %zero : {sums}
        %d = gpu.subgroup_mma_compute %f0, %f1, %c : {types[0]}, {types[1]} -> {sums}
        gpu.subgroup_mma_store_matrix %d, %b2[%c0] leadDimension 16
          : {sums}, {buffer_type("i32")}"""
    a, b = np.full((16, 16), -128, np.int8), np.full((16, 16), 255, np.uint8)
    c = np.zeros((16, 16), np.int32)
    run(kernel(body, ("i8", "i8", "i32"), size=32), a, b.view(np.int8), c, n=256)
    assert (c == -128 * 255 * 16).all()


def in_place(body: str, size: int = 64) -> str:
    """Two subgroups with a fragment %x of the only binding, from row 16 * subgroup."""
    return kernel(
        f"""
        %sg = gpu.subgroup_id : index
        %c256 = arith.constant 256 : index
        %at = arith.muli %sg, %c256 : index
        {body}""",
        ("f32",),
        size,
    )


LOAD = f"""%x = gpu.subgroup_mma_load_matrix %b0[%at] leadDimension 16
  : {buffer_type("f32")} -> {F32}"""
STORE = f"""gpu.subgroup_mma_store_matrix %x, %b0[%at] leadDimension 16
  : {F32}, {buffer_type("f32")}"""


def test_elements_of_invocations() -> None:
    """Every element belongs to one invocation, whichever that is."""
    body = f"""{LOAD}
        %c1 = arith.constant 1 : index
        %c8 = arith.constant 8 : index
        %y = scf.for %i = %c0 to %c8 step %c1 iter_args(%f = %x) -> ({F32}) {{
          %e = gpu.subgroup_mma_extract_thread_local %f[%i] : {F32} -> f32
          %s = arith.addf %e, %e : f32
          %g = gpu.subgroup_mma_insert_thread_local %s, %f[%i] : f32, {F32} -> {F32}
          scf.yield %g : {F32}
        }}
        {STORE.replace("%x", "%y")}"""
    c = np.arange(512, dtype=np.float32)
    run(in_place(body), c, n=512)
    assert (c == 2 * np.arange(512)).all()


def test_subgroups_part_ways() -> None:
    body = f"""{LOAD}
        %first = arith.cmpi eq, %sg, %c0 : index
        %z = scf.if %first -> ({F32}) {{
          %s = gpu.subgroup_mma_elementwise addf %x, %x : ({F32}, {F32}) -> {F32}
          scf.yield %s : {F32}
        }} else {{
          scf.yield %x : {F32}
        }}
        scf.if %first {{ {STORE.replace("%x", "%z")} }}"""
    c = np.ones(512, np.float32)
    run(in_place(body), c, n=512)
    assert (c == [2] * 256 + [1] * 256).all()


ALONE = "%low = arith.cmpi eq, %t, %c0 : index\nscf.if %low {"
FAULTS = {
    "a fragment past the end": (
        LOAD.replace("leadDimension 16", "leadDimension 20"),
        "the fragment goes past the end of binding 0.*subgroup_mma_load_matrix",
    ),
    "an address that is not aligned": (
        f"%o = arith.addi %at, %c1 : index\n{LOAD.replace('%at', '%o')}",
        "the address is 4 bytes, not a multiple of 16",
    ),
    "a lead dimension that is not aligned": (
        LOAD.replace("leadDimension 16", "leadDimension 18"),
        "the lead dimension is 72 bytes, not a multiple of 16",
    ),
    "rows that overlap": (
        f"{LOAD}\n{STORE.replace('leadDimension 16', 'leadDimension 8')}",
        "rows of the fragment overlap",
    ),
    "an address that differs": (LOAD.replace("%at", "%t"), "differs within a subgroup"),
    "a part of a subgroup": (f"{ALONE}\n{LOAD}\n}}", "only part of a subgroup"),
    "one place for two subgroups": (
        f"{LOAD}\n{STORE.replace('%at', '%c0')}",
        "subgroup 1 writes what was read by subgroup 0",
    ),
    "a load of what the subgroup has stored": (
        f"{LOAD}\n{STORE}\n{LOAD.replace('%x', '%y')}",
        "subgroup 0 reads what was written",
    ),
}


@pytest.mark.parametrize(("body", "message"), FAULTS.values(), ids=FAULTS)
def test_fault(body: str, message: str) -> None:
    text = in_place(f"%c1 = arith.constant 1 : index\n{body}")
    with pytest.raises(KernelError, match=message):
        run(text, np.zeros(512, np.float32), n=512)


def test_subgroups_have_to_be_full() -> None:
    with pytest.raises(KernelError, match="subgroups of 32 are not full"):
        run(in_place(LOAD, size=48), np.zeros(512, np.float32), n=512)
