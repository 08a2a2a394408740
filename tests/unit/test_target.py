# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Targets read from the text of IREE's attribute."""

from iree_gemm.target import Target, parse_target

_HEAD = '#hal.executable.target<"vulkan-spirv", "vulkan-spirv-fb", {info = '
_FULL = (
    _HEAD + '#iree_gpu.target<arch = "sm_80", features = "spirv:v1.6,cap:Shader", wgp ='
    " <compute = fp64|fp32|fp16|int32|int8, storage = b64|b32|b16|b8,"
    " subgroup = shuffle|arithmetic, dot = dp4xi8toi32,"
    " mma = [<NV_WMMA_F32_16x16x16_F16>, <NV_WMMA_F16_16x16x16_F16>],"
    " subgroup_size_choices = [32, 64], max_workgroup_sizes = [1024, 1024, 1024],"
    " max_thread_count_per_workgroup = 512, max_workgroup_memory_bytes = 32768,"
    " max_workgroup_counts = [2147483647, 65535, 65534]>, chip = <wgp_count = 108>>}>"
)


def parsed(text: str) -> Target:
    target = parse_target(text)
    assert isinstance(target, Target)
    return target


def test_everything_that_is_said() -> None:
    assert parsed(_FULL) == Target(
        backend="vulkan",
        arch="sm_80",
        compute=frozenset({"fp64", "fp32", "fp16", "int32", "int8"}),
        storage=frozenset({64, 32, 16, 8}),
        subgroup_sizes=(32, 64),
        mma=("NV_WMMA_F32_16x16x16_F16", "NV_WMMA_F16_16x16x16_F16"),
        max_threads=512,
        workgroup_memory=32768,
        max_workgroup_counts=(2147483647, 65535, 65534),
        compute_units=108,
    )


def test_what_is_not_said_is_what_every_device_has() -> None:
    target = parsed(_HEAD + '#iree_gpu.target<arch = "x", wgp = <compute = fp32>>}>')
    assert target.max_threads == 128
    assert target.workgroup_memory == 16384
    assert target.storage == {32}
    assert target.mma == ()
    assert target.compute_units is None


def test_workgroup_memory_is_what_drivers_give() -> None:
    """IREE's tables claim more than NVIDIA's Vulkan drivers accept."""
    text = _FULL.replace("bytes = 32768", "bytes = 166912")
    assert parsed(text).workgroup_memory == 49152


def test_metal() -> None:
    text = _FULL.replace("vulkan-spirv-fb", "metal-msl-fb")
    assert parsed(text.replace("vulkan-spirv", "metal-spirv")).backend == "metal"


def test_software_is_known_by_its_subgroups() -> None:
    assert not parsed(_FULL).is_software
    assert parsed(_FULL.replace("[32, 64]", "[8]")).is_software


def test_other_backends_have_a_reason() -> None:
    text = '#hal.executable.target<"llvm-cpu", "embedded-elf-x86_64">'
    assert parse_target(text) == "target backend llvm-cpu has no kernels of ours"
    reason = "target backend vulkan-spirv does not describe its GPU"
    assert parse_target(_HEAD + "unit}>") == reason
