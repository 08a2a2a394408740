module @jit_main attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x40x64xf32>, %arg1: tensor<64x2x2x16xf32>, %arg2: tensor<64x2x16xf32>, %arg3: tensor<64x2x16xf32>, %arg4: tensor<2x2x16x64xf32>, %arg5: tensor<64x96xf32>, %arg6: tensor<64x96xf32>, %arg7: tensor<96x64xf32>) -> (tensor<2x40x64xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x40x64xf32>, tensor<64x2x2x16xf32>) -> tensor<2x40x2x2x16xf32>
    %1 = stablehlo.dot_general %arg0, %arg2, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x40x64xf32>, tensor<64x2x16xf32>) -> tensor<2x40x2x16xf32>
    %2 = stablehlo.dot_general %arg0, %arg3, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x40x64xf32>, tensor<64x2x16xf32>) -> tensor<2x40x2x16xf32>
    %3 = stablehlo.dot_general %1, %0, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [4], precision = [DEFAULT, DEFAULT] : (tensor<2x40x2x16xf32>, tensor<2x40x2x2x16xf32>) -> tensor<2x2x40x40x2xf32>
    %4 = stablehlo.transpose %3, dims = [0, 1, 4, 3, 2] : (tensor<2x2x40x40x2xf32>) -> tensor<2x2x2x40x40xf32>
    %cst = stablehlo.constant dense<2.500000e-01> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x2x2x40x40xf32>
    %6 = stablehlo.multiply %4, %5 : tensor<2x2x2x40x40xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_0) applies stablehlo.maximum across dimensions = [4] : (tensor<2x2x2x40x40xf32>, tensor<f32>) -> tensor<2x2x2x40xf32>
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x2x2x40xf32>
    %9 = stablehlo.maximum %8, %7 : tensor<2x2x2x40xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2, 3] : (tensor<2x2x2x40xf32>) -> tensor<2x2x2x40x1xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1, 2, 3, 4] : (tensor<2x2x2x40x1xf32>) -> tensor<2x2x2x40x40xf32>
    %12 = stablehlo.subtract %6, %11 : tensor<2x2x2x40x40xf32>
    %13 = stablehlo.exponential %12 : tensor<2x2x2x40x40xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.reduce(%13 init: %cst_2) applies stablehlo.add across dimensions = [4] : (tensor<2x2x2x40x40xf32>, tensor<f32>) -> tensor<2x2x2x40xf32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2, 3] : (tensor<2x2x2x40xf32>) -> tensor<2x2x2x40x1xf32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1, 2, 3, 4] : (tensor<2x2x2x40x1xf32>) -> tensor<2x2x2x40x40xf32>
    %17 = stablehlo.divide %13, %16 : tensor<2x2x2x40x40xf32>
    %18 = stablehlo.dot_general %2, %17, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [4], precision = [DEFAULT, DEFAULT] : (tensor<2x40x2x16xf32>, tensor<2x2x2x40x40xf32>) -> tensor<2x2x16x2x40xf32>
    %19 = stablehlo.transpose %18, dims = [0, 4, 1, 3, 2] : (tensor<2x2x16x2x40xf32>) -> tensor<2x40x2x2x16xf32>
    %20 = stablehlo.dot_general %19, %arg4, contracting_dims = [4, 2, 3] x [2, 0, 1], precision = [DEFAULT, DEFAULT] : (tensor<2x40x2x2x16xf32>, tensor<2x2x16x64xf32>) -> tensor<2x40x64xf32>
    %21 = stablehlo.add %arg0, %20 : tensor<2x40x64xf32>
    %22 = stablehlo.dot_general %21, %arg5, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x40x64xf32>, tensor<64x96xf32>) -> tensor<2x40x96xf32>
    %23 = call @silu(%22) : (tensor<2x40x96xf32>) -> tensor<2x40x96xf32>
    %24 = stablehlo.dot_general %21, %arg6, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x40x64xf32>, tensor<64x96xf32>) -> tensor<2x40x96xf32>
    %25 = stablehlo.multiply %23, %24 : tensor<2x40x96xf32>
    %26 = stablehlo.dot_general %25, %arg7, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x40x96xf32>, tensor<96x64xf32>) -> tensor<2x40x64xf32>
    %27 = stablehlo.add %21, %26 : tensor<2x40x64xf32>
    return %27 : tensor<2x40x64xf32>
  }
  func.func private @silu(%arg0: tensor<2x40x96xf32>) -> tensor<2x40x96xf32> {
    %0 = stablehlo.negate %arg0 : tensor<2x40x96xf32>
    %1 = stablehlo.exponential %0 : tensor<2x40x96xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x40x96xf32>
    %3 = stablehlo.add %2, %1 : tensor<2x40x96xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x40x96xf32>
    %5 = stablehlo.divide %4, %3 : tensor<2x40x96xf32>
    %6 = stablehlo.multiply %arg0, %5 : tensor<2x40x96xf32>
    return %6 : tensor<2x40x96xf32>
  }
}
