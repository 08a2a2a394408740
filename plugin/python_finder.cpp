// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "python_finder.h"

#include <dlfcn.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <optional>

extern char **environ;

namespace iree_gemm {
namespace {

namespace fs = std::filesystem;

// Prints the path of the interpreter's shared library, or its bare name if it is
// not where the interpreter was configured to have it. The prefix comes before
// LIBDIR, which names the build machine's folder in relocatable Pythons.
constexpr char kAskForLibrary[] = R"(
import os, sys, sysconfig
get = sysconfig.get_config_var
name = get("INSTSONAME") or ""
if not name or name.endswith(".a"):
    name = "libpython%d.%d.so.1.0" % sys.version_info[:2]
folders = (
    os.path.join(sys.base_prefix, "lib"),
    get("LIBDIR") or "",
    os.path.join(get("LIBDIR") or "", get("MULTIARCH") or ""),
    get("PYTHONFRAMEWORKPREFIX") or "",
)
paths = [os.path.join(folder, name) for folder in folders if folder]
print(next(filter(os.path.exists, paths), name), end="")
)";

fs::path getOwnPath() {
  static const char anchor = 0;
  Dl_info info = {};
  dladdr(&anchor, &info);
  return info.dli_fname ? info.dli_fname : "";
}

bool isVersioned(const std::string &name) {
  return name.rfind("python3.", 0) == 0;
}

// `.../lib/python3.11/site-packages/...` names the version that it is for.
fs::path findVersionFolder(fs::path path) {
  for (; path.has_relative_path(); path = path.parent_path())
    if (isVersioned(path.filename()))
      return path;
  return {};
}

std::string findExecutable() {
  std::error_code ignored;
  fs::path own = fs::absolute(getOwnPath(), ignored);
  std::string name = "python3";
  for (const fs::path &path : {own, fs::canonical(own, ignored)}) {
    fs::path folder = findVersionFolder(path);
    if (folder.empty())
      continue;
    name = folder.filename();
    fs::path candidate = folder.parent_path().parent_path() / "bin" / name;
    if (access(candidate.c_str(), X_OK) == 0)
      return candidate;
  }
  return name; // searched on PATH, by posix_spawnp and by Python itself
}

std::string readAll(int file) {
  std::string text;
  char buffer[512];
  for (ssize_t n; (n = read(file, buffer, sizeof buffer)) > 0;)
    text.append(buffer, n);
  return text;
}

// What `executable -c program` prints; nothing if it does not run or fails.
std::optional<std::string> ask(const std::string &executable, const char *program) {
  int ends[2];
  if (pipe(ends) != 0)
    return std::nullopt;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  posix_spawn_file_actions_addclose(&actions, ends[1]);
  const char *arguments[] = {executable.c_str(), "-ISc", program, nullptr};
  pid_t child;
  int failed = posix_spawnp(&child, executable.c_str(), &actions, nullptr,
                            const_cast<char **>(arguments), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text = failed ? "" : readAll(ends[0]);
  close(ends[0]);
  int status = 0;
  if (failed || waitpid(child, &status, 0) != child || status != 0)
    return std::nullopt;
  return text;
}

} // namespace

Interpreter findInterpreter() {
  Interpreter found;
  found.executable = findExecutable();
  std::optional<std::string> library = ask(found.executable, kAskForLibrary);
  if (!library) {
    found.error = "cannot run " + found.executable +
                  ": install iree-gemm in an environment that has it";
    return found;
  }
  found.library = *library;
  return found;
}

} // namespace iree_gemm
