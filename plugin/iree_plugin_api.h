// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What this plugin uses of IREE's and MLIR's interfaces. The wheel of
// iree-base-compiler ships no headers and exports no C++ symbols, so the classes
// that IREE calls into are declared here with the same layout. The contract:
//
//  - the declarations are those of iree-base-compiler 3.13.0, whose plugin
//    headers have the hash kHeaderHash; IREE compares it before it reads anything
//    else and refuses a plugin with another one;
//  - the distribution requires exactly that version of the compiler;
//  - virtual functions keep upstream's order, also the unused ones, and no class
//    has members beyond upstream's.
//
// A new compiler version means: compare this file with its sources, then change
// kHeaderHash and the version in pyproject.toml together.

#ifndef IREE_GEMM_IREE_PLUGIN_API_H_
#define IREE_GEMM_IREE_PLUGIN_API_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace iree_gemm {

constexpr uint64_t kHeaderHash = 0x27493ee2eddc0611ull;

// Opaque here: IREE hands out references to them, which travel as pointers.
class DialectRegistry;
class MLIRContext;
class ModuleOp;
class OpPassManager;
class OptionsBinder;
class StringSet;
class TargetBackendList;
class TargetDeviceList;

// compiler/src/iree/compiler/Pipelines/Options.h: InputDialectOptions::Type.
enum class InputDialectType : int {};

// llvm/include/llvm/Support/LogicalResult.h: one bool, returned in a register.
struct LogicalResult {
  bool isSuccess;
};

// compiler/src/iree/compiler/PluginAPI/Client.h: PipelineExtensions.
class PipelineExtensions {
public:
  virtual ~PipelineExtensions() = default;
  virtual void registerDialects(DialectRegistry &) {}
  virtual void extendInputConversionPreprocessingPassPipeline(OpPassManager &,
                                                              InputDialectType) {}
  virtual void populateCustomInputConversionTypes(StringSet &) {}
  virtual void populateDetectedCustomInputConversionTypes(ModuleOp &,
                                                          StringSet &) {}
  virtual bool extendCustomInputConversionPassPipeline(OpPassManager &,
                                                       std::string_view) {
    return false;
  }
  virtual void extendPreprocessingPassPipeline(OpPassManager &) {}
};

// Client.h: AbstractPluginSession. IREE sets the context when it activates the
// session and deletes the session with the compiler session that it belongs to.
class AbstractPluginSession : public PipelineExtensions {
public:
  virtual void populateHALTargetDevices(TargetDeviceList &) {}
  virtual void populateHALTargetBackends(TargetBackendList &) {}

protected:
  virtual void onRegisterDialects(DialectRegistry &) {}
  virtual LogicalResult onActivate() { return {true}; }

  MLIRContext *context = nullptr;
};

// Client.h: PluginActivationPolicy.
enum class PluginActivationPolicy : int { Explicit, DefaultActivated };

// Client.h: AbstractPluginRegistration. IREE reads the id straight from the object.
class AbstractPluginRegistration {
public:
  explicit AbstractPluginRegistration(std::string id) : pluginId(std::move(id)) {}
  virtual ~AbstractPluginRegistration() = default;
  virtual PluginActivationPolicy getActivationPolicy() = 0;
  virtual void globalInitialize() {}
  virtual void registerPasses() {}
  virtual void initializeCLI() {}
  virtual void registerGlobalDialects(DialectRegistry &) {}
  virtual std::unique_ptr<AbstractPluginSession>
  createUninitializedSession(OptionsBinder &) = 0;

private:
  std::string pluginId;
};

// llvm/include/llvm/ADT/StringMapEntry.h: StringMapEntry<unique_ptr<...>>. The key
// and its terminating zero follow the object.
struct RegistrationEntry {
  size_t keyLength;
  AbstractPluginRegistration *registration;
};

// Client.h: PluginRegistrar, whose one member is an llvm::StringMap
// (llvm/include/llvm/ADT/StringMap.h: StringMapImpl). The table holds `buckets`
// entries, a sentinel, and then the 32-bit hash of each bucket.
struct PluginRegistrar {
  RegistrationEntry **table;
  unsigned buckets;
  unsigned items;
  unsigned tombstones;
  unsigned itemSize;
};

// What iree_get_compiler_plugin_info returns, as the loader of 3.13.0 reads it.
struct PluginInfo {
  uint64_t headerHash;
  const char *id;
  const char *version;
  bool (*registerPlugin)(PluginRegistrar *);
};

} // namespace iree_gemm

extern "C" {

// mlir/include/mlir-c/Support.h, IR.h, Pass.h, Diagnostics.h.
typedef struct {
  const char *data;
  size_t length;
} MlirStringRef;
typedef struct {
  int8_t value;
} MlirLogicalResult;
typedef struct {
  const void *ptr;
} MlirTypeID;
typedef struct {
  void *ptr;
} MlirTypeIDAllocator;
typedef struct {
  void *ptr;
} MlirContext;
typedef struct {
  void *ptr;
} MlirOperation;
typedef struct {
  const void *ptr;
} MlirLocation;
typedef struct {
  void *ptr;
} MlirDialectHandle;
typedef struct {
  void *ptr;
} MlirPass;
typedef struct {
  void *ptr;
} MlirExternalPass;
typedef struct {
  void *ptr;
} MlirOpPassManager;
typedef struct {
  void (*construct)(void *userData);
  void (*destruct)(void *userData);
  MlirLogicalResult (*initialize)(MlirContext, void *userData);
  void *(*clone)(void *userData);
  void (*run)(MlirOperation, MlirExternalPass, void *userData);
} MlirExternalPassCallbacks;

MlirTypeIDAllocator mlirTypeIDAllocatorCreate(void);
MlirTypeID mlirTypeIDAllocatorAllocateTypeID(MlirTypeIDAllocator);
MlirPass mlirCreateExternalPass(MlirTypeID, MlirStringRef name,
                                MlirStringRef argument, MlirStringRef description,
                                MlirStringRef opName, intptr_t dependentCount,
                                MlirDialectHandle *dependents,
                                MlirExternalPassCallbacks, void *userData);
void mlirExternalPassSignalFailure(MlirExternalPass);
void mlirOpPassManagerAddOwnedPass(MlirOpPassManager, MlirPass);
MlirLocation mlirOperationGetLocation(MlirOperation);
void mlirEmitError(MlirLocation, const char *message);
}

#endif // IREE_GEMM_IREE_PLUGIN_API_H_
