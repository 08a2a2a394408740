// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gemm dialect. `gemm.matmul` is a whole matrix product with what folds into it:
//
//   results[b, m, n] = epilogue(sum over k of lhs[b, m, k] * rhs[b, k, n], extras...)
//
// Regions: lhs, rhs (element of the operand from elements of its inputs), epilogue
// (accumulator and extras to the results), original (the operations it stands for).
irdl.dialect @gemm {
  irdl.operation @matmul {
    %any = irdl.any
    %index = irdl.is index
    %array = irdl.base "#builtin.array"
    %dense64 = irdl.any
    irdl.operands(
      lhs: variadic %any,
      rhs: variadic %any,
      extras: variadic %any,
      sizes: variadic %index
    )
    irdl.results(results: variadic %any)
    irdl.attributes {
      "iterators" = %array,
      "bounds" = %dense64,
      "indexing_maps" = %array
    }
    %lhs = irdl.region
    %rhs = irdl.region
    %epilogue = irdl.region
    %original = irdl.region
    irdl.regions(lhs: %lhs, rhs: %rhs, epilogue: %epilogue, original: %original)
  }
  irdl.operation @yield {
    %any = irdl.any
    irdl.operands(values: variadic %any)
  }
}
