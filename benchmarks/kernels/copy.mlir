// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rate of memory: 16 bytes an invocation from one buffer to another.

#layout = #hal.pipeline.layout<constants = 0, bindings = [
  #hal.pipeline.binding<storage_buffer, ReadOnly>,
  #hal.pipeline.binding<storage_buffer>
]>
#translation = #iree_codegen.translation_info<
  pipeline = #iree_codegen.no_pipeline workgroup_size = [256, 1, 1]>
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
      %c256 = arith.constant 256 : index
      %from = hal.interface.binding.subspan layout(#layout) binding(0) alignment(64)
        offset(%c0) : memref<${vectors}xvector<4xf32>, #storage>
      %to = hal.interface.binding.subspan layout(#layout) binding(1) alignment(64)
        offset(%c0) : memref<${vectors}xvector<4xf32>, #storage>
      %group = hal.interface.workgroup.id[0] : index
      %thread = gpu.thread_id x
      %first = arith.muli %group, %c256 overflow<nsw, nuw> : index
      %at = arith.addi %first, %thread overflow<nsw, nuw> : index
      %value = memref.load %from[%at] : memref<${vectors}xvector<4xf32>, #storage>
      memref.store %value, %to[%at] : memref<${vectors}xvector<4xf32>, #storage>
      return
    }
  }
}

func.func @main(%from: tensor<${elements}xf32>) -> tensor<${elements}xf32> {
  %x = arith.constant ${workgroups} : index
  %to = flow.dispatch @kernel::@kernel[%x](%from)
    : (tensor<${elements}xf32>) -> tensor<${elements}xf32>
  return %to : tensor<${elements}xf32>
}
