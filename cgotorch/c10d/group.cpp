#ifdef GOTORCH_TOGETHER  // together.cpp includes this file
#include "handles.hpp"
#include "works.hpp"

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupWrapper.hpp>
#include <torch/csrc/distributed/c10d/debug.h>

#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <typeinfo>
#include <vector>

namespace {

using c10d::ProcessGroup;
using c10d::ProcessGroupGloo;
using gt::dist::ms;
using gt::dist::run;
using gt::dist::tensors;
using gt::dist::Work;
using gt::dist::work_of;

// Gives access to a group's connections. The destructor of a group waits for running
// collectives. To end them, connections can be closed, which notifies only the other
// ranks, or given an exception, which notifies both sides. Go's build cache does not
// track the directory gloo: after a change there, change a file here too.
struct Connections : ProcessGroupGloo {
  template <class F>
  static void each(ProcessGroupGloo& g, F f) {
#ifndef __APPLE__  // on macOS, connections are libuv's and lack these functions
    for (const auto& context : g.*&Connections::contexts_) {
      for (int rank = 0; rank < g.getSize(); rank++) {
        auto* pair = rank == g.getRank() ? nullptr : context->getPair(rank).get();
        if (pair && std::strstr(typeid(*pair).name(), "4gloo9transport3tcp"))
          f(rank, *reinterpret_cast<gloo::transport::tcp::Pair*>(pair));
      }
    }
#endif
  }
};

// Calls f with the rank and the connection of each other rank, if the group uses Gloo.
template <class F>
void connections(ProcessGroup& g, F f) {
  auto backend = g.getDefaultBackend();
  if (auto* w = dynamic_cast<c10d::ProcessGroupWrapper*>(backend.get())) backend = w->getWrappedPg();
  if (auto* gloo = dynamic_cast<ProcessGroupGloo*>(backend.get())) Connections::each(*gloo, f);
}

ProcessGroup& group_of(gt_group g) { return gt::dist::at_handle<ProcessGroup>(g); }

// Returns the NCCL backend, or null if the group has none.
c10::intrusive_ptr<c10d::Backend> of_nccl(ProcessGroup& g) {
  auto backend = g.getBackend(c10::DeviceType::CUDA);
  return backend->getBackendName() == "nccl" ? backend : nullptr;
}

// Like Python's bindings, creates one device per interface, and two threads per device.
c10::intrusive_ptr<ProcessGroupGloo::Options> options(int64_t timeout, const char* interfaces) {
  const bool lazy = c10d::getDefaultGlooLazyInit();
  auto o = ProcessGroupGloo::Options::create(ms(timeout));
  if (interfaces) {
    std::istringstream names(interfaces);
    for (std::string name; std::getline(names, name, ',');)
      o->devices.push_back(ProcessGroupGloo::createDeviceForInterface(name, lazy));
  } else {
    o->devices.push_back(ProcessGroupGloo::createDefaultDevice(lazy));
  }
  o->threads = static_cast<int>(o->devices.size()) * 2;
  return o;
}

// Whether TORCH_DISTRIBUTED_DEBUG is DETAIL. libtorch then compares the calls of the ranks.
bool in_detail() {
  static const bool yes = [] {
    c10d::setDebugLevelFromEnvironment();
    return c10d::debug_level() == c10d::DebugLevel::Detail;
  }();
  return yes;
}

c10d::ReduceOp reduce_op(int32_t n) { return c10d::ReduceOp(static_cast<c10d::ReduceOp::RedOpType>(n)); }

template <class O>
O with(const gt_dist_call& c) {
  O o;
  o.timeout = ms(c.timeout);
  return o;
}
template <class O>
O rooted(const gt_dist_call& c) {
  O o = with<O>(c);
  o.rootRank = c.root;
  return o;
}
template <class O>
O reducing(O o, const gt_dist_call& c) {
  o.reduceOp = reduce_op(c.reduce);
  return o;
}

// libtorch records the Gloo collectives of all groups of a process, and writes one of the
// recorder's maps without a lock. In Python the interpreter lock prevents the race.
std::mutex recorder;

bool by_nccl(ProcessGroup& g, const gt_dist_call& c) {
  const gt_tensor* t = c.n_outs ? c.outs : c.n_ins ? c.ins : nullptr;
  return t && gt::as(*t).is_cuda() && of_nccl(g);
}

c10::intrusive_ptr<c10d::Work> begin(ProcessGroup& g, const gt_dist_call& c) {
  auto outs = tensors(c.outs, c.n_outs), ins = tensors(c.ins, c.n_ins);
  std::vector<std::vector<at::Tensor>> lists;
  // No lock for NCCL: its recorder has its own lock, and starting a collective may wait
  // for other ranks.
  const auto lock = by_nccl(g, c) ? std::unique_lock<std::mutex>() : std::unique_lock<std::mutex>(recorder);
  switch (c.op) {
    case GT_OP_BROADCAST: return g.broadcast(outs, rooted<c10d::BroadcastOptions>(c));
    case GT_OP_ALL_REDUCE: return g.allreduce(outs, reducing(with<c10d::AllreduceOptions>(c), c));
    case GT_OP_ALL_REDUCE_COALESCED:
      return g.allreduce_coalesced(outs, reducing(with<c10d::AllreduceCoalescedOptions>(c), c));
    case GT_OP_REDUCE: return g.reduce(outs, reducing(rooted<c10d::ReduceOptions>(c), c));
    case GT_OP_ALL_GATHER:
      lists.push_back(std::move(outs));
      return g.allgather(lists, ins, with<c10d::AllgatherOptions>(c));
    case GT_OP_ALL_GATHER_INTO:
#if TORCH_VERSION_MINOR > 11
      return g.all_gather_single(outs.at(0), ins.at(0), with<c10d::AllgatherOptions>(c));
#else
      return g._allgather_base(outs.at(0), ins.at(0), with<c10d::AllgatherOptions>(c));
#endif
    case GT_OP_GATHER:
      if (!outs.empty()) lists.push_back(std::move(outs));
      return g.gather(lists, ins, rooted<c10d::GatherOptions>(c));
    case GT_OP_SCATTER:
      if (!ins.empty()) lists.push_back(std::move(ins));
      return g.scatter(outs, lists, rooted<c10d::ScatterOptions>(c));
    case GT_OP_REDUCE_SCATTER:
      lists.push_back(std::move(ins));
      return g.reduce_scatter(outs, lists, reducing(with<c10d::ReduceScatterOptions>(c), c));
    case GT_OP_REDUCE_SCATTER_TENSOR:
#if TORCH_VERSION_MINOR > 11
      return g.reduce_scatter_single(outs.at(0), ins.at(0), reducing(with<c10d::ReduceScatterOptions>(c), c));
#else
      return g._reduce_scatter_base(outs.at(0), ins.at(0), reducing(with<c10d::ReduceScatterOptions>(c), c));
#endif
    case GT_OP_ALL_TO_ALL_SINGLE: {
      std::vector<int64_t> to(c.out_counts, c.out_counts + c.n_counts), from(c.in_counts, c.in_counts + c.n_counts);
#if TORCH_VERSION_MINOR > 11
      return g.all_to_all_single(outs.at(0), ins.at(0), to, from, with<c10d::AllToAllOptions>(c));
#else
      return g.alltoall_base(outs.at(0), ins.at(0), to, from, with<c10d::AllToAllOptions>(c));
#endif
    }
    case GT_OP_SEND: return g.send(outs, c.root, c.tag);
    case GT_OP_RECV: return g.recv(outs, c.root, c.tag);
    case GT_OP_RECV_ANY: return g.recvAnysource(outs, c.tag);
    // The process group's own barrier would create a tensor to find its backend, and
    // libtorch would never free it.
    case GT_OP_BARRIER: return g.getDefaultBackend()->barrier(with<c10d::BarrierOptions>(c));
    default: TORCH_CHECK(false, "no collective ", c.op);
  }
}

}  // namespace

extern "C" {

gt_dist_status gt_group_gloo(gt_store s, int rank, int size, int64_t timeout, const char* interfaces,
                             const char* name, gt_group* out) {
  return run([&] {
    const gt::dist::WithoutPipeSignal started;
    // The prefix is the same as Python's, so that Go's and Python's ranks find each other.
    auto store = c10::make_intrusive<c10d::PrefixStore>(std::string(name) + "/", gt::dist::shared<c10d::Store>(s));
    auto group = c10::make_intrusive<ProcessGroup>(store, rank, size);
    auto own = c10::make_intrusive<c10d::PrefixStore>("cpu/", store);
    c10::intrusive_ptr<c10d::Backend> gloo =
        c10::make_intrusive<ProcessGroupGloo>(own, rank, size, options(timeout, interfaces));
    if (in_detail()) {
      auto beside = c10::make_intrusive<c10d::PrefixStore>(std::string("pg_wrapper:") + name, own);
      gloo = c10::make_intrusive<c10d::ProcessGroupWrapper>(
          gloo, c10::make_intrusive<ProcessGroupGloo>(beside, rank, size, options(timeout, interfaces)));
    }
    gloo->setGroupUid(name);
    group->setBackend(c10::DeviceType::CPU, ProcessGroup::BackendType::GLOO, gloo);
    // Gloo copies tensors on CUDA to the CPU and back.
    group->setBackend(c10::DeviceType::CUDA, ProcessGroup::BackendType::GLOO, gloo);
    group->setDefaultBackend(ProcessGroup::BackendType::GLOO);
    group->setGroupName(name);
    *out = gt::dist::handle(std::move(group));
  });
}

int gt_dist_lazy(void) {
  try {
    return c10d::getDefaultGlooLazyInit();
  } catch (...) {
    return 0;
  }
}

int gt_dist_detail(void) {
  try {
    return in_detail();
  } catch (...) {  // an invalid level
    return 0;
  }
}

void gt_group_free(gt_group g) {
  try {
    if (auto nccl = of_nccl(group_of(g))) nccl->shutdown();
  } catch (...) {  // The destructor closes what is left.
  }
  gt::dist::drop<ProcessGroup>(g);
}

void gt_group_abort(gt_group g) {
  try {
    if (auto nccl = of_nccl(group_of(g))) nccl->abort();
  } catch (...) {
  }
  try {
    connections(group_of(g), [](int, auto& pair) { pair.signalExceptionExternal("the group was closed"); });
  } catch (...) {  // The collectives that are running end at their timeouts.
  }
}

void gt_group_gone(gt_group g, unsigned char* gone) {
  try {
    if (c10d::getDefaultGlooLazyInit()) return;  // some ranks have not connected yet
    connections(group_of(g), [&](int rank, auto& pair) { gone[rank] |= !pair.isConnected(); });
  } catch (...) {
  }
}

gt_dist_status gt_group_set_timeout(gt_group g, int64_t timeout) {
  return run([&] { group_of(g).setTimeout(ms(timeout)); });
}

gt_dist_status gt_group_monitored_barrier(gt_ctx cx, gt_group g, int64_t timeout, int all) {
  return run([&] {
    gt::enter(cx);
    c10d::BarrierOptions o;
    o.timeout = ms(timeout);
    group_of(g).monitoredBarrier(o, all);
  });
}

gt_dist_status gt_group_begin(gt_ctx cx, gt_group g, const gt_dist_call* call, gt_work* out) {
  return run([&] {
    gt::enter(cx);
    *out = reinterpret_cast<gt_work>(
        new Work(begin(group_of(g), *call), call->op, by_nccl(group_of(g), *call), call->timeout));
  });
}

gt_dist_status gt_work_wait(gt_work w, int* ended) {
  return run([&] { *ended = work_of(w).wait(); });
}

gt_dist_status gt_work_follow(gt_ctx cx, gt_work w) {
  return run([&] {
    gt::enter(cx);
    work_of(w).work->wait();
  });
}

void gt_work_interrupt(gt_work w) {
  try {
    work_of(w).interrupt();
  } catch (...) {  // The work could not be interrupted: it continues and ends at its timeout.
  }
}

int gt_work_done(gt_work w) {
  try {
    return work_of(w).work->isCompleted();
  } catch (...) {
    return 1;  // Wait will report this error.
  }
}

int gt_work_source(gt_work w) {
  try {
    return work_of(w).work->sourceRank();
  } catch (...) {
    return -1;
  }
}

void gt_work_free(gt_work w) {
  try {
    delete &work_of(w);
  } catch (...) {
  }
}

}  // extern "C"

#endif
