// CUDA graphs: calls the functions of at::cuda::CUDAGraph by name, and cleans up after a
// failed capture where libtorch does not.
#ifdef GOTORCH_TOGETHER  // together.cpp includes this file

#include "allocator.hpp"
#include "symbol.hpp"

#ifdef GOTORCH_HAS_CUDA_HEADERS

#include <ATen/core/CachingHostAllocator.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <c10/util/Exception.h>

#include <vector>

using gtcuda::guarded;
using gtcuda::symbol;

namespace {

// Whether CUDAGraph::reset also undoes a failed capture. Newer versions do, and can be
// recognized by their function capture_end_pre.
bool undoes() { return dlsym(RTLD_DEFAULT, "_ZN2at4cuda9CUDAGraph15capture_end_preEv"); }

// An at::cuda::CUDAGraph. Its header cannot be included, because functions in it call the
// CUDA runtime, which is not linked. So the object is in a buffer that is larger than the
// class in any version: the class takes about 200 bytes in 2.11 and 700 in 2.15.
class Graph {
 public:
  explicit Graph(bool keep) {
    symbol<void(void*, bool)>("_ZN2at4cuda9CUDAGraphC1Eb")(raw_, keep);
  }
  ~Graph() { symbol<void(void*)>("_ZN2at4cuda9CUDAGraphD1Ev")(raw_); }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  void begin(gt_cuda_stream s, gt_cuda_pool pool, int mode);
  void end(gt_cuda_stream s);
  void instantiate() { call("_ZN2at4cuda9CUDAGraph11instantiateEv"); }
  void replay() { call("_ZN2at4cuda9CUDAGraph6replayEv"); }
  void reset() { call("_ZN2at4cuda9CUDAGraph5resetEv"); }
  void dump(const std::string& path) {
    symbol<void(void*, const std::string&)>(
        "_ZN2at4cuda9CUDAGraph10debug_dumpERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE")(raw_, path);
  }
  uintptr_t raw() { return symbol<uintptr_t(void*)>("_ZN2at4cuda9CUDAGraph14raw_cuda_graphEv")(raw_); }
  void generator(const at::Generator& gen) {
    register_generator(gen);
    generators_.push_back(gen);
  }

 private:
  void call(const char* name) { symbol<void(void*)>(name)(raw_); }
  void register_generator(const at::Generator& gen) {
    symbol<void(void*, const at::Generator&)>("_ZN2at4cuda9CUDAGraph24register_generator_stateERKNS_9GeneratorE")(raw_,
                                                                                                                  gen);
  }
  void undo(gt_cuda_stream s, bool device_pool, bool host_pool);
  void settle_generators();

  alignas(std::max_align_t) unsigned char raw_[4096]{};
  c10::MempoolId_t pool_{0, 0};
  std::vector<at::Generator> generators_;
};

Graph& of(gt_cuda_graph g) { return *reinterpret_cast<Graph*>(g); }

c10::Stream stream_of(gt_cuda_stream s) {
  return c10::Stream(c10::Stream::UNSAFE, {c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(s.device)}, s.id);
}

// While it exists, a stream and its device are current on the thread.
class On {
 public:
  explicit On(gt_cuda_stream s)
      : device_(c10::Device(c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(s.device))),
        before_(impl_.exchangeStream(stream_of(s))) {}
  ~On() { impl_.exchangeStream(before_); }
  On(const On&) = delete;
  On& operator=(const On&) = delete;

 private:
  const gtcuda::OutsidePools outside_;
  c10::impl::VirtualGuardImpl impl_{c10::DeviceType::CUDA};
  c10::DeviceGuard device_;
  c10::Stream before_;
};

template <typename F>
void attempt(F&& f) noexcept {
  try {
    f();
  } catch (...) {
  }
}

// Suppresses the warning that the capture below is empty.
struct Quiet : c10::WarningHandler {
  void process(const c10::Warning&) override {}
};

// Captures an empty graph. After a failed capture, the random generators refuse to draw
// numbers. Only the end of a successful capture makes them work again.
void Graph::settle_generators() {
  Quiet quiet;
  c10::WarningUtils::WarningHandlerGuard guard(&quiet);
  Graph nothing(false);
  for (const auto& gen : generators_) nothing.register_generator(gen);
  gt_cuda_pool pool{};
  if (gt_cuda_graph_pool(&pool)) return;
  symbol<void(void*, c10::MempoolId_t, int)>("_ZN2at4cuda9CUDAGraph13capture_beginESt4pairIyyE21cudaStreamCaptureMode")(
      nothing.raw_, {pool.a, pool.b}, 2);
  nothing.call("_ZN2at4cuda9CUDAGraph11capture_endEv");
}

// Cleans up after a failed capture. Ignores its own errors, because the error of the
// capture is reported.
void Graph::undo(gt_cuda_stream s, bool device_pool, bool host_pool) {
  if (undoes()) {
    attempt([&] { reset(); });
  } else {
    const auto device = static_cast<c10::DeviceIndex>(s.device);
    auto* host = at::getHostAllocator(at::kCUDA);
    if (device_pool) {
      attempt([&] { gtcuda::allocator()->endAllocateToPool(device, pool_); });
      attempt([&] { gtcuda::allocator()->releasePool(device, pool_); });
    }
    if (host_pool) {
      attempt([&] { host->end_allocate_to_pool(pool_); });
      attempt([&] { host->release_pool(pool_); });
    }
    attempt([&] { settle_generators(); });
  }
  attempt([] { symbol<int()>("cudaGetLastError")(); });
}

void Graph::begin(gt_cuda_stream s, gt_cuda_pool pool, int mode) {
  pool_ = {pool.a, pool.b};
  try {
    symbol<void(void*, c10::MempoolId_t, int)>(
        "_ZN2at4cuda9CUDAGraph13capture_beginESt4pairIyyE21cudaStreamCaptureMode")(raw_, pool_, mode);
  } catch (const std::exception& e) {
    // The device allocator starts to use the pool first, and the allocator of page-locked
    // memory second. The message shows which allocator failed. That allocator has not
    // started, and another graph may use its pool.
    const std::string what = e.what();
    const bool refused =
        what.find("use_count") != std::string::npos || what.find("already recording") != std::string::npos;
    const bool by_host = what.find("CachingHostAllocator") != std::string::npos;
    undo(s, !refused || by_host, !refused);
    throw;
  }
}

void Graph::end(gt_cuda_stream s) {
  try {
    call("_ZN2at4cuda9CUDAGraph11capture_endEv");
  } catch (...) {
    undo(s, true, true);
    throw;
  }
}

}  // namespace

uintptr_t gt_cuda_graph_new(int keep_graph, gt_cuda_graph* out) {
  return guarded([&] { *out = reinterpret_cast<uintptr_t>(new Graph(keep_graph)); });
}
void gt_cuda_graph_free(gt_cuda_graph g) {
  attempt([&] { delete &of(g); });
}
uintptr_t gt_cuda_graph_pool(gt_cuda_pool* out) {
  return guarded([&] {
    const auto id = symbol<c10::MempoolId_t()>("_ZN2at4cuda17graph_pool_handleEv")();
    *out = {id.first, id.second};
  });
}
uintptr_t gt_cuda_graph_begin(gt_cuda_graph g, gt_cuda_stream s, gt_cuda_pool pool, int mode) {
  return guarded([&] {
    const On on(s);
    of(g).begin(s, pool, mode);
  });
}
uintptr_t gt_cuda_graph_end(gt_cuda_graph g, gt_cuda_stream s) {
  return guarded([&] {
    const On on(s);
    of(g).end(s);
  });
}
uintptr_t gt_cuda_graph_instantiate(gt_cuda_graph g) {
  return guarded([&] { of(g).instantiate(); });
}
uintptr_t gt_cuda_graph_replay(gt_cuda_graph g, gt_cuda_stream s) {
  return guarded([&] {
    const On on(s);
    of(g).replay();
  });
}
uintptr_t gt_cuda_graph_reset(gt_cuda_graph g) {
  return guarded([&] { of(g).reset(); });
}
uintptr_t gt_cuda_graph_dump(gt_cuda_graph g, const char* path) {
  return guarded([&] { of(g).dump(path); });
}
uintptr_t gt_cuda_graph_raw(gt_cuda_graph g, uintptr_t* out) {
  return guarded([&] { *out = of(g).raw(); });
}
uintptr_t gt_cuda_graph_generator(gt_cuda_graph g, gt_generator gen) {
  return guarded([&] {
    const gtcuda::OutsidePools outside;
    of(g).generator(at::Generator(c10::intrusive_ptr<c10::GeneratorImpl>::unsafe_reclaim_from_nonowning(
        reinterpret_cast<c10::GeneratorImpl*>(gen))));
  });
}

#else  // without CUDA headers

using gtcuda::missing;

uintptr_t gt_cuda_graph_new(int, gt_cuda_graph*) { return missing(); }
void gt_cuda_graph_free(gt_cuda_graph) {}
uintptr_t gt_cuda_graph_pool(gt_cuda_pool*) { return missing(); }
uintptr_t gt_cuda_graph_begin(gt_cuda_graph, gt_cuda_stream, gt_cuda_pool, int) { return missing(); }
uintptr_t gt_cuda_graph_end(gt_cuda_graph, gt_cuda_stream) { return missing(); }
uintptr_t gt_cuda_graph_instantiate(gt_cuda_graph) { return missing(); }
uintptr_t gt_cuda_graph_replay(gt_cuda_graph, gt_cuda_stream) { return missing(); }
uintptr_t gt_cuda_graph_reset(gt_cuda_graph) { return missing(); }
uintptr_t gt_cuda_graph_dump(gt_cuda_graph, const char*) { return missing(); }
uintptr_t gt_cuda_graph_raw(gt_cuda_graph, uintptr_t*) { return missing(); }
uintptr_t gt_cuda_graph_generator(gt_cuda_graph, gt_generator) { return missing(); }

#endif

uintptr_t gt_cuda_stream_capturing(gt_cuda_stream s, int* out) {
  uintptr_t handle = 0;
  if (const uintptr_t e = gt_cuda_stream_handle(s, &handle)) return e;
  return gtcuda::guarded([&] { gtcuda::check(symbol<int(uintptr_t, int*)>("cudaStreamIsCapturing")(handle, out)); });
}

#endif
