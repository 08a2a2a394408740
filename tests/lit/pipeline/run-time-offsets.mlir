// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One weight of many is read where it lies, whoever knows which.
// RUN: iree-compile --iree-load-plugin=%plugin --iree-plugin=gemm \
// RUN:   --iree-hal-target-device=vulkan --iree-vulkan-target=llvmpipe \
// RUN:   --compile-to=stream %s | filecheck %s

#map = affine_map<() -> ()>

// The host computes the index from a size and passes it.

// CHECK-LABEL: util.func public @host
//   CHECK-NOT:   stream.cmd.copy
//       CHECK:   stream.cmd.dispatch @gemm_{{.*}}(%{{.*}} : i32)
//   CHECK-NOT:   stream.cmd
//       CHECK:   util.return
func.func @host(%a: tensor<4x32xf32>, %all: tensor<8x32x48xf32>, %sized: tensor<?xi8>)
    -> tensor<4x48xf32> {
  %zero = arith.constant 0 : index
  %eight = arith.constant 8 : index
  %size = tensor.dim %sized, %zero : tensor<?xi8>
  %i = arith.remui %size, %eight : index
  %b = tensor.extract_slice %all[%i, 0, 0] [1, 32, 48] [1, 1, 1]
    : tensor<8x32x48xf32> to tensor<32x48xf32>
  %none = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x48xf32>
  %init = linalg.fill ins(%none : f32) outs(%empty : tensor<4x48xf32>) -> tensor<4x48xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<4x32xf32>, tensor<32x48xf32>)
    outs(%init : tensor<4x48xf32>) -> tensor<4x48xf32>
  return %0 : tensor<4x48xf32>
}

// The device computed it: one submission, without a readback.

// CHECK-LABEL: util.func public @device
//       CHECK:   stream.cmd.execute
//       CHECK:   stream.cmd.dispatch @device_dispatch_0
//       CHECK:   stream.cmd.dispatch @gemm_
//   CHECK-NOT:   stream.cmd
//       CHECK:   util.return
func.func @device(%a: tensor<4x32xf32>, %all: tensor<8x32x48xf32>, %which: tensor<i32>)
    -> tensor<4x48xf32> {
  %mask = arith.constant 7 : i32
  %room = tensor.empty() : tensor<i32>
  %low = linalg.generic {indexing_maps = [#map, #map], iterator_types = []}
      ins(%which : tensor<i32>) outs(%room : tensor<i32>) {
  ^bb0(%in: i32, %out: i32):
    %and = arith.andi %in, %mask : i32
    linalg.yield %and : i32
  } -> tensor<i32>
  %element = tensor.extract %low[] : tensor<i32>
  %i = arith.index_cast %element : i32 to index
  %b = tensor.extract_slice %all[%i, 0, 0] [1, 32, 48] [1, 1, 1]
    : tensor<8x32x48xf32> to tensor<32x48xf32>
  %none = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x48xf32>
  %init = linalg.fill ins(%none : f32) outs(%empty : tensor<4x48xf32>) -> tensor<4x48xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<4x32xf32>, tensor<32x48xf32>)
    outs(%init : tensor<4x48xf32>) -> tensor<4x48xf32>
  return %0 : tensor<4x48xf32>
}
