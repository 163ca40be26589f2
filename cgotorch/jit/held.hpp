// The object behind a module handle.
#pragma once

#include <ATen/autocast_mode.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/runtime/graph_executor.h>

#include <mutex>
#include <unordered_map>

namespace gt::jit {

// A module with two sets of programs, one of them for calls with gradients off. libtorch
// specializes a method's program in its first calls. If these record gradients, later
// calls do so even with gradients off: their results have a graph, and they fail in
// inference mode. So the two kinds of calls must not share a program.
class Held {
 public:
  torch::jit::Module module;

  explicit Held(torch::jit::Module m) : module(std::move(m)) {}

  torch::jit::GraphExecutor quiet(torch::jit::Function& f) {
    const uint64_t autocast = at::autocast::is_autocast_enabled(at::kCPU) | at::autocast::is_autocast_enabled(at::kCUDA)
                                                                                << 1;
    const std::lock_guard<std::mutex> lock(mu_);
    auto& executors = quiet_[&f];
    if (executors.size() <= autocast) executors.resize(autocast + 1);
    auto& executor = executors[autocast];
    if (!executor) {
      auto& graph = torch::jit::toGraphFunction(f);
      executor.emplace(graph.optimized_graph(), graph.qualname().name());
    }
    return *executor;
  }

 private:
  std::mutex mu_;
  std::unordered_map<const torch::jit::Function*, std::vector<std::optional<torch::jit::GraphExecutor>>> quiet_;
};

}  // namespace gt::jit
