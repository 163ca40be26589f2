// libtorch's own loader extracts a package to /tmp, to paths that the package chooses, and leaves the
// files there if loading fails. So Go extracts the package, and this file loads the library in it.
#include "aoti.h"

#include "abi.hpp"
#include "capturing.hpp"

#include <ATen/DynamicLibrary.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/from_blob.h>
#include <c10/util/Exception.h>
#include <torch/csrc/inductor/aoti_runner/model_container_runner.h>
#include <torch/csrc/inductor/aoti_runner/model_container_runner_cpu.h>
#include <torch/csrc/inductor/aoti_runtime/constant_type.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

namespace ti = torch::inductor;

// Exposes a runner's library and container handle, to call functions that the runner does
// not call.
struct Inside : ti::AOTIModelContainerRunner {
  static at::DynamicLibrary& library(ti::AOTIModelContainerRunner& r) { return *(r.*&Inside::model_so_); }
  static AOTInductorModelContainerHandle container(ti::AOTIModelContainerRunner& r) {
    return r.*&Inside::container_handle_;
  }
};

struct Model {
  std::unordered_map<std::string, at::Tensor> shared;  // constants that use the caller's memory
  std::unique_ptr<ti::AOTIModelContainerRunner> runner;  // after shared, so that it is destroyed first
  at::Device device = at::kCPU;
  size_t inputs = 0;
  size_t outputs = 0;

  // Calls the library function called name with the container and args. Throws if it
  // fails.
  template <class... P, class... A>
  void call(const char* name, AOTIRuntimeError (*)(AOTInductorModelContainerHandle, P...), A... args) {
    auto* f = reinterpret_cast<AOTIRuntimeError (*)(AOTInductorModelContainerHandle, P...)>(
        Inside::library(*runner).sym(name));
    TORCH_CHECK(f(Inside::container(*runner), args...) == AOTI_RUNTIME_SUCCESS, name, " failed");
  }
};

#define GT_AOTI_CALL(m, f, ...) (m).call(#f, &f, __VA_ARGS__)

Model& of(gt_aoti m) { return *reinterpret_cast<Model*>(m); }

std::unique_ptr<ti::AOTIModelContainerRunner> open(const std::string& library, const at::Device& device,
                                                   const std::string& dir, size_t runners, bool single) {
  if (device.is_cpu()) return std::make_unique<ti::AOTIModelContainerRunnerCpu>(library, runners, single);
  auto& all = ti::getAOTIModelRunnerRegistry();
  const auto it = all.find(c10::DeviceTypeName(device.type(), true));
  TORCH_CHECK(it != all.end(), "this libtorch runs no compiled models on ", device.str());
  return it->second(library, runners, device.str(), dir, single);
}

template <class T>
T* zeroed(size_t n) {
  auto* p = static_cast<T*>(std::calloc(n + 1, sizeof(T)));
  if (!p) throw std::bad_alloc();
  return p;
}

char* text(const char* s) {
  char* p = strdup(s ? s : "");
  if (!p) throw std::bad_alloc();
  return p;
}

int64_t* numbers(at::IntArrayRef v) {
  auto* p = zeroed<int64_t>(v.size());
  if (!v.empty()) std::memcpy(p, v.data(), v.size() * sizeof(int64_t));
  return p;
}

void describe(Model& m, gt_aoti_info& out) {
  const char *in = nullptr, *results = nullptr;
  GT_AOTI_CALL(m, AOTInductorModelContainerGetCallSpec, &in, &results);
  out.in_spec = text(in);
  out.out_spec = text(results);
  out.inputs = m.inputs;
  out.outputs = m.outputs;
  size_t n = 0;
  GT_AOTI_CALL(m, AOTInductorModelContainerGetNumConstants, &n);
  out.constants = zeroed<gt_aoti_constant>(n);
  out.n_constants = n;
  const auto have = m.runner->extract_constants_map(false);
  for (size_t i = 0; i < n; i++) {
    gt_aoti_constant& c = out.constants[i];
    const char *name = nullptr, *code_name = nullptr;
    int32_t dtype = 0, type = 0;
    size_t bytes = 0;
    bool folded = false;
    GT_AOTI_CALL(m, AOTInductorModelContainerGetConstantOriginalFQN, i, &name);
    GT_AOTI_CALL(m, AOTInductorModelContainerGetConstantName, i, &code_name);
    GT_AOTI_CALL(m, AOTInductorModelContainerGetConstantDtype, i, &dtype);
    GT_AOTI_CALL(m, AOTInductorModelContainerGetConstantDataSize, i, &bytes);
    GT_AOTI_CALL(m, AOTInductorModelContainerGetConstantFromFolded, i, &folded);
    GT_AOTI_CALL(m, AOTInductorModelContainerGetConstantType, i, &type);
    c.name = text(name);
    c.code_name = text(code_name);
    c.dtype = static_cast<int8_t>(dtype);
    c.bytes = bytes;
    c.folded = folded;
    c.parameter = type == torch::aot_inductor::ConstantType::Parameter;
    c.n_sizes = -1;
    const auto it = have.find(name ? name : "");
    if (it == have.end() || !it->second.defined()) continue;
    c.sizes = numbers(it->second.sizes());
    c.strides = numbers(it->second.strides());
    c.n_sizes = it->second.dim();
  }
}

// Copies a result if its memory belongs to the model, as a weight's does, or has no
// owner. A result must outlive the model and keep its values when the model's constants
// change.
at::Tensor own(at::Tensor t) {
  if (!t.defined() || !t.has_storage()) return t;
  const auto& data = t.storage().data_ptr();
  return data.get() && !data.get_context() ? t.clone() : t;
}

}  // namespace

extern "C" {

uintptr_t gt_aoti_load(const char* library, const char* device, const char* dir, const char* blob, int64_t runners,
                       int single_threaded, gt_aoti* out) {
  try {
    auto m = std::make_unique<Model>();
    m->device = at::Device(device);
    m->runner = open(library, m->device, dir, runners, single_threaded);
    if (blob) m->runner->update_constant_buffer_from_blob(blob);
    GT_AOTI_CALL(*m, AOTInductorModelContainerGetNumInputs, &m->inputs);
    GT_AOTI_CALL(*m, AOTInductorModelContainerGetNumOutputs, &m->outputs);
    *out = reinterpret_cast<gt_aoti>(m.release());
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

void gt_aoti_free(gt_aoti m) {
  try {
    delete &of(m);
  } catch (...) {  // The runner's destructor has thrown, and there is nobody to report the error to.
  }
}

uintptr_t gt_aoti_describe(gt_aoti m, gt_aoti_info* out) {
  *out = gt_aoti_info{};
  try {
    describe(of(m), *out);
    return 0;
  } catch (...) {
    gt_aoti_info_free(out);
    return gt::caught();
  }
}

void gt_aoti_info_free(gt_aoti_info* info) {
  for (int64_t i = 0; info->constants && i < info->n_constants; i++) {
    std::free(info->constants[i].name);
    std::free(info->constants[i].code_name);
    std::free(info->constants[i].sizes);
    std::free(info->constants[i].strides);
  }
  std::free(info->constants);
  std::free(info->in_spec);
  std::free(info->out_spec);
  *info = gt_aoti_info{};
}

gt_list_ret gt_aoti_run(gt_ctx cx, gt_aoti h, const gt_tensor* in, int64_t n) {
  try {
    gt::enter(cx);
    gt::not_in_capture("a compiled model is run");
    Model& m = of(h);
    // The library takes ownership of the inputs before it counts them, and leaks them if the count is wrong.
    TORCH_CHECK_VALUE(n == static_cast<int64_t>(m.inputs), "expected ", m.inputs, " inputs, got ", n);
    std::vector<at::Tensor> inputs;
    inputs.reserve(n);
    for (int64_t i = 0; i < n; i++) {
      const at::Tensor& t = gt::as(in[i]);
      TORCH_CHECK_VALUE(
          t.defined() && t.layout() == at::kStrided && t.has_storage() && !t.is_quantized() && !t.is_nested(), "input ",
          i, ": expected a dense tensor");
      // Compiled code would read the memory without applying the conjugation or negation.
      TORCH_CHECK_VALUE(!t.is_conj() && !t.is_neg(), "input ", i,
                        ": is a pending conjugate or negative; ResolveConj and ResolveNeg compute it");
      inputs.push_back(t);
    }
    std::vector<at::Tensor> results = m.runner->boxed_run(std::move(inputs));
    for (at::Tensor& t : results) t = own(std::move(t));
    auto* items = zeroed<gt_tensor>(results.size());
    for (size_t i = 0; i < results.size(); i++) items[i] = gt::release(std::move(results[i]));
    return {items, static_cast<int64_t>(results.size()), 0};
  } catch (...) {
    return {nullptr, 0, gt::caught()};
  }
}

gt_ret gt_aoti_constant_copy(gt_ctx cx, gt_aoti h, const char* name) {
  try {
    gt::enter(cx);
    const auto have = of(h).runner->extract_constants_map(false);
    const auto it = have.find(name);
    if (it == have.end() || !it->second.defined()) return {0, 0};
    return {gt::release(it->second.clone()), 0};
  } catch (...) {
    return {0, gt::caught()};
  }
}

uintptr_t gt_aoti_update(gt_ctx cx, gt_aoti h, const char* const* names, const gt_tensor* tensors, int64_t n,
                         int shared) {
  try {
    gt::enter(cx);
    Model& m = of(h);
    std::unordered_map<std::string, at::Tensor> given;
    for (int64_t i = 0; i < n; i++) {
      at::Tensor t = gt::as(tensors[i]);
      // The library never releases shared tensors, so it gets tensors that do not keep the memory alive.
      if (shared) t = at::for_blob(t.data_ptr(), t.sizes()).strides(t.strides()).options(t.options()).make_tensor();
      given.emplace(names[i], std::move(t));
    }
    m.runner->update_constant_buffer(given, false, false, shared);
    for (int64_t i = 0; i < n; i++) {
      if (shared) {
        m.shared.insert_or_assign(names[i], gt::as(tensors[i]));
      } else {
        m.shared.erase(names[i]);
      }
    }
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

}  // extern "C"
