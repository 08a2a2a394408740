// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A product of fragments, in the form that kernels of this project have: 4 subgroups
// share a 32 x 32 tile, each has 2 x 2 fragments; k in steps of 8 through workgroup
// memory. $T is the type of A and B. m, n and k are multiples of 32, 32 and 8.

#layout = #hal.pipeline.layout<constants = 2, bindings = [
  #hal.pipeline.binding<storage_buffer, ReadOnly>,
  #hal.pipeline.binding<storage_buffer, ReadOnly>,
  #hal.pipeline.binding<storage_buffer>
]>
#none = #iree_codegen.translation_info<pipeline = #iree_codegen.no_pipeline
  workgroup_size = [128, 1, 1] subgroup_size = 32>
!device = memref<?x?x$T, #hal.descriptor_type<storage_buffer>>
!result = memref<?x?xf32, #hal.descriptor_type<storage_buffer>>
!tile_a = memref<32x12x$T, #gpu.address_space<workgroup>>
!tile_b = memref<8x36x$T, #gpu.address_space<workgroup>>
!a = !gpu.mma_matrix<8x8x$T, "AOp">
!b = !gpu.mma_matrix<8x8x$T, "BOp">
!c = !gpu.mma_matrix<8x8xf32, "COp">
module {
  hal.executable.source private @fragments {
    hal.executable.export public @product ordinal(0) layout(#layout) count(%dev: !hal.device, %x: index, %y: index) -> (index, index, index) {
      %c1 = arith.constant 1 : index
      hal.return %x, %y, %c1 : index, index, index
    }
    builtin.module {
      func.func @product() attributes {translation_info = #none, gemm.msl} {
        %c0 = arith.constant 0 : index
        %c2 = arith.constant 2 : index
        %c8 = arith.constant 8 : index
        %c16 = arith.constant 16 : index
        %c32 = arith.constant 32 : index
        %n32 = hal.interface.constant.load layout(#layout) ordinal(0) : i32
        %k32 = hal.interface.constant.load layout(#layout) ordinal(1) : i32
        %n = arith.index_castui %n32 : i32 to index
        %k = arith.index_castui %k32 : i32 to index
        %m = arith.constant 0 : index
        %a = hal.interface.binding.subspan layout(#layout) binding(0) alignment(64) offset(%c0) flags(ReadOnly) : !device{%m, %k}
        %b = hal.interface.binding.subspan layout(#layout) binding(1) alignment(64) offset(%c0) flags(ReadOnly) : !device{%k, %n}
        %c = hal.interface.binding.subspan layout(#layout) binding(2) alignment(64) offset(%c0) : !result{%m, %n}
        %tile_a = memref.alloc() : !tile_a
        %tile_b = memref.alloc() : !tile_b
        %t = gpu.thread_id x
        %bx = hal.interface.workgroup.id[0] : index
        %by = hal.interface.workgroup.id[1] : index
        %row0 = arith.muli %by, %c32 : index
        %col0 = arith.muli %bx, %c32 : index
        %sg = gpu.subgroup_id : index
        %sg_y = arith.divui %sg, %c2 : index
        %sg_x = arith.remui %sg, %c2 : index
        %r0 = arith.muli %sg_y, %c16 : index
        %r1 = arith.addi %r0, %c8 : index
        %s0 = arith.muli %sg_x, %c16 : index
        %s1 = arith.addi %s0, %c8 : index
        %zero = arith.constant 0.0 : f32
        %z = gpu.subgroup_mma_constant_matrix %zero : !c
        %p:4 = scf.for %k0 = %c0 to %k step %c8 iter_args(%c00 = %z, %c01 = %z, %c10 = %z, %c11 = %z) -> (!c, !c, !c, !c) {
          // 256 elements of each tile, 2 a thread.
          %c1 = arith.constant 1 : index
          %c128 = arith.constant 128 : index
          scf.for %i = %c0 to %c2 step %c1 {
            %part = arith.muli %i, %c128 : index
            %at = arith.addi %t, %part : index
            %ar = arith.divui %at, %c8 : index
            %ac = arith.remui %at, %c8 : index
            %row = arith.addi %row0, %ar : index
            %kk = arith.addi %k0, %ac : index
            %va = memref.load %a[%row, %kk] : !device
            memref.store %va, %tile_a[%ar, %ac] : !tile_a
            %br = arith.divui %at, %c32 : index
            %bc = arith.remui %at, %c32 : index
            %bk = arith.addi %k0, %br : index
            %col = arith.addi %col0, %bc : index
            %vb = memref.load %b[%bk, %col] : !device
            memref.store %vb, %tile_b[%br, %bc] : !tile_b
          }
          gpu.barrier memfence [#gpu.address_space<workgroup>]
          %a0 = gpu.subgroup_mma_load_matrix %tile_a[%r0, %c0] leadDimension 12 : !tile_a -> !a
          %a1 = gpu.subgroup_mma_load_matrix %tile_a[%r1, %c0] leadDimension 12 : !tile_a -> !a
          %b0 = gpu.subgroup_mma_load_matrix %tile_b[%c0, %s0] leadDimension 36 : !tile_b -> !b
          %b1 = gpu.subgroup_mma_load_matrix %tile_b[%c0, %s1] leadDimension 36 : !tile_b -> !b
          %n00 = gpu.subgroup_mma_compute %a0, %b0, %c00 : !a, !b -> !c
          %n01 = gpu.subgroup_mma_compute %a0, %b1, %c01 : !a, !b -> !c
          %n10 = gpu.subgroup_mma_compute %a1, %b0, %c10 : !a, !b -> !c
          %n11 = gpu.subgroup_mma_compute %a1, %b1, %c11 : !a, !b -> !c
          gpu.barrier memfence [#gpu.address_space<workgroup>]
          scf.yield %n00, %n01, %n10, %n11 : !c, !c, !c, !c
        }
        %i0 = arith.addi %row0, %r0 : index
        %i1 = arith.addi %row0, %r1 : index
        %j0 = arith.addi %col0, %s0 : index
        %j1 = arith.addi %col0, %s1 : index
        // 0 stands for the rows of the memref, whose length is known at run time.
        gpu.subgroup_mma_store_matrix %p#0, %c[%i0, %j0] leadDimension 0 : !c, !result
        gpu.subgroup_mma_store_matrix %p#1, %c[%i0, %j1] leadDimension 0 : !c, !result
        gpu.subgroup_mma_store_matrix %p#2, %c[%i1, %j0] leadDimension 0 : !c, !result
        gpu.subgroup_mma_store_matrix %p#3, %c[%i1, %j1] leadDimension 0 : !c, !result
        return
      }
    }
  }
  func.func @main(%a: tensor<?x?x$T>, %b: tensor<?x?x$T>) -> tensor<?x?xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %m = tensor.dim %a, %c0 : tensor<?x?x$T>
    %k = tensor.dim %a, %c1 : tensor<?x?x$T>
    %n = tensor.dim %b, %c1 : tensor<?x?x$T>
    %x = arith.ceildivui %n, %c32 : index
    %y = arith.ceildivui %m, %c32 : index
    %n32 = arith.index_cast %n : index to i32
    %k32 = arith.index_cast %k : index to i32
    %r = flow.dispatch @fragments::@product[%x, %y](%a, %b, %n32, %k32) : (tensor<?x?x$T>{%m, %k}, tensor<?x?x$T>{%k, %n}, i32, i32) -> tensor<?x?xf32>{%m, %n}
    return %r : tensor<?x?xf32>
  }
}
