module @jit_routed_experts attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x64xf32>, %arg1: tensor<64x4xf32>, %arg2: tensor<4x64x96xf32>, %arg3: tensor<4x96x64xf32>) -> (tensor<1x64xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x64xf32>, tensor<64x4xf32>) -> tensor<1x4xf32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<1x4xf32>, tensor<f32>) -> tensor<1xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %3 = stablehlo.maximum %2, %1 : tensor<1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<1xf32>) -> tensor<1x1xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x4xf32>
    %6 = stablehlo.subtract %0, %5 : tensor<1x4xf32>
    %7 = stablehlo.exponential %6 : tensor<1x4xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%7 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<1x4xf32>, tensor<f32>) -> tensor<1xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0] : (tensor<1xf32>) -> tensor<1x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x4xf32>
    %11 = stablehlo.divide %7, %10 : tensor<1x4xf32>
    %12 = stablehlo.reshape %11 : (tensor<1x4xf32>) -> tensor<4xf32>
    %13 = call @argmax(%12) : (tensor<4xf32>) -> tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %14 = stablehlo.compare LT, %c, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %c_4 = stablehlo.constant dense<1> : tensor<i32>
    %15 = stablehlo.add %c_3, %c_4 : tensor<i32>
    %c_5 = stablehlo.constant dense<0> : tensor<i32>
    %16 = stablehlo.select %14, %15, %c_5 : tensor<i1>, tensor<i32>
    %c_6 = stablehlo.constant dense<0> : tensor<i32>
    %17 = stablehlo.compare LT, %13, %c_6, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_7 = stablehlo.constant dense<4> : tensor<i32>
    %18 = stablehlo.add %13, %c_7 : tensor<i32>
    %19 = stablehlo.select %17, %18, %13 : tensor<i1>, tensor<i32>
    %20 = stablehlo.dynamic_slice %11, %16, %19, sizes = [1, 1] : (tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x1xf32>
    %21 = stablehlo.reshape %20 : (tensor<1x1xf32>) -> tensor<1xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0] : (tensor<1xf32>) -> tensor<1x1xf32>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %23 = stablehlo.compare LT, %13, %c_8, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_9 = stablehlo.constant dense<4> : tensor<i32>
    %24 = stablehlo.add %13, %c_9 : tensor<i32>
    %25 = stablehlo.select %23, %24, %13 : tensor<i1>, tensor<i32>
    %c_10 = stablehlo.constant dense<0> : tensor<i32>
    %c_11 = stablehlo.constant dense<0> : tensor<i32>
    %26 = stablehlo.compare LT, %c_10, %c_11, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_12 = stablehlo.constant dense<0> : tensor<i32>
    %c_13 = stablehlo.constant dense<64> : tensor<i32>
    %27 = stablehlo.add %c_12, %c_13 : tensor<i32>
    %c_14 = stablehlo.constant dense<0> : tensor<i32>
    %28 = stablehlo.select %26, %27, %c_14 : tensor<i1>, tensor<i32>
    %c_15 = stablehlo.constant dense<0> : tensor<i32>
    %c_16 = stablehlo.constant dense<0> : tensor<i32>
    %29 = stablehlo.compare LT, %c_15, %c_16, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_17 = stablehlo.constant dense<0> : tensor<i32>
    %c_18 = stablehlo.constant dense<96> : tensor<i32>
    %30 = stablehlo.add %c_17, %c_18 : tensor<i32>
    %c_19 = stablehlo.constant dense<0> : tensor<i32>
    %31 = stablehlo.select %29, %30, %c_19 : tensor<i1>, tensor<i32>
    %32 = stablehlo.dynamic_slice %arg2, %25, %28, %31, sizes = [1, 64, 96] : (tensor<4x64x96xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x64x96xf32>
    %33 = stablehlo.reshape %32 : (tensor<1x64x96xf32>) -> tensor<64x96xf32>
    %34 = stablehlo.dot_general %arg0, %33, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x64xf32>, tensor<64x96xf32>) -> tensor<1x96xf32>
    %35 = call @relu(%34) : (tensor<1x96xf32>) -> tensor<1x96xf32>
    %c_20 = stablehlo.constant dense<0> : tensor<i32>
    %36 = stablehlo.compare LT, %13, %c_20, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_21 = stablehlo.constant dense<4> : tensor<i32>
    %37 = stablehlo.add %13, %c_21 : tensor<i32>
    %38 = stablehlo.select %36, %37, %13 : tensor<i1>, tensor<i32>
    %c_22 = stablehlo.constant dense<0> : tensor<i32>
    %c_23 = stablehlo.constant dense<0> : tensor<i32>
    %39 = stablehlo.compare LT, %c_22, %c_23, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_24 = stablehlo.constant dense<0> : tensor<i32>
    %c_25 = stablehlo.constant dense<96> : tensor<i32>
    %40 = stablehlo.add %c_24, %c_25 : tensor<i32>
    %c_26 = stablehlo.constant dense<0> : tensor<i32>
    %41 = stablehlo.select %39, %40, %c_26 : tensor<i1>, tensor<i32>
    %c_27 = stablehlo.constant dense<0> : tensor<i32>
    %c_28 = stablehlo.constant dense<0> : tensor<i32>
    %42 = stablehlo.compare LT, %c_27, %c_28, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_29 = stablehlo.constant dense<0> : tensor<i32>
    %c_30 = stablehlo.constant dense<64> : tensor<i32>
    %43 = stablehlo.add %c_29, %c_30 : tensor<i32>
    %c_31 = stablehlo.constant dense<0> : tensor<i32>
    %44 = stablehlo.select %42, %43, %c_31 : tensor<i1>, tensor<i32>
    %45 = stablehlo.dynamic_slice %arg3, %38, %41, %44, sizes = [1, 96, 64] : (tensor<4x96x64xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x96x64xf32>
    %46 = stablehlo.reshape %45 : (tensor<1x96x64xf32>) -> tensor<96x64xf32>
    %47 = stablehlo.dot_general %35, %46, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x96xf32>, tensor<96x64xf32>) -> tensor<1x64xf32>
    %48 = stablehlo.broadcast_in_dim %22, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x64xf32>
    %49 = stablehlo.multiply %48, %47 : tensor<1x64xf32>
    %50 = stablehlo.add %arg0, %49 : tensor<1x64xf32>
    %c_32 = stablehlo.constant dense<0> : tensor<i32>
    %51 = stablehlo.compare LT, %13, %c_32, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_33 = stablehlo.constant dense<4> : tensor<i32>
    %52 = stablehlo.add %13, %c_33 : tensor<i32>
    %53 = stablehlo.select %51, %52, %13 : tensor<i1>, tensor<i32>
    %c_34 = stablehlo.constant dense<0> : tensor<i32>
    %54 = stablehlo.broadcast_in_dim %c_34, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %55 = stablehlo.broadcast_in_dim %53, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %56 = stablehlo.concatenate %54, %55, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %cst_35 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %57 = "stablehlo.scatter"(%11, %56, %cst_35) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1]>, unique_indices = true}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      stablehlo.return %arg5 : tensor<f32>
    }) : (tensor<1x4xf32>, tensor<2xi32>, tensor<f32>) -> tensor<1x4xf32>
    %58 = stablehlo.reshape %57 : (tensor<1x4xf32>) -> tensor<4xf32>
    %59 = call @argmax(%58) : (tensor<4xf32>) -> tensor<i32>
    %c_36 = stablehlo.constant dense<0> : tensor<i32>
    %c_37 = stablehlo.constant dense<0> : tensor<i32>
    %60 = stablehlo.compare LT, %c_36, %c_37, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_38 = stablehlo.constant dense<0> : tensor<i32>
    %c_39 = stablehlo.constant dense<1> : tensor<i32>
    %61 = stablehlo.add %c_38, %c_39 : tensor<i32>
    %c_40 = stablehlo.constant dense<0> : tensor<i32>
    %62 = stablehlo.select %60, %61, %c_40 : tensor<i1>, tensor<i32>
    %c_41 = stablehlo.constant dense<0> : tensor<i32>
    %63 = stablehlo.compare LT, %59, %c_41, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_42 = stablehlo.constant dense<4> : tensor<i32>
    %64 = stablehlo.add %59, %c_42 : tensor<i32>
    %65 = stablehlo.select %63, %64, %59 : tensor<i1>, tensor<i32>
    %66 = stablehlo.dynamic_slice %57, %62, %65, sizes = [1, 1] : (tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x1xf32>
    %67 = stablehlo.reshape %66 : (tensor<1x1xf32>) -> tensor<1xf32>
    %68 = stablehlo.broadcast_in_dim %67, dims = [0] : (tensor<1xf32>) -> tensor<1x1xf32>
    %c_43 = stablehlo.constant dense<0> : tensor<i32>
    %69 = stablehlo.compare LT, %59, %c_43, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_44 = stablehlo.constant dense<4> : tensor<i32>
    %70 = stablehlo.add %59, %c_44 : tensor<i32>
    %71 = stablehlo.select %69, %70, %59 : tensor<i1>, tensor<i32>
    %c_45 = stablehlo.constant dense<0> : tensor<i32>
    %c_46 = stablehlo.constant dense<0> : tensor<i32>
    %72 = stablehlo.compare LT, %c_45, %c_46, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_47 = stablehlo.constant dense<0> : tensor<i32>
    %c_48 = stablehlo.constant dense<64> : tensor<i32>
    %73 = stablehlo.add %c_47, %c_48 : tensor<i32>
    %c_49 = stablehlo.constant dense<0> : tensor<i32>
    %74 = stablehlo.select %72, %73, %c_49 : tensor<i1>, tensor<i32>
    %c_50 = stablehlo.constant dense<0> : tensor<i32>
    %c_51 = stablehlo.constant dense<0> : tensor<i32>
    %75 = stablehlo.compare LT, %c_50, %c_51, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_52 = stablehlo.constant dense<0> : tensor<i32>
    %c_53 = stablehlo.constant dense<96> : tensor<i32>
    %76 = stablehlo.add %c_52, %c_53 : tensor<i32>
    %c_54 = stablehlo.constant dense<0> : tensor<i32>
    %77 = stablehlo.select %75, %76, %c_54 : tensor<i1>, tensor<i32>
    %78 = stablehlo.dynamic_slice %arg2, %71, %74, %77, sizes = [1, 64, 96] : (tensor<4x64x96xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x64x96xf32>
    %79 = stablehlo.reshape %78 : (tensor<1x64x96xf32>) -> tensor<64x96xf32>
    %80 = stablehlo.dot_general %arg0, %79, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x64xf32>, tensor<64x96xf32>) -> tensor<1x96xf32>
    %81 = call @relu(%80) : (tensor<1x96xf32>) -> tensor<1x96xf32>
    %c_55 = stablehlo.constant dense<0> : tensor<i32>
    %82 = stablehlo.compare LT, %59, %c_55, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_56 = stablehlo.constant dense<4> : tensor<i32>
    %83 = stablehlo.add %59, %c_56 : tensor<i32>
    %84 = stablehlo.select %82, %83, %59 : tensor<i1>, tensor<i32>
    %c_57 = stablehlo.constant dense<0> : tensor<i32>
    %c_58 = stablehlo.constant dense<0> : tensor<i32>
    %85 = stablehlo.compare LT, %c_57, %c_58, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_59 = stablehlo.constant dense<0> : tensor<i32>
    %c_60 = stablehlo.constant dense<96> : tensor<i32>
    %86 = stablehlo.add %c_59, %c_60 : tensor<i32>
    %c_61 = stablehlo.constant dense<0> : tensor<i32>
    %87 = stablehlo.select %85, %86, %c_61 : tensor<i1>, tensor<i32>
    %c_62 = stablehlo.constant dense<0> : tensor<i32>
    %c_63 = stablehlo.constant dense<0> : tensor<i32>
    %88 = stablehlo.compare LT, %c_62, %c_63, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_64 = stablehlo.constant dense<0> : tensor<i32>
    %c_65 = stablehlo.constant dense<64> : tensor<i32>
    %89 = stablehlo.add %c_64, %c_65 : tensor<i32>
    %c_66 = stablehlo.constant dense<0> : tensor<i32>
    %90 = stablehlo.select %88, %89, %c_66 : tensor<i1>, tensor<i32>
    %91 = stablehlo.dynamic_slice %arg3, %84, %87, %90, sizes = [1, 96, 64] : (tensor<4x96x64xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x96x64xf32>
    %92 = stablehlo.reshape %91 : (tensor<1x96x64xf32>) -> tensor<96x64xf32>
    %93 = stablehlo.dot_general %81, %92, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x96xf32>, tensor<96x64xf32>) -> tensor<1x64xf32>
    %94 = stablehlo.broadcast_in_dim %68, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x64xf32>
    %95 = stablehlo.multiply %94, %93 : tensor<1x64xf32>
    %96 = stablehlo.add %50, %95 : tensor<1x64xf32>
    return %96 : tensor<1x64xf32>
  }
  func.func private @argmax(%arg0: tensor<4xf32>) -> tensor<i32> {
    %0 = stablehlo.iota dim = 0 : tensor<4xi32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [0] : (tensor<4xf32>, tensor<4xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
     reducer(%arg1: tensor<f32>, %arg3: tensor<f32>) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<f32>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i32>
      stablehlo.return %9, %10 : tensor<f32>, tensor<i32>
    }
    return %1#1 : tensor<i32>
  }
  func.func private @relu(%arg0: tensor<1x96xf32>) -> tensor<1x96xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1x96xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<1x96xf32>
    return %1 : tensor<1x96xf32>
  }
}
