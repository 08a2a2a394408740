# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Checks and times matrix products on a Mac; see docs/metal.md.

`build` makes the modules anywhere; `run` needs the IREE runtime and NumPy only, so this
file imports what a command needs inside of it.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

STRATEGIES = ("simdgroup", "tile", "stock")
FEW, MANY = 2, 12  # pairs of products in a call; the difference is free of overhead
REPEATS = 5
TOLERANCE = 1e-5  # of the largest element; inputs are exact, results f32 or i32
DTYPES = {"f32": np.float32, "f16": np.float16, "i8": np.int8}
CASTS = {"f32": "tensor.cast", "f16": "arith.truncf", "i8": "arith.trunci"}


@dataclass(frozen=True)
class Case:
    """One product, m x k by k x n, to f32 or i32."""

    m: int
    n: int
    k: int
    element: str = "f32"

    @property
    def name(self) -> str:
        return f"{self.m}x{self.n}x{self.k}-{self.element}"

    @property
    def sums(self) -> str:
        return "i32" if self.element == "i8" else "f32"

    @property
    def flops(self) -> int:
        return 2 * self.m * self.n * self.k


SHAPES = (
    (1, 768, 768),
    (64, 64, 64),
    (65, 63, 130),
    (128, 768, 768),
    (128, 3072, 768),
    (512, 512, 512),
    (1000, 1000, 1000),
    (2048, 2048, 2048),
)
CASES = tuple(Case(*shape, element) for element in DTYPES for shape in SHAPES)

PRODUCT = """\
  %zero{i} = arith.constant {zero} : {s}
  %empty{i} = tensor.empty() : tensor<{m}x{n}x{s}>
  %fill{i} = linalg.fill ins(%zero{i} : {s}) outs(%empty{i} : tensor<{m}x{n}x{s}>)
      -> tensor<{m}x{n}x{s}>
  %c{i} = linalg.matmul
      ins(%a{i}, %{right} : tensor<{m}x{k}x{t}>, tensor<{k}x{n}x{t}>)
      outs(%fill{i} : tensor<{m}x{n}x{s}>) -> tensor<{m}x{n}x{s}>
"""


def module_text(case: Case) -> str:
    """A function for the result, and two that chain a few or many pairs of products.

    A chain goes to and fro, m x n x k and m x k x n in turn: the compiler cannot leave
    out a product whose result the next one needs.
    """
    chains = (("once", 0), ("few", FEW), ("many", MANY))
    return "\n".join(_function(name, case, pairs) for name, pairs in chains)


def _function(name: str, case: Case, pairs: int) -> str:
    m, n, k, t, result = case.m, case.n, case.k, case.element, f"{case.n}x{case.sums}"
    lines = [
        f"func.func @{name}(%a0: tensor<{m}x{k}x{t}>, %b: tensor<{k}x{n}x{t}>,"
        f" %d: tensor<{n}x{k}x{t}>) -> tensor<{m}x{result}> {{"
    ]
    for i in range(2 * pairs + 1):
        right, columns, depth = ("d", k, n) if i % 2 else ("b", n, k)
        sizes = {"m": m, "n": columns, "k": depth, "t": t, "s": case.sums}
        zero = "0" if t == "i8" else "0.0"
        lines.append(PRODUCT.format(i=i, right=right, zero=zero, **sizes))
        lines.append(_next_operand(i, f"{m}x{columns}x", case))
    return "\n".join([*lines, f"  return %c{2 * pairs} : tensor<{m}x{result}>", "}"])


def _next_operand(i: int, extents: str, case: Case) -> str:
    """A result as the next product's A: rounded, cut off, or as it is."""
    types = f"tensor<{extents}{case.sums}> to tensor<{extents}{case.element}>"
    return f"  %a{i + 1} = {CASTS[case.element]} %c{i} : {types}"


def build(folder: Path, target: str) -> int:
    """Compiles every case with every strategy; what does not compile is noted."""
    folder.mkdir(parents=True, exist_ok=True)
    problems: dict[str, str] = {}
    for case in CASES:
        for strategy in STRATEGIES:
            stem = f"{case.name}-{strategy}"
            print(f"compiling {stem}", file=sys.stderr)
            error = _compile(case, strategy, target, folder / f"{stem}.vmfb")
            if error:
                problems[stem] = error
    index = {"cases": [asdict(case) for case in CASES], "problems": problems}
    (folder / "index.json").write_text(json.dumps(index, indent=1))
    print(f"copy {folder} and this file to the Mac, then: metal_check.py run {folder}")
    return 0


def _compile(case: Case, strategy: str, target: str, output: Path) -> str | None:
    """Writes the module; or returns the compiler's first line."""
    import iree_gemm
    from iree_gemm.errors import CompileError

    # With strategy=off every product is left to IREE.
    option = "off" if strategy == "stock" else strategy
    try:
        vmfb = iree_gemm.compile(module_text(case), target=target, strategy=option)
    except CompileError as error:
        return str(error).splitlines()[0]
    output.write_bytes(vmfb)
    return None


def run(folder: Path, device: str) -> int:
    """Prints a row for each module; the exit code is 1 if one is wrong."""
    index = json.loads((folder / "index.json").read_text())
    print(f"{platform.platform()}, {platform.processor()}, device {device}")
    print(f"{'case':24}{'strategy':12}{'error':>10}{'ms':>10}{'GFLOP/s':>10}")
    wrong = 0
    for case in (Case(**entry) for entry in index["cases"]):
        for strategy in STRATEGIES:
            stem = f"{case.name}-{strategy}"
            row, right = f"  {index['problems'].get(stem)}", True
            if stem not in index["problems"]:
                row, right = _measure(case, folder / f"{stem}.vmfb", device)
            wrong += not right
            print(f"{case.name:24}{strategy:12}{row}", flush=True)
    return 1 if wrong else 0


def _measure(case: Case, path: Path, device: str) -> tuple[str, bool]:
    """Error, time and rate as text, and whether the result is right."""
    import iree.runtime as rt

    try:
        config = rt.Config(device=rt.get_device(device))
        module = rt.VmModule.mmap(config.vm_instance, str(path))
        program = rt.load_vm_module(module, config)
        arrays = _operands(case)
        operands = [rt.asdevicearray(config.device, array) for array in arrays]
        error = _error(program.once(*operands).to_host(), arrays)
        each = (_seconds(program.many, operands) - _seconds(program.few, operands)) / (
            2 * (MANY - FEW)
        )
    except Exception as error:  # a driver's complaint is a row like any other
        return f"  failed: {str(error).splitlines()[0]}", False
    right = error <= TOLERANCE
    rate = f"{case.flops / each / 1e9:10.0f}" if each > 0 else f"{'-':>10}"
    return f"{error:10.1e}{each * 1e3:10.3f}{rate}{'' if right else '  WRONG'}", right


def _operands(case: Case) -> list[np.ndarray]:
    """Scaled so that chained products keep their size; integers of every size."""
    rng = np.random.default_rng(0)
    shapes = ((case.m, case.k), (case.k, case.n), (case.n, case.k))
    if case.element == "i8":
        return [rng.integers(-128, 128, shape).astype(np.int8) for shape in shapes]
    scales = (1, case.k**-0.5, case.n**-0.5)
    return [
        (rng.standard_normal(shape) * scale).astype(DTYPES[case.element])
        for shape, scale in zip(shapes, scales, strict=True)
    ]


def _error(got: np.ndarray, arrays: list[np.ndarray]) -> float:
    want = arrays[0].astype(np.float64) @ arrays[1].astype(np.float64)
    return float(np.abs(got - want).max() / np.abs(want).max())


def _seconds(function, arguments) -> float:
    """The shortest of a few calls, the first of which does not count."""
    times = []
    for _ in range(REPEATS + 1):
        start = time.perf_counter()
        function(*arguments)
        times.append(time.perf_counter() - start)
    return min(times[1:])


def main() -> int:
    """Runs the command."""
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    builder = commands.add_parser("build", help="compile the modules, on any machine")
    builder.add_argument("folder", type=Path)
    builder.add_argument("--target", default="metal", help="as in iree_gemm.compile")
    runner = commands.add_parser("run", help="check and time them, on the Mac")
    runner.add_argument("folder", type=Path)
    runner.add_argument("--device", default="metal", help="an IREE device")
    args = parser.parse_args()
    if args.command == "build":
        return build(args.folder, args.target)
    if not (args.folder / "index.json").is_file():
        parser.error(f"{args.folder} has no index.json: make it with build")
    return run(args.folder, args.device)


if __name__ == "__main__":
    sys.exit(main())
