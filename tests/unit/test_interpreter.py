# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The interpreter runs kernels right, and refuses those that are wrong."""

import math
from collections.abc import Iterator

import numpy as np
import pytest
from iree.compiler import ir

from interpreter import KernelError, run_function
from interpreter.handwritten import WORKGROUP, buffer_type, kernel, run

F32, I32 = buffer_type("f32"), buffer_type("i32")
SHARED = f"memref<64xf32, {WORKGROUP}>"
BARRIER = f"gpu.barrier memfence [{WORKGROUP}]"
SHARE = f"""
  %s = memref.alloc() : {SHARED}
  %x = memref.load %b0[%t] : {F32}
  %c63 = arith.constant 63 : index
  %r = arith.subi %c63, %t : index"""


@pytest.fixture(autouse=True)
def context() -> Iterator[None]:
    with ir.Context(), ir.Location.unknown():
        yield


def test_elementwise_with_a_guarded_edge() -> None:
    x = np.linspace(-2, 2, 100, dtype=np.float32)
    y = np.zeros_like(x)
    text = kernel(f"""
        %g = hal.interface.workgroup.id[0] : index
        %i = affine.apply affine_map<(d0)[s0] -> (d0 * 64 + s0)>(%g)[%t]
        %ok = arith.cmpi ult, %i, %n : index
        scf.if %ok {{
          %x = memref.load %b0[%i] : {F32}
          %y = math.erf %x : f32
          memref.store %y, %b1[%i] : {F32}
        }}""")
    run(text, x, y, n=100, workgroups=2)
    assert np.allclose(y, [math.erf(value) for value in x], atol=1e-7)


@pytest.mark.parametrize("barrier", [BARRIER, "gpu.barrier"])
def test_barrier_orders_workgroup_memory(barrier: str) -> None:
    x, y = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
    text = f"""{SHARE}
        memref.store %x, %s[%t] : {SHARED}
        {barrier}
        %y = memref.load %s[%r] : {SHARED}
        memref.store %y, %b1[%t] : {F32}"""
    run(kernel(text), x, y)
    assert (y == x[::-1]).all()


def test_invocations_part_ways() -> None:
    """Each leaves both loops after its own number of rounds."""
    y = np.zeros(64, np.int32)
    text = kernel(
        f"""
        %c1 = arith.constant 1 : index
        %a = scf.for %i = %c0 to %t step %c1 iter_args(%s = %c0) -> (index) {{
          %s2 = arith.addi %s, %i : index
          scf.yield %s2 : index
        }}
        %b = scf.while (%s = %a) : (index) -> index {{
          %more = arith.cmpi sgt, %s, %t : index
          scf.condition(%more) %s : index
        }} do {{
        ^bb0(%s: index):
          %less = arith.subi %s, %t : index
          scf.yield %less : index
        }}
        %low = arith.cmpi ult, %t, %b : index
        %c = scf.if %low -> (index) {{
          scf.yield %t : index
        }} else {{
          scf.yield %b : index
        }}
        %v = arith.index_cast %c : index to i32
        memref.store %v, %b0[%t] : {I32}""",
        ("i32",),
    )
    run(text, y)
    sums = [t * (t - 1) // 2 for t in range(64)]
    rest = [s - max(0, -(-(s - t) // t)) * t if t else 0 for t, s in enumerate(sums)]
    assert (y == [min(t, r) for t, r in enumerate(rest)]).all()


FAULTS = {
    "a load past the end": (
        f"""%i = arith.addi %t, %t : index
        %x = memref.load %b0[%i] : {F32}""",
        r"index 64 is out of bounds: axis 0 has 64: %\d+ = memref.load .* at loc",
    ),
    "a store past the end": (
        f"""%v = arith.constant dense<0.0> : vector<4xf32>
        vector.store %v, %b1[%t] : {F32}, vector<4xf32>""",
        r"index 61 \(of 4 elements\) is out of bounds: .* vector.store",
    ),
    "a store to an input": (
        f"""%x = memref.load %b1[%t] : {F32}
        memref.store %x, %b0[%t] : {F32}""",
        "binding 0 is read-only",
    ),
    "a read without a barrier": (
        f"""{SHARE}
        memref.store %x, %s[%t] : {SHARED}
        %y = memref.load %s[%r] : {SHARED}""",
        "invocation 0 reads what was written by invocation 63 .*memref.load",
    ),
    "a barrier for other memory": (
        f"""{SHARE}
        memref.store %x, %s[%t] : {SHARED}
        gpu.barrier memfence [#gpu.address_space<global>]
        %y = memref.load %s[%r] : {SHARED}""",
        "reads what was written",
    ),
    "a write without a barrier": (
        f"""{SHARE}
        %y = memref.load %s[%r] : {SHARED}
        memref.store %x, %s[%t] : {SHARED}""",
        "invocation 0 writes what was read by invocation 63 .*memref.store",
    ),
    "two writers": (
        f"{SHARE}\nmemref.store %x, %s[%c0] : {SHARED}",
        "writes what was written",
    ),
    "two workgroups that write one place": (
        f"{SHARE}\nmemref.store %x, %b1[%t] : {F32}",
        "invocation 64 writes what was written by invocation 0",
    ),
    "a barrier that some miss": (
        f"""%low = arith.cmpi eq, %t, %c0 : index
        scf.if %low {{ {BARRIER} }}""",
        r"not every invocation .* workgroup \(0, 0, 0\) of k",
    ),
    "a barrier in a loop that some leave": (
        f"""%c1 = arith.constant 1 : index
        scf.for %i = %c0 to %t step %c1 {{ {BARRIER} }}""",
        "not every invocation",
    ),
    "an integer that nobody wrote": (
        f"""%s = memref.alloc() : memref<64xi8, {WORKGROUP}>
        %x = memref.load %s[%t] : memref<64xi8, {WORKGROUP}>""",
        "read where nothing was written",
    ),
    "division by zero": ("%q = arith.divui %t, %t : index", "division by zero"),
    "an unknown operation": ("%q = math.ctpop %n32 : i32", "does not know math.ctpop"),
}


@pytest.mark.parametrize(("body", "message"), FAULTS.values(), ids=FAULTS)
def test_fault(body: str, message: str) -> None:
    with pytest.raises(KernelError, match=message):
        run(kernel(body), *np.zeros((2, 64), np.float32), workgroups=2)


def test_fault_in_an_inactive_invocation_is_none() -> None:
    y = np.zeros(64, np.float32)
    text = f"""%i = arith.addi %t, %t : index
        %ok = arith.cmpi ult, %i, %n : index
        scf.if %ok {{
          %q = arith.divui %n, %i : index
          %x = memref.load %b0[%i] : {F32}
          memref.store %x, %b1[%i] : {F32}
        }}"""
    with pytest.raises(KernelError, match="division by zero"):
        run(kernel(text), np.ones(64, np.float32), y)
    run(kernel(text.replace("%n, %i", "%i, %n")), np.ones(64, np.float32), y)
    assert (y == [1, 0] * 32).all()


def test_private_memory_and_poison() -> None:
    y = np.zeros(64, np.float32)
    text = kernel(f"""
        %p = memref.alloca() : memref<2xf32>
        %x = memref.load %b0[%t] : {F32}
        memref.store %x, %p[%c0] : memref<2xf32>
        %c1 = arith.constant 1 : index
        %odd = arith.remui %t, %n : index
        %two = arith.constant 2 : index
        %which = arith.remui %odd, %two : index
        %y = memref.load %p[%which] : memref<2xf32>
        memref.store %y, %b1[%t] : {F32}""")
    run(text, np.arange(64, dtype=np.float32), y)
    assert (y[::2] == np.arange(0, 64, 2)).all()
    assert np.isnan(y[1::2]).all()


HOST = """
  func.func @main(%x: tensor<?xf32>, %twice: i1) -> tensor<?xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = tensor.dim %x, %c0 : tensor<?xf32>
    %n32 = arith.index_cast %n : index to i32
    %y = flow.dispatch @gemm::@k[%c1](%n32, %x)
      : (i32, tensor<?xf32>{%n}) -> tensor<?xf32>{%n}
    %z = scf.if %twice -> (tensor<?xf32>) {
      %a = flow.dispatch @gemm::@k[%c1](%n32, %x, %y)
        : (i32, tensor<?xf32>{%n}, tensor<?xf32>{%n}) -> %y{%n}
      scf.yield %a : tensor<?xf32>
    } else {
      scf.yield %y : tensor<?xf32>
    }
    return %z : tensor<?xf32>
  }"""


@pytest.mark.parametrize("twice", [False, True])
def test_host_function(twice: bool) -> None:
    """The kernel adds to its result, which is NaN at first."""
    body = f"""%x = memref.load %b0[%t] : {F32}
        %y = memref.load %b1[%t] : {F32}
        %nan = arith.cmpf uno, %y, %y : f32
        %z = arith.select %nan, %x, %y : f32
        %s = arith.addf %x, %z : f32
        memref.store %s, %b1[%t] : {F32}"""
    module = ir.Module.parse(kernel(body) + HOST)
    x = np.arange(64, dtype=np.float32)
    (y,) = run_function(module.body.operations[1], [x, twice])
    assert (y == x * (3 if twice else 2)).all()
    with pytest.raises(KernelError, match="float64 array"):
        run_function(module.body.operations[1], [x.astype(np.float64), twice])


def test_fill_on_the_host() -> None:
    module = ir.Module.parse("""
      func.func @main(%n: index) -> tensor<?xf16> {
        %x = arith.constant 1.5 : f16
        %e = tensor.empty(%n) : tensor<?xf16>
        %y = linalg.fill ins(%x : f16) outs(%e : tensor<?xf16>) -> tensor<?xf16>
        return %y : tensor<?xf16>
      }""")
    assert run_function(module.body.operations[0], [3])[0].tolist() == [1.5] * 3


def variant(name: str, value: float) -> str:
    """A variant whose kernel writes one value everywhere."""
    store = f"%v = arith.constant {value} : f32\nmemref.store %v, %b0[%t] : {F32}"
    inner = kernel(store, ("f32",)).split("{", 1)[1].rsplit("}", 1)[0]
    return f"""hal.executable.variant public @{name}
      target(<"vulkan-spirv", "vulkan-spirv-fb">) {{ {inner} }}"""


def test_variant_by_name() -> None:
    module = ir.Module.parse(f"""
      hal.executable private @gemm {{
        {variant("fast", 1.0)}
        {variant("portable", 2.0)}
      }}
      func.func @main() -> tensor<64xf32> {{
        %c1 = arith.constant 1 : index
        %n = arith.constant 64 : i32
        %y = flow.dispatch {{@gemm::@fast::@k, @gemm::@portable::@k}}[%c1](%n)
          : (i32) -> tensor<64xf32>
        return %y : tensor<64xf32>
      }}""")
    main = module.body.operations[1]
    assert (run_function(main, [])[0] == 1).all()
    assert (run_function(main, [], variant="portable")[0] == 2).all()
