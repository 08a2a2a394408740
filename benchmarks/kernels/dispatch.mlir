// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a dispatch in a chain costs when it does next to nothing.

#layout = #hal.pipeline.layout<constants = 0, bindings = [
  #hal.pipeline.binding<storage_buffer, ReadOnly>,
  #hal.pipeline.binding<storage_buffer>
]>
#translation = #iree_codegen.translation_info<
  pipeline = #iree_codegen.no_pipeline workgroup_size = [64, 1, 1]>
#storage = #hal.descriptor_type<storage_buffer>

hal.executable.source private @kernel {
  hal.executable.export public @kernel ordinal(0) layout(#layout)
      count(%device: !hal.device, %x: index) -> (index, index, index) {
    %c1 = arith.constant 1 : index
    hal.return %x, %c1, %c1 : index, index, index
  }
  builtin.module {
    func.func @kernel() attributes {translation_info = #translation} {
      %c0 = arith.constant 0 : index
      %from = hal.interface.binding.subspan layout(#layout) binding(0) alignment(64)
        offset(%c0) : memref<64xf32, #storage>
      %to = hal.interface.binding.subspan layout(#layout) binding(1) alignment(64)
        offset(%c0) : memref<64xf32, #storage>
      %thread = gpu.thread_id x
      %value = memref.load %from[%thread] : memref<64xf32, #storage>
      memref.store %value, %to[%thread] : memref<64xf32, #storage>
      return
    }
  }
}

func.func @main(%from: tensor<64xf32>) -> tensor<64xf32> {
  %x = arith.constant ${workgroups} : index
  %to = flow.dispatch @kernel::@kernel[%x](%from)
    : (tensor<64xf32>) -> tensor<64xf32>
  return %to : tensor<64xf32>
}
