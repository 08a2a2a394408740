// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gemm dialect. `gemm.matmul` is a whole matrix product with what folds into it:
//
//   results[b, m, n] = epilogue(sum over k of lhs[b, m, k] * rhs[b, k, n], extras...)
//
// Each letter stands for any number of dimensions: `iterators` says of every
// dimension whether it is batch, m, n or k, `bounds` how long it is, with the sizes
// known at run time alone as the operands `sizes`. There is one indexing map for each
// of lhs, rhs, extras, lookups and results.
//
// A slice that starts at a run-time offset makes its map depend on one more dimension,
// which is no loop but has a single index: that of the kind `offset` is its operand in
// `sizes`, that of the kind `lookup` the element of its operand in `lookups`.
//
// Regions: lhs_body and rhs_body compute the factor from one element of each input,
// epilogue the results from the sum and one element of each extra. `original` holds
// the operations that the product stands for and comes back where no kernel fits.
// They end in `iree_linalg_ext.yield`: IRDL cannot define terminators.
//
// Later attributes: `strategy` and `config`, or `strategy = "iree"` and `reason`.
//
// `iree-opt --irdl-file` verifies with this what people write by hand and what the
// passes print, as far as the operands of each group have one type: IRDL cannot say
// of a variadic group that its types differ. The passes verify every product with
// `MatmulOp.problems`, types and regions included.
irdl.dialect @gemm {
  irdl.operation @matmul {
    %lhs = irdl.any
    %rhs = irdl.any
    %extra = irdl.any
    %lookup = irdl.any
    %index = irdl.is index
    irdl.operands(
      lhs: variadic %lhs,
      rhs: variadic %rhs,
      extras: variadic %extra,
      lookups: variadic %lookup,
      sizes: variadic %index
    )
    %result = irdl.any
    irdl.results(results: variadic %result)
    %iterators = irdl.base "#builtin.array"
    %bounds = irdl.base "#builtin.dense_array"
    %maps = irdl.base "#builtin.array"
    irdl.attributes {
      "iterators" = %iterators,
      "bounds" = %bounds,
      "indexing_maps" = %maps
    }
    %lhs_body = irdl.region with size 1
    %rhs_body = irdl.region with size 1
    %epilogue = irdl.region with size 1
    %original = irdl.region with size 1
    irdl.regions(
      lhs_body: %lhs_body,
      rhs_body: %rhs_body,
      epilogue: %epilogue,
      original: %original
    )
  }
}
