// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rate of matrix units on registers: 64 x 64 sums a subgroup, f16 to f32.

#layout = #hal.pipeline.layout<constants = 0, bindings = [
  #hal.pipeline.binding<storage_buffer, ReadOnly>,
  #hal.pipeline.binding<storage_buffer>
]>
#translation = #iree_codegen.translation_info<
  pipeline = #iree_codegen.no_pipeline workgroup_size = [128, 1, 1]
  subgroup_size = 32>
#storage = #hal.descriptor_type<storage_buffer>
!a = !gpu.mma_matrix<16x16xf16, "AOp">
!b = !gpu.mma_matrix<16x16xf16, "BOp">
!c = !gpu.mma_matrix<16x16xf32, "COp">

hal.executable.source private @kernel {
  hal.executable.export public @kernel ordinal(0) layout(#layout)
      count(%device: !hal.device, %x: index) -> (index, index, index) {
    %c1 = arith.constant 1 : index
    hal.return %x, %c1, %c1 : index, index, index
  }
  builtin.module {
    func.func @kernel() attributes {translation_info = #translation} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %c16 = arith.constant 16 : index
      %c32 = arith.constant 32 : index
      %c64 = arith.constant 64 : index
      %steps = arith.constant ${steps} : index
      %none = arith.constant 0.0 : f32
      %zero = gpu.subgroup_mma_constant_matrix %none : !c
      %from = hal.interface.binding.subspan layout(#layout) binding(0) alignment(64)
        offset(%c0) : memref<128x64xf16, #storage>
      %to = hal.interface.binding.subspan layout(#layout) binding(1) alignment(64)
        offset(%c0) : memref<${rows}x16xf32, #storage>
      %group = hal.interface.workgroup.id[0] : index
      %thread = gpu.thread_id x
      %subgroup = arith.divui %thread, %c32 : index
${loads}
      %sums:16 = scf.for %i = %c0 to %steps step %c1 iter_args(${starts})
          -> (${types}) {
${products}
        scf.yield ${yielded} : ${types}
      }
${total}
      %four = arith.muli %group, %c4 overflow<nsw, nuw> : index
      %number = arith.addi %four, %subgroup overflow<nsw, nuw> : index
      %row = arith.muli %number, %c16 overflow<nsw, nuw> : index
      gpu.subgroup_mma_store_matrix %t15, %to[%row, %c0] leadDimension 16
        : !c, memref<${rows}x16xf32, #storage>
      return
    }
  }
}

func.func @main(%from: tensor<128x64xf16>) -> tensor<${rows}x16xf32> {
  %x = arith.constant ${workgroups} : index
  %to = flow.dispatch @kernel::@kernel[%x](%from)
    : (tensor<128x64xf16>) -> tensor<${rows}x16xf32>
  return %to : tensor<${rows}x16xf32>
}
