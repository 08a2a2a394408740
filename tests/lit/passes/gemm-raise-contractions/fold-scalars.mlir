// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: iree-gemm-opt --passes=gemm-raise-contractions %s | filecheck %s

// Scalars that come out of tensors are read in the kernel: the host need not wait.

// CHECK-LABEL: func.func @zero_point
// CHECK: "gemm.matmul"(%arg0, %arg2, %arg1, %arg4, %arg3)
// CHECK: operandSegmentSizes = array<i32: 2, 2, 1, 0, 0>
func.func @zero_point(%a: tensor<5x3xi8>, %b: tensor<3x7xi8>, %p: tensor<i32>, %c: tensor<5x7xi32>,
    %q: tensor<4xi32>) -> tensor<5x7xi32> {
  %two = arith.constant 2 : index
  %x = tensor.extract %p[] : tensor<i32>
  %y = tensor.extract %q[%two] : tensor<4xi32>
  %0 = linalg.quantized_matmul
    ins(%a, %b, %x, %y : tensor<5x3xi8>, tensor<3x7xi8>, i32, i32)
    outs(%c : tensor<5x7xi32>) -> tensor<5x7xi32>
  return %0 : tensor<5x7xi32>
}

// Also at an index that is known at run time alone, which the kernel is told.
// CHECK-LABEL: func.func @dynamic_index
// CHECK: "gemm.matmul"(%arg0, %arg2, %arg1, %arg4, %arg3, %arg5)
// CHECK: iterators = ["m", "n", "k", "offset"]
func.func @dynamic_index(%a: tensor<5x3xi8>, %b: tensor<3x7xi8>, %p: tensor<i32>, %c: tensor<5x7xi32>,
    %q: tensor<4xi32>, %i: index) -> tensor<5x7xi32> {
  %x = tensor.extract %p[] : tensor<i32>
  %y = tensor.extract %q[%i] : tensor<4xi32>
  %0 = linalg.quantized_matmul
    ins(%a, %b, %x, %y : tensor<5x3xi8>, tensor<3x7xi8>, i32, i32)
    outs(%c : tensor<5x7xi32>) -> tensor<5x7xi32>
  return %0 : tensor<5x7xi32>
}

// The kernel would have to know the size of a tensor that it does not walk.
// CHECK-LABEL: func.func @dynamic_size
// CHECK: %[[Y:.*]] = tensor.extract %arg4[%arg5]
// CHECK: "gemm.matmul"(%arg0, %arg2, %arg1, %[[Y]], %arg3)
func.func @dynamic_size(%a: tensor<5x3xi8>, %b: tensor<3x7xi8>, %p: tensor<i32>, %c: tensor<5x7xi32>,
    %q: tensor<?xi32>, %i: index) -> tensor<5x7xi32> {
  %x = tensor.extract %p[] : tensor<i32>
  %y = tensor.extract %q[%i] : tensor<?xi32>
  %0 = linalg.quantized_matmul
    ins(%a, %b, %x, %y : tensor<5x3xi8>, tensor<3x7xi8>, i32, i32)
    outs(%c : tensor<5x7xi32>) -> tensor<5x7xi32>
  return %0 : tensor<5x7xi32>
}
