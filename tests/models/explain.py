# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints, for each model of the corpus or those named, what becomes of its products."""

import subprocess
import sys

from models.corpus import MODELS


def main(names: list[str]) -> None:
    """One table a model."""
    unknown = set(names) - {model.name for model in MODELS}
    if unknown:
        known = ", ".join(model.name for model in MODELS)
        raise SystemExit(f"unknown model {', '.join(sorted(unknown))}: one of {known}")
    command = [sys.executable, "-m", "iree_gemm.cli", "explain", "--target=llvmpipe"]
    for model in MODELS:
        if not names or model.name in names:
            print(f"\n{model.name}", flush=True)
            source = model.build().source
            subprocess.run([*command, "-"], input=source, text=True, check=False)


if __name__ == "__main__":
    main(sys.argv[1:])
