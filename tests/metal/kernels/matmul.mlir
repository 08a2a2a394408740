// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A plain product, for IREE to lower.
func.func @main(%a: tensor<$Mx$Kx$T>, %b: tensor<$Kx$Nx$T>) -> tensor<$Mx$Nxf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<$Mx$Nxf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<$Mx$Nxf32>) -> tensor<$Mx$Nxf32>
  %c = linalg.matmul ins(%a, %b : tensor<$Mx$Kx$T>, tensor<$Kx$Nx$T>) outs(%fill : tensor<$Mx$Nxf32>) -> tensor<$Mx$Nxf32>
  return %c : tensor<$Mx$Nxf32>
}
