# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The plugin in a process that is Python already."""

SESSIONS = """
from iree.compiler.api import Output, Session, Source, ctypes_dl

ctypes_dl._initializeGlobalCL("test", "--iree-plugin=gemm")


def compile():
    with Session() as session:
        session.set_flags("--iree-hal-target-device=vulkan")
        invocation = session.invocation()
        invocation.enable_console_diagnostics()
        invocation.parse_source(Source.open_file(session, "product.mlir"))
        if not invocation.execute():
            return b""
        output = Output.open_membuffer()
        invocation.output_vm_bytecode(output)
        return bytes(output.map_memory())
"""


def test_several_sessions(run_python):
    result = run_python(
        SESSIONS
        + """
modules = [compile() for _ in range(4)]
assert all(b"gemm_" in module for module in modules)
print(len(modules))
"""
    )
    assert (result.stdout, result.stderr) == ("4\n", "")


def test_sessions_in_threads(run_python):
    result = run_python(
        SESSIONS
        + """
from concurrent.futures import ThreadPoolExecutor

with ThreadPoolExecutor(4) as pool:
    modules = list(pool.map(lambda _: compile(), range(8)))
assert all(b"gemm_" in module for module in modules)
print(len(modules))
"""
    )
    assert (result.stdout, result.stderr) == ("8\n", "")


def test_bindings_are_usable_after_a_session(run_python):
    result = run_python(
        SESSIONS
        + """
from iree.compiler import ir

compile()
for _ in range(3):
    with ir.Context() as context:
        assert not context.allow_unregistered_dialects
        ir.Module.parse("module {}")
print("done")
"""
    )
    assert (result.stdout, result.stderr) == ("done\n", "")


def test_exception_fails_the_compilation_and_not_the_process(run_python, broken_passes):
    result = run_python(SESSIONS + "print(compile() == b'')", PYTHONPATH=broken_passes)
    assert result.stdout == "True\n"
    assert "ZeroDivisionError: broken on purpose" in result.stderr
