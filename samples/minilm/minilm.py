# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sentence embeddings with all-MiniLM-L6-v2, its products on kernels of the plugin."""

import argparse
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pipeline
from reference import embed
from rich.console import Console
from rich.table import Table
from tokenizer import pad, tokenize
from tqdm import tqdm
from weights import Weights, load_weights, model_folder

from iree_gemm.report import Row, read_report

PRODUCTS = 48  # 6 layers, each of 6 linear layers and 2 products of attention
COSINE = 0.99999
FOLDER = Path(__file__).parents[2] / "build" / "minilm"
SENTENCES = (
    "A man is playing a guitar on the stage.",
    "Someone performs music with a guitar.",
    "The chef adds salt to the boiling soup.",
    "Season the broth before it is served.",
    "Where is the nearest train station?",
)
console = Console(width=120)


@dataclass(frozen=True)
class Job:
    """What is embedded, where, and what has to come out."""

    options: argparse.Namespace
    weights: Weights
    ids: list[np.ndarray]
    expected: np.ndarray


@dataclass(frozen=True)
class Run:
    """The embeddings from one build of the network, and its times in seconds."""

    title: str
    embeddings: np.ndarray
    compile_seconds: float
    call_seconds: float


def main() -> None:
    """Embeds the sentences twice: padded to one length, and each in its own."""
    options = parse_options()
    options.folder.mkdir(parents=True, exist_ok=True)
    source = model_folder()
    weights = step("read the weights", load_weights, source)
    ids = tokenize(source, options.sentences)
    with_bar = tqdm(ids, desc="reference in NumPy", leave=False, disable=None)
    expected = np.stack([embed(weights, row) for row in with_bar])
    job = Job(options, weights, ids, expected)
    runs = [*embed_all(job, options.length), *embed_all(job, None)]
    print_similarities(options.sentences, runs[-1].embeddings)
    print_times(runs)


def parse_options() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sentences", nargs="*", default=SENTENCES)
    parser.add_argument("--device", default="vulkan", help="device to run on")
    parser.add_argument(
        "--target", default="llvmpipe", help="value of --iree-vulkan-target"
    )
    parser.add_argument(
        "--length", type=int, default=16, help="tokens of the static run"
    )
    parser.add_argument("--folder", type=Path, default=FOLDER, help="for built files")
    return parser.parse_args()


def step(title: str, function: Callable, *arguments):
    """Calls a function, with its title while it runs and its time after."""
    with console.status(title):
        start = time.perf_counter()
        result = function(*arguments)
    console.print(f"{title}: {time.perf_counter() - start:.1f} s")
    return result


def embed_all(job: Job, length: int | None) -> list[Run]:
    """Embeds with the network for a length, from the stock compiler and the plugin."""
    name = f"{length} tokens" if length else "any number of tokens"
    console.rule(name)
    options = job.options
    model = step("import", pipeline.import_model, job.weights, length, options.folder)
    print(step("explain", pipeline.explain, model, options.target))
    report = model.text.with_suffix(".report.json")
    inputs = [pad(row, length or row.shape[1]) for row in job.ids]
    runs = [
        run_build(job, f"{name}, stock", pipeline.Build(model), inputs),
        run_build(job, f"{name}, plugin", pipeline.Build(model, report), inputs),
    ]
    check_products(read_report(report))
    return runs


def run_build(job: Job, title: str, build: pipeline.Build, inputs: list) -> Run:
    """Compiles one build, embeds every sentence with it and checks the embeddings."""
    options, start = job.options, time.perf_counter()
    module = step("compile", pipeline.compile_model, build, options.target)
    seconds = time.perf_counter() - start
    function = pipeline.load_model(build.model, module, options.device)
    with_bar = tqdm(inputs, desc="embed", leave=False, disable=None)
    embeddings, call = call_all(function, with_bar)
    check_embeddings(title, embeddings, job.expected)
    return Run(title, embeddings, seconds, call)


def call_all(function: Callable, inputs: Iterable) -> tuple[np.ndarray, float]:
    """The embeddings, and the time of the fastest call: the first one also loads."""
    embeddings, seconds = [], []
    for ids, mask in inputs:
        start = time.perf_counter()
        embeddings.append(np.asarray(function(ids, mask))[0])
        seconds.append(time.perf_counter() - start)
    return np.stack(embeddings), min(seconds)


def check_embeddings(title: str, found: np.ndarray, expected: np.ndarray) -> None:
    """Stops unless every embedding points where the reference points."""
    lengths = np.linalg.norm(found, axis=1) * np.linalg.norm(expected, axis=1)
    cosine = float(((found * expected).sum(axis=1) / lengths).min())
    if not cosine > COSINE:
        raise SystemExit(f"{title}: cosine {cosine:.7f} with the reference is too low")
    console.print(f"{title}: smallest cosine with the reference {cosine:.7f}")


def check_products(rows: list[Row]) -> None:
    """Stops unless the plugin took every product of the network."""
    taken = sum(row.is_taken for row in rows)
    if len(rows) != PRODUCTS or taken != PRODUCTS:
        counts = f"took {taken} of {len(rows)} products"
        raise SystemExit(f"the plugin {counts}, expected {PRODUCTS}")
    console.print(f"products taken by the plugin: {taken} of {PRODUCTS}")


def print_similarities(sentences: Iterable[str], embeddings: np.ndarray) -> None:
    """The cosine of each pair of sentences."""
    table = Table(title="similarity of the sentences")
    table.add_column("sentence")
    for index in range(len(embeddings)):
        table.add_column(str(index), justify="right")
    for index, (sentence, row) in enumerate(
        zip(sentences, embeddings @ embeddings.T, strict=True)
    ):
        table.add_row(f"{index}: {sentence}", *(f"{value:.2f}" for value in row))
    console.print(table)


def print_times(runs: Iterable[Run]) -> None:
    """Compile and run times, the plugin beside the stock compiler."""
    table = Table("build", "compile, s", "one sentence, ms", title="times")
    for run in runs:
        milliseconds = f"{run.call_seconds * 1e3:.0f}"
        table.add_row(run.title, f"{run.compile_seconds:.2f}", milliseconds)
    console.print(table)


if __name__ == "__main__":
    main()
