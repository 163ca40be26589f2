// All-reduces between two ranks, which are threads of this process, over the loopback
// interface.
#include "peer.hpp"

#include <ATen/core/Tensor.h>
#include <ATen/ops/ones.h>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

#include <mutex>
#include <thread>

namespace peer {

using c10d::ProcessGroupGloo;

static c10::intrusive_ptr<c10d::ProcessGroup> join(const c10::intrusive_ptr<c10d::Store>& store, int rank) {
  auto options = ProcessGroupGloo::Options::create();
  options->devices.push_back(ProcessGroupGloo::createDeviceForInterface("lo"));
  auto gloo = c10::make_intrusive<ProcessGroupGloo>(store, rank, 2, options);
  auto group = c10::make_intrusive<c10d::ProcessGroup>(store, rank, 2);
  group->setBackend(c10::DeviceType::CPU, c10d::ProcessGroup::BackendType::GLOO, gloo);
  group->setDefaultBackend(c10d::ProcessGroup::BackendType::GLOO);
  return group;
}

// libtorch records Gloo's collectives in a map that all groups of a process share, and
// writes it without a lock. If two threads begin at the same time, the process sometimes
// crashes.
static std::mutex recorder;

static c10::intrusive_ptr<c10d::Work> begin(c10d::ProcessGroup& group, std::vector<at::Tensor>& x) {
  const std::lock_guard<std::mutex> lock(recorder);
  return group.allreduce(x);
}

static int64_t allreduce(const Args& args) {
  const auto store = c10::make_intrusive<c10d::HashStore>();
  const auto rank = [&](int r) {
    auto group = join(store, r);
    std::vector<at::Tensor> x{at::ones({args.get("n", 1)}, at::kFloat)};
    return timed(args.iterations, [&] { begin(*group, x)->wait(); });
  };
  std::thread other([&] { rank(1); });
  const int64_t nanos = rank(0);
  other.join();
  return nanos;
}

static Register registered("allreduce", allreduce);

}  // namespace peer
