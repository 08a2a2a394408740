// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "python_host.h"

#include <dlfcn.h>

#include <cstdint>
#include <filesystem>
#include <mutex>

#include "python_finder.h"

namespace iree_gemm {
namespace {

struct PyObject;

// The few functions of CPython's stable ABI that are called, looked up at run
// time so that one build serves every Python version.
struct PythonApi {
  int (*isInitialized)();
  void (*setProgramName)(const wchar_t *);
  void (*initialize)(int handleSignals);
  void *(*saveThread)();
  int (*ensureGil)();
  void (*releaseGil)(int state);
  PyObject *(*importModule)(const char *);
  PyObject *(*callMethod)(PyObject *, const char *name, const char *format, ...);
  int (*isTrue)(PyObject *);
  void (*decRef)(PyObject *);
  void (*fetchError)(PyObject **type, PyObject **value, PyObject **traceback);
  PyObject *(*str)(PyObject *);
  const char *(*asUtf8)(PyObject *);
};

template <typename Function>
bool lookUp(void *library, const char *name, Function &function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

bool lookUpAll(void *library, PythonApi &api) {
  return lookUp(library, "Py_IsInitialized", api.isInitialized) &&
         lookUp(library, "Py_SetProgramName", api.setProgramName) &&
         lookUp(library, "Py_InitializeEx", api.initialize) &&
         lookUp(library, "PyEval_SaveThread", api.saveThread) &&
         lookUp(library, "PyGILState_Ensure", api.ensureGil) &&
         lookUp(library, "PyGILState_Release", api.releaseGil) &&
         lookUp(library, "PyImport_ImportModule", api.importModule) &&
         lookUp(library, "PyObject_CallMethod", api.callMethod) &&
         lookUp(library, "PyObject_IsTrue", api.isTrue) &&
         lookUp(library, "Py_DecRef", api.decRef) &&
         lookUp(library, "PyErr_Fetch", api.fetchError) &&
         lookUp(library, "PyObject_Str", api.str) &&
         lookUp(library, "PyUnicode_AsUTF8", api.asUtf8);
}

struct Host {
  PythonApi api;
  std::string interpreter;
  std::string error; // why Python is not available; empty if it is
};

void startPython(Host &host) {
  Interpreter found = findInterpreter();
  host.interpreter = found.executable;
  host.error = found.error;
  if (!host.error.empty())
    return;
  // Global, because the extension modules of Python take its symbols from there.
  void *library = dlopen(found.library.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (!library) {
    host.error = "no shared library of " + found.executable + " (" + dlerror() +
                 "): install it (libpython3.x in Debian and Ubuntu), or use "
                 "iree-gemm compile, which does not need it";
    return;
  }
  if (!lookUpAll(library, host.api)) {
    host.error = found.library + " is not a Python that can be embedded: " +
                 "use Python 3.10 to 3.14";
    return;
  }
  // As the interpreter itself does in the C locale, which is that of the compiler.
  if (auto *utf8Mode = static_cast<int *>(dlsym(library, "Py_UTF8Mode")))
    *utf8Mode = 1;
  std::u32string program = std::filesystem::path(found.executable).u32string();
  host.api.setProgramName(std::wstring(program.begin(), program.end()).c_str());
  host.api.initialize(/*handleSignals=*/0);
  host.api.saveThread(); // gives up the GIL; every call takes it anew
}

Host &getHost() {
  static Host host;
  static std::once_flag once;
  std::call_once(once, [] {
    bool hasPython = lookUpAll(RTLD_DEFAULT, host.api) && host.api.isInitialized();
    if (hasPython)
      host.interpreter = "the Python of this process";
    else
      startPython(host);
  });
  return host;
}

// The pending exception as text, which also clears it.
std::string takeError(const PythonApi &api) {
  PyObject *parts[3] = {};
  api.fetchError(&parts[0], &parts[1], &parts[2]);
  PyObject *text = parts[1] ? api.str(parts[1]) : nullptr;
  const char *utf8 = text ? api.asUtf8(text) : nullptr;
  std::string message = utf8 ? utf8 : "unknown error";
  api.decRef(text);
  for (PyObject *part : parts)
    api.decRef(part);
  return message;
}

// Called with the GIL.
PassResult callPass(const Host &host, const char *name, void *module) {
  const PythonApi &api = host.api;
  PyObject *plugin = api.importModule("iree_gemm.plugin");
  if (!plugin)
    return {false, "cannot import iree_gemm in " + host.interpreter + " (" +
                       takeError(api) + "): install iree-gemm there with pip"};
  PyObject *result =
      api.callMethod(plugin, "run_pass", "sK", name,
                     static_cast<unsigned long long>(
                         reinterpret_cast<uintptr_t>(module)));
  api.decRef(plugin);
  if (!result)
    return {false, std::string(name) + " failed in Python: " + takeError(api)};
  bool succeeded = api.isTrue(result) == 1;
  api.decRef(result);
  return {succeeded, ""};
}

} // namespace

PassResult runPythonPass(const char *name, void *module) {
  Host &host = getHost();
  if (!host.error.empty())
    return {false, "the gemm plugin cannot start Python: " + host.error};
  int gil = host.api.ensureGil();
  PassResult result = callPass(host, name, module);
  host.api.releaseGil(gil);
  return result;
}

} // namespace iree_gemm
