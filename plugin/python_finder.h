// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef IREE_GEMM_PYTHON_FINDER_H_
#define IREE_GEMM_PYTHON_FINDER_H_

#include <string>

namespace iree_gemm {

struct Interpreter {
  std::string executable;
  std::string library; // the shared libpython that belongs to it
  std::string error;   // why there is none and what to do; empty if there is
};

/// The interpreter of the environment that this library is installed in; where
/// it lies in none, the one of the same version on PATH.
Interpreter findInterpreter();

} // namespace iree_gemm

#endif // IREE_GEMM_PYTHON_FINDER_H_
