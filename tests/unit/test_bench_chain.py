# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chains of dispatches: what is repeated, and what cannot be."""

import re

import pytest
from benchmarks.chain import NotRepeatable, repeat

_TENSOR = "tensor<4xf32>"


def _module(body: str, more: str = "") -> str:
    return f"""module {{
  util.func public @main(%a: !hal.buffer_view) -> !hal.buffer_view {{
    %0 = hal.tensor.import %a : !hal.buffer_view -> {_TENSOR}
    {body}
    %9 = hal.tensor.export %1 : {_TENSOR} -> !hal.buffer_view
    util.return %9 : !hal.buffer_view
  }}
  {more}
}}"""


_KERNEL = f"""flow.executable private @k {{
    flow.executable.export public @k
    builtin.module {{
      func.func @k(
          %from: !iree_tensor_ext.dispatch.tensor<readonly:{_TENSOR}>,
          %to: !iree_tensor_ext.dispatch.tensor<writeonly:{_TENSOR}>) {{
        return
      }}
    }}
  }}"""
_DISPATCH = f"%1 = flow.dispatch @k::@k(%0) : ({_TENSOR}) -> {_TENSOR}"


def test_repeats_write_in_place() -> None:
    text = repeat(_module(_DISPATCH, _KERNEL), (1, 3))
    few, many = text.split("@r0")[1].split("@r1")
    assert few.count("flow.dispatch") == 1
    assert many.count("flow.dispatch") == 3
    results = re.findall(r"(%\w+) = flow.dispatch", many)
    written = re.findall(r"@k\(%\w+, (%\w+)\) .* -> (%\w+)", many)
    assert written == [(w, w) for w in [written[0][0], *results[:-1]]]
    assert "readwrite" in text
    assert "writeonly" not in text


def test_first_result_is_poisoned() -> None:
    assert "0x7FC00000 : f32" in repeat(_module(_DISPATCH, _KERNEL), (1, 2))


def test_dispatches_of_one_repetition_depend_on_each_other() -> None:
    second = f"%1 = flow.dispatch @k::@k(%s) : ({_TENSOR}) -> {_TENSOR}"
    body = f"{_DISPATCH.replace('%1', '%s')}\n    {second}"
    text = repeat(_module(body, _KERNEL), (1, 2))
    calls = re.findall(r"(%\w+) = flow.dispatch @k::@k\((%\w+),", text.split("@r1")[1])
    (first, _), (_, reads), (third, _), (_, reads_again) = calls
    assert (reads, reads_again) == (first, third)


def test_what_is_fed_takes_the_place_of_results_in_place() -> None:
    text = repeat(_module(_DISPATCH, _KERNEL), (1, 3), is_fed=True)
    results = re.findall(r"(%\w+) = flow.dispatch", text.split("@r1")[1])
    read = re.findall(r"flow.dispatch @k::@k\((%\w+)\)", text.split("@r1")[1])
    assert read[1:] == results[:-1]
    assert "readwrite" not in text.split("util.func")[1]


def test_functions_take_fences() -> None:
    text = repeat(_module(_DISPATCH, _KERNEL), (1, 2))
    [wait, signal] = re.findall(r"(%\w+): !hal.fence", text.split("@r0")[1])[:2]
    assert f"hal.tensor.import wait({wait}) =>" in text
    assert f"=> {signal} : !hal.fence" in text


def test_function_with_fences_needs_no_caller() -> None:
    body = _module(_DISPATCH, _KERNEL).replace("@main(", "@main$async(")
    caller = """  util.func public @main(%a: !hal.buffer_view) -> !hal.buffer_view {
    %0 = util.call @main$async(%a) : (!hal.buffer_view) -> !hal.buffer_view
    util.return %0 : !hal.buffer_view
  }
}"""
    text = repeat(body.rstrip().removesuffix("}") + caller, (1, 2))
    assert "@main" not in text
    assert "util.call" not in text
    assert text.count("util.func public") == 2


def test_program_without_a_dispatch() -> None:
    body = f"%1 = flow.tensor.clone %0 : {_TENSOR}"
    with pytest.raises(NotRepeatable, match="the program has no dispatch"):
        repeat(_module(body), (1, 2))


def test_two_functions() -> None:
    other = "util.func public @other() { util.return }"
    with pytest.raises(NotRepeatable, match="2 public functions, expected one"):
        repeat(_module(_DISPATCH, f"{_KERNEL}\n  {other}"), (1, 2))
