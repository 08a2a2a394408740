# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds the target that a module is compiled for."""

from __future__ import annotations

import re

from iree.compiler import ir

from iree_gemm.target import Target, parse_target

from .strategies.strategy import Reject

_TARGET = re.compile(r"#hal\.executable\.target<")


def target_of_module(module: ir.Operation) -> Target | Reject:
    """What all devices of a module can do; Reject where they differ or are not GPUs."""
    texts = _target_texts(module)
    if not texts:
        return Reject("the module names no device: use --target or --iree-hal-target")
    if len(texts) > 1:
        return Reject("the module is compiled for several different targets")
    target = parse_target(texts.pop())
    return Reject(target) if isinstance(target, str) else target


def executable_target(module: ir.Operation) -> ir.Attribute:
    """The attribute of the only target of a module."""
    (text,) = _target_texts(module)
    return ir.Attribute.parse(text)


def _target_texts(module: ir.Operation) -> set[str]:
    return {
        text
        for view in module.regions[0].blocks[0].operations
        if view.operation.name == "util.global"
        for attribute in [_initial_value(view.operation)]
        for text in _targets(attribute)
    }


def _initial_value(op: ir.Operation) -> str:
    if "initial_value" not in op.attributes:
        return ""
    attribute = op.attributes["initial_value"]
    # Weights are initial values too, and printing those would take long.
    return str(attribute) if not isinstance(attribute, ir.DenseElementsAttr) else ""


def _targets(text: str) -> list[str]:
    """The executable targets in a printed device attribute."""
    if not text.startswith("#hal.device"):
        return []
    return [_attribute_at(text, m.start()) for m in _TARGET.finditer(text)]


def _attribute_at(text: str, start: int) -> str:
    """The printed attribute that begins somewhere, up to its last bracket."""
    depth = 0
    for end in range(start, len(text)):
        depth += (text[end] == "<") - (text[end] == ">")
        if text[end] == ">" and depth == 0:
            return text[start : end + 1]
    return text[start:]
