// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the plugin `gemm` with IREE: each compiler session that activates it
// gets the passes of the product at the end of its preprocessing pipeline.

#include <cstdlib>
#include <cstring>
#include <new>

#include "iree_plugin_api.h"
#include "python_host.h"

namespace iree_gemm {
namespace {

constexpr char kPluginId[] = "gemm";

struct PassInfo {
  const char *argument;
  const char *description;
  MlirTypeID typeId;
};

MlirTypeID newTypeId() {
  static MlirTypeIDAllocator allocator = mlirTypeIDAllocatorCreate();
  return mlirTypeIDAllocatorAllocateTypeID(allocator);
}

void runPass(MlirOperation module, MlirExternalPass pass, void *info) {
  PassResult result =
      runPythonPass(static_cast<PassInfo *>(info)->argument, module.ptr);
  if (!result.error.empty())
    mlirEmitError(mlirOperationGetLocation(module), result.error.c_str());
  if (!result.succeeded)
    mlirExternalPassSignalFailure(pass);
}

MlirStringRef toRef(const char *text) { return {text, std::strlen(text)}; }

void addPass(OpPassManager &manager, PassInfo &info) {
  MlirExternalPassCallbacks callbacks = {};
  callbacks.construct = [](void *) {};
  callbacks.destruct = [](void *) {};
  callbacks.clone = [](void *userData) { return userData; };
  callbacks.run = runPass;
  MlirPass pass = mlirCreateExternalPass(
      info.typeId, toRef(info.argument), toRef(info.argument),
      toRef(info.description), toRef("builtin.module"), 0, nullptr, callbacks,
      &info);
  mlirOpPassManagerAddOwnedPass({&manager}, pass);
}

class GemmSession final : public AbstractPluginSession {
  void extendPreprocessingPassPipeline(OpPassManager &manager) override {
    static PassInfo passes[] = {
        {"gemm-raise-contractions", "Find matrix products", newTypeId()},
        {"gemm-select-strategy", "Choose how each product runs", newTypeId()},
        {"gemm-lower-kernels", "Put kernels in the module", newTypeId()},
        {"gemm-embed-spirv", "Translate bfloat16 kernels", newTypeId()},
        {"gemm-emit-msl", "Write the kernels for Metal", newTypeId()},
    };
    for (PassInfo &info : passes)
      addPass(manager, info);
  }
};

class GemmRegistration final : public AbstractPluginRegistration {
public:
  GemmRegistration() : AbstractPluginRegistration(kPluginId) {}
  PluginActivationPolicy getActivationPolicy() override {
    return PluginActivationPolicy::Explicit;
  }
  std::unique_ptr<AbstractPluginSession>
  createUninitializedSession(OptionsBinder &) override {
    return std::make_unique<GemmSession>();
  }
};

RegistrationEntry *newEntry() {
  // Allocated as llvm::allocate_buffer does, since the map frees it.
  void *memory = ::operator new(sizeof(RegistrationEntry) + sizeof(kPluginId));
  auto *entry = new (memory)
      RegistrationEntry{sizeof(kPluginId) - 1, new GemmRegistration()};
  std::memcpy(entry + 1, kPluginId, sizeof(kPluginId));
  return entry;
}

// Inserts the registration as llvm::StringMap would into an empty map.
bool registerPlugin(PluginRegistrar *registrar) {
  constexpr unsigned kBuckets = 16;            // StringMap's first table
  constexpr unsigned kIdHash = 0x3b7b3774u;    // llvm::xxh3_64bits("gemm")
  constexpr unsigned kBucket = kIdHash % kBuckets;
  if (registrar->buckets != 0)
    return false;
  auto *table = static_cast<RegistrationEntry **>(std::calloc(
      kBuckets + 1, sizeof(RegistrationEntry *) + sizeof(unsigned)));
  if (!table)
    return false;
  auto *hashes = reinterpret_cast<unsigned *>(table + kBuckets + 1);
  table[kBucket] = newEntry();
  hashes[kBucket] = kIdHash;
  table[kBuckets] = reinterpret_cast<RegistrationEntry *>(2); // ends iteration
  registrar->table = table;
  registrar->buckets = kBuckets;
  registrar->items = 1;
  return true;
}

} // namespace
} // namespace iree_gemm

extern "C" __attribute__((visibility("default"))) const iree_gemm::PluginInfo *
iree_get_compiler_plugin_info(void) {
  static const iree_gemm::PluginInfo info = {
      iree_gemm::kHeaderHash, iree_gemm::kPluginId, IREE_GEMM_VERSION,
      iree_gemm::registerPlugin};
  return &info;
}
