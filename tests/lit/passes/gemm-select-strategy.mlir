// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the shape asks for, on a GPU without a limit that matters.
// RUN: iree-gemm-opt --target=ampere %s \
// RUN:   --passes=gemm-raise-contractions,gemm-select-strategy | filecheck %s

// CHECK-LABEL: func.func @many_tiles
//       CHECK:   "gemm.matmul"(%arg0, %arg1, %arg2)
//       CHECK:   tile_n = 128
//  CHECK-SAME:   strategy = "tile"
func.func @many_tiles(%a: tensor<4096x4096xf32>, %b: tensor<4096x4096xf32>, %c: tensor<4096x4096xf32>)
    -> tensor<4096x4096xf32> {
  %0 = linalg.matmul
    ins(%a, %b : tensor<4096x4096xf32>, tensor<4096x4096xf32>)
    outs(%c : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  return %0 : tensor<4096x4096xf32>
}

// Few tiles and few terms: small tiles, each by several slices of a workgroup.

// CHECK-LABEL: func.func @short_sums
//       CHECK:   slices = 4 : i64, {{.*}}tile_m = 32
//  CHECK-SAME:   strategy = "tile"
func.func @short_sums(%a: tensor<128x64xf32>, %b: tensor<64x128xf32>, %c: tensor<128x128xf32>)
    -> tensor<128x128xf32> {
  %0 = linalg.matmul
    ins(%a, %b : tensor<128x64xf32>, tensor<64x128xf32>)
    outs(%c : tensor<128x128xf32>) -> tensor<128x128xf32>
  return %0 : tensor<128x128xf32>
}

// Too few tiles to fill the device: ranges of k run side by side.

// CHECK-LABEL: func.func @few_tiles
//       CHECK:   ranges = 16
//  CHECK-SAME:   strategy = "split-k"
func.func @few_tiles(%a: tensor<128x3072xf32>, %b: tensor<3072x768xf32>, %c: tensor<128x768xf32>)
    -> tensor<128x768xf32> {
  %0 = linalg.matmul
    ins(%a, %b : tensor<128x3072xf32>, tensor<3072x768xf32>)
    outs(%c : tensor<128x768xf32>) -> tensor<128x768xf32>
  return %0 : tensor<128x768xf32>
}

// CHECK-LABEL: func.func @one_row
//       CHECK:   rows = 1
//  CHECK-SAME:   strategy = "few-rows"
func.func @one_row(%a: tensor<1x768xf32>, %b: tensor<768x768xf32>, %c: tensor<1x768xf32>)
    -> tensor<1x768xf32> {
  %0 = linalg.matmul
    ins(%a, %b : tensor<1x768xf32>, tensor<768x768xf32>)
    outs(%c : tensor<1x768xf32>) -> tensor<1x768xf32>
  return %0 : tensor<1x768xf32>
}

// CHECK-LABEL: func.func @four_rows
//       CHECK:   strategy = "few-rows"
func.func @four_rows(%a: tensor<4x768xf32>, %b: tensor<768x768xf32>, %c: tensor<4x768xf32>)
    -> tensor<4x768xf32> {
  %0 = linalg.matmul
    ins(%a, %b : tensor<4x768xf32>, tensor<768x768xf32>)
    outs(%c : tensor<4x768xf32>) -> tensor<4x768xf32>
  return %0 : tensor<4x768xf32>
}

// CHECK-LABEL: func.func @nine_rows
//   CHECK-NOT:   strategy = "few-rows"
//       CHECK:   tile_m = 16 : i64, tile_n = 64 : i64
//  CHECK-SAME:   strategy = "split-k"
func.func @nine_rows(%a: tensor<9x4096xf32>, %b: tensor<4096x4096xf32>, %c: tensor<9x4096xf32>)
    -> tensor<9x4096xf32> {
  %0 = linalg.matmul
    ins(%a, %b : tensor<9x4096xf32>, tensor<4096x4096xf32>)
    outs(%c : tensor<9x4096xf32>) -> tensor<9x4096xf32>
  return %0 : tensor<9x4096xf32>
}

// A number of rows known at run time alone gets a plan for every range of them.

// CHECK-LABEL: func.func @rows_at_run_time
//       CHECK:   cases = [
//  CHECK-SAME:     {at_most = 4 : i64, {{.*}} strategy = "few-rows"}
//  CHECK-SAME:     {at_most = 16 : i64, {{[^}]*}}tile_m = 16 : i64, {{[^}]*}}}, strategy = "split-k"}
//  CHECK-SAME:     {at_most = 256 : i64, {{.*}} strategy = "split-k"}
//  CHECK-SAME:   strategy = "tile"
func.func @rows_at_run_time(%a: tensor<?x768xf32>, %b: tensor<768x768xf32>, %c: tensor<?x768xf32>)
    -> tensor<?x768xf32> {
  %0 = linalg.matmul
    ins(%a, %b : tensor<?x768xf32>, tensor<768x768xf32>)
    outs(%c : tensor<?x768xf32>) -> tensor<?x768xf32>
  return %0 : tensor<?x768xf32>
}

// A promise about the rows leaves out the plans for more.

// CHECK-LABEL: func.func @promised_rows
//   CHECK-NOT:   cases
//       CHECK:   rows = 4 : i64
//  CHECK-SAME:   strategy = "few-rows"
func.func @promised_rows(%a: tensor<?x768xf32>, %b: tensor<768x768xf32>, %c: tensor<?x768xf32>, %n: index)
    -> tensor<?x768xf32> {
  %m = util.assume.int %n<umin = 1, umax = 4> : index
  %rows = flow.tensor.tie_shape %a : tensor<?x768xf32>{%m}
  %0 = linalg.matmul
    ins(%rows, %b : tensor<?x768xf32>, tensor<768x768xf32>)
    outs(%c : tensor<?x768xf32>) -> tensor<?x768xf32>
  return %0 : tensor<?x768xf32>
}

// Matrix units, where the target lists them for the types.

// CHECK-LABEL: func.func @half_inputs
//       CHECK:   strategy = "cooperative"
func.func @half_inputs(%a: tensor<256x256xf16>, %b: tensor<256x256xf16>, %c: tensor<256x256xf32>)
    -> tensor<256x256xf32> {
  %0 = linalg.matmul
    ins(%a, %b : tensor<256x256xf16>, tensor<256x256xf16>)
    outs(%c : tensor<256x256xf32>) -> tensor<256x256xf32>
  return %0 : tensor<256x256xf32>
}

// What is not a product stays as it was, and so does the computation of what is.

// CHECK-LABEL: func.func @others
//  CHECK-NEXT:   %[[TURNED:.*]] = linalg.transpose ins(%arg0 : tensor<4x8xf32>) outs(%arg1 : tensor<8x4xf32>) permutation = [1, 0]
//  CHECK-NEXT:   return %[[TURNED]] : tensor<8x4xf32>
func.func @others(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = linalg.transpose ins(%a : tensor<4x8xf32>) outs(%b : tensor<8x4xf32>) permutation = [1, 0]
  return %0 : tensor<8x4xf32>
}
