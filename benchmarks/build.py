# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles cases into a folder that can be taken to another machine."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path

from benchmarks.compiler import Compiler
from benchmarks.jobs import Built, Job, Tools

MODULES = "modules"
ABOUT = f"{MODULES}/about.json"


@dataclass(frozen=True)
class Builder:
    """Builds into a folder; the compiler's own files stay outside of it.

    `speed` is `gpu` or `cpu`, by which the chains are sized.
    """

    compiler: Compiler
    folder: Path
    speed: str

    @property
    def tools(self) -> Tools:
        return Tools(self.compiler, self._finish, self.speed)

    def build(self, jobs: Iterable[Job], workers: int = 2) -> None:
        """Builds jobs, and writes beside the modules what they hold."""
        self._clear()
        about = json.dumps(_about(self.compiler.target))
        (self.folder / ABOUT).write_text(about + "\n")
        with ThreadPoolExecutor(workers) as pool:
            for number, line in enumerate(pool.map(self._build, enumerate(jobs))):
                print(f"{number + 1}: {line}", flush=True)

    def _clear(self) -> None:
        modules = self.folder / MODULES
        modules.mkdir(parents=True, exist_ok=True)
        for path in (*self.folder.glob("*.json"), *modules.iterdir()):
            path.unlink()

    def _build(self, numbered: tuple[int, Job]) -> str:
        order, job = numbered
        built = list(job.build(self.tools))
        record = {
            "kind": job.kind,
            "order": order,
            **job.record(),
            "counts": job.counts(self.speed),
            "built": [asdict(b) for b in built],
        }
        path = self.folder / f"{job.name}.json"
        path.write_text(json.dumps(record, indent=1) + "\n")
        return f"{job.name}: {', '.join(map(_describe, built))}"

    def _finish(self, text: str) -> str:
        """Compiles a module at the flow phase; returns its file in the folder."""
        path = self.compiler.run(text, "--compile-from=flow", suffix=".vmfb")
        target = self.folder / MODULES / path.name
        if not target.exists():
            target.hardlink_to(path)
        return f"{MODULES}/{path.name}"


def _about(target: str) -> dict[str, str]:
    """What the modules come from, for the head of the results."""
    git = ["git", "describe", "--always", "--dirty"]
    done = subprocess.run(git, capture_output=True, text=True)
    version = metadata.version("iree-base-compiler")
    return {"target": target, "compiler": version, "commit": done.stdout.strip()}


def _describe(built: Built) -> str:
    title = (built.strategy or built.who) + ("*" if built.is_auto else "")
    return f"{title} ({built.failure})" if built.failure else title
