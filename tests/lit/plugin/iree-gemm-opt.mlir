// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: iree-gemm-opt --split-input-file --target=ampere %s | filecheck %s
// RUN: iree-gemm-opt --split-input-file --target=metal %s \
// RUN:   | filecheck %s --check-prefix=METAL
// RUN: iree-gemm-opt --split-input-file --target=default - < %s \
// RUN:   | filecheck %s --check-prefix=DEFAULT
// RUN: iree-gemm-opt --split-input-file %s -o %t
// RUN: filecheck %s --check-prefix=NONE < %t

// A target puts its device on a module that has none.

//         CHECK: arch = "sm_80"
// CHECK-LABEL: module attributes {stream.affinity.default = #hal.device.affinity<@__device_0>}
//         CHECK:   util.global private @__device_0
//         CHECK:   util.func public @bare

//         METAL: "metal-spirv"
//       DEFAULT: arch = "vp_android_baseline_2022"
//      NONE-NOT: __device_0
//          NONE: util.func public @bare
util.func public @bare() {
  util.return
}

// -----

// And leaves the device of a module that has one.

//   CHECK-NOT: affinity
//       CHECK: util.global private @device
//   CHECK-NOT: util.global
//       CHECK: util.func public @with_device
util.global private @device : !hal.device
util.func public @with_device() {
  util.return
}
