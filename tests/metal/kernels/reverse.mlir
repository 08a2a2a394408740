// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reverses each part of 64 elements through workgroup memory, then adds b.

#layout = #hal.pipeline.layout<constants = 0, bindings = [
  #hal.pipeline.binding<storage_buffer, ReadOnly>,
  #hal.pipeline.binding<storage_buffer, ReadOnly>,
  #hal.pipeline.binding<storage_buffer>
]>
#none = #iree_codegen.translation_info<pipeline = #iree_codegen.no_pipeline
  workgroup_size = [64, 1, 1]>
!device = memref<256xf32, #hal.descriptor_type<storage_buffer>>
!tile = memref<64xf32, #gpu.address_space<workgroup>>
!host = tensor<256xf32>
hal.executable.source private @reverse {
  hal.executable.export public @reverse ordinal(0) layout(#layout) count(%device: !hal.device) -> (index, index, index) {
    %c4 = arith.constant 4 : index
    %c1 = arith.constant 1 : index
    hal.return %c4, %c1, %c1 : index, index, index
  }
  builtin.module {
    func.func @reverse() attributes {translation_info = #none, gemm.msl} {
      %c0 = arith.constant 0 : index
      %c63 = arith.constant 63 : index
      %c64 = arith.constant 64 : index
      %a = hal.interface.binding.subspan layout(#layout) binding(0) alignment(64) offset(%c0) flags(ReadOnly) : !device
      %b = hal.interface.binding.subspan layout(#layout) binding(1) alignment(64) offset(%c0) flags(ReadOnly) : !device
      %c = hal.interface.binding.subspan layout(#layout) binding(2) alignment(64) offset(%c0) : !device
      %tile = memref.alloc() : !tile
      %group = hal.interface.workgroup.id[0] : index
      %thread = gpu.thread_id x
      %first = arith.muli %group, %c64 : index
      %at = arith.addi %first, %thread : index
      %value = memref.load %a[%at] : !device
      memref.store %value, %tile[%thread] : !tile
      gpu.barrier memfence [#gpu.address_space<workgroup>]
      %mirror = arith.subi %c63, %thread : index
      %other = memref.load %tile[%mirror] : !tile
      %bias = memref.load %b[%at] : !device
      %sum = arith.addf %other, %bias : f32
      memref.store %sum, %c[%at] : !device
      return
    }
  }
}
func.func @main(%a: !host, %b: !host) -> !host {
  %c = flow.dispatch @reverse::@reverse(%a, %b) : (!host, !host) -> !host
  return %c : !host
}
