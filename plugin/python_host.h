// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the passes, which are Python, in the process of the compiler.

#ifndef IREE_GEMM_PYTHON_HOST_H_
#define IREE_GEMM_PYTHON_HOST_H_

#include <string>

namespace iree_gemm {

struct PassResult {
  bool succeeded;
  std::string error; // set where Python could not be asked; the rest it reports
};

/// Calls iree_gemm.plugin.run_pass(name, address of the module) in the
/// interpreter of this process, and starts one first if there is none.
PassResult runPythonPass(const char *name, void *module);

} // namespace iree_gemm

#endif // IREE_GEMM_PYTHON_HOST_H_
