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
TOLERANCE = 1e-5  # of the largest element; inputs are exact and results are f32
DTYPES = {"f32": np.float32, "f16": np.float16}


@dataclass(frozen=True)
class Case:
    """One product, m x k by k x n, to f32."""

    m: int
    n: int
    k: int
    element: str = "f32"

    @property
    def name(self) -> str:
        return f"{self.m}x{self.n}x{self.k}-{self.element}"

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
  %zero{i} = arith.constant 0.0 : f32
  %empty{i} = tensor.empty() : tensor<{m}x{n}xf32>
  %fill{i} = linalg.fill ins(%zero{i} : f32) outs(%empty{i} : tensor<{m}x{n}xf32>)
      -> tensor<{m}x{n}xf32>
  %c{i} = linalg.matmul
      ins(%a{i}, %{right} : tensor<{m}x{k}x{t}>, tensor<{k}x{n}x{t}>)
      outs(%fill{i} : tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32>
"""


def module_text(case: Case) -> str:
    """A function for the result, and two that chain a few or many pairs of products.

    A chain goes to and fro, m x n x k and m x k x n in turn: the compiler cannot leave
    out a product whose result the next one needs.
    """
    chains = (("once", 0), ("few", FEW), ("many", MANY))
    return "\n".join(_function(name, case, pairs) for name, pairs in chains)


def _function(name: str, case: Case, pairs: int) -> str:
    m, n, k, t = case.m, case.n, case.k, case.element
    lines = [
        f"func.func @{name}(%a0: tensor<{m}x{k}x{t}>, %b: tensor<{k}x{n}x{t}>,"
        f" %d: tensor<{n}x{k}x{t}>) -> tensor<{m}x{n}xf32> {{"
    ]
    for i in range(2 * pairs + 1):
        right, columns, depth = ("d", k, n) if i % 2 else ("b", n, k)
        lines.append(PRODUCT.format(i=i, m=m, n=columns, k=depth, t=t, right=right))
        lines.append(_next_operand(i, f"{m}x{columns}x", t))
    return "\n".join([*lines, f"  return %c{2 * pairs} : tensor<{m}x{n}xf32>", "}"])


def _next_operand(i: int, extents: str, element: str) -> str:
    """A result as the next product's A: rounded, or as it is."""
    cast = "tensor.cast" if element == "f32" else "arith.truncf"
    types = f"tensor<{extents}f32> to tensor<{extents}{element}>"
    return f"  %a{i + 1} = {cast} %c{i} : {types}"


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
    """Scaled so that chained products keep their size."""
    rng = np.random.default_rng(0)
    shapes = ((case.m, case.k), (case.k, case.n), (case.n, case.k))
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
