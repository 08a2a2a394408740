// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Each thread applies $COUNT operations to one element of a and of b.

#layout = #hal.pipeline.layout<constants = 0, bindings = [
  #hal.pipeline.binding<storage_buffer, ReadOnly>,
  #hal.pipeline.binding<storage_buffer, ReadOnly>,
  #hal.pipeline.binding<storage_buffer>
]>
#none = #iree_codegen.translation_info<pipeline = #iree_codegen.no_pipeline
  workgroup_size = [64, 1, 1]>
!in = memref<64x$IN, #hal.descriptor_type<storage_buffer>>
!out = memref<$COUNTx64x$OUT, #hal.descriptor_type<storage_buffer>>
hal.executable.source private @operations {
  hal.executable.export public @operations ordinal(0) layout(#layout)
  builtin.module {
    func.func @operations() attributes {translation_info = #none, gemm.msl} {
      %c0 = arith.constant 0 : index
      %in_a = hal.interface.binding.subspan layout(#layout) binding(0) alignment(64) offset(%c0) flags(ReadOnly) : !in
      %in_b = hal.interface.binding.subspan layout(#layout) binding(1) alignment(64) offset(%c0) flags(ReadOnly) : !in
      %out = hal.interface.binding.subspan layout(#layout) binding(2) alignment(64) offset(%c0) : !out
      %t = gpu.thread_id x
      %a = memref.load %in_a[%t] : !in
      %b = memref.load %in_b[%t] : !in
      $BODY
      return
    }
  }
}
