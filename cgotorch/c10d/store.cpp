#ifdef GOTORCH_TOGETHER  // together.cpp includes this file
#include "handles.hpp"

#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include <c10/util/Logging.h>

#include <string>
#include <vector>

namespace {

using c10d::Store;
using gt::dist::ms;
using gt::dist::run;
using Bytes = std::vector<uint8_t>;

Store& store_of(gt_store s) { return gt::dist::at_handle<Store>(s); }

Bytes bytes(const char* p, int64_t n) { return Bytes(p, p + n); }

std::vector<std::string> list(const char* const* keys, int64_t n) { return {keys, keys + n}; }

// Without this, libtorch prints each failed connection with its C++ stack. The error is
// returned anyway. TORCH_CPP_LOG_LEVEL takes precedence.
void quiet() {
  static const bool once = [] {
    if (!std::getenv("TORCH_CPP_LOG_LEVEL")) FLAGS_caffe2_log_level = c10::GLOG_ERROR;
    return true;
  }();
  (void)once;
}

void give(const void* data, size_t n, gt_bytes* out) {
  out->data = static_cast<char*>(std::malloc(n + 1));
  if (!out->data) throw std::bad_alloc();
  if (n) std::memcpy(out->data, data, n);
  out->n = n;
}

}  // namespace

extern "C" {

gt_dist_status gt_store_tcp(const char* host, int port, int server, int64_t workers, int wait_workers,
                            int64_t timeout, int fd, gt_store* out, int* bound) {
  return run([&] {
    quiet();
    const gt::dist::WithoutPipeSignal started;
    c10d::TCPStoreOptions o;
    o.port = port;
    o.isServer = server;
    if (workers >= 0) o.numWorkers = workers;
    o.waitWorkers = wait_workers;
    o.timeout = ms(timeout);
    if (fd >= 0) o.masterListenFd = fd;
    auto store = c10::make_intrusive<c10d::TCPStore>(host, o);
    *bound = store->getPort();
    *out = gt::dist::handle<Store>(std::move(store));
  });
}

gt_dist_status gt_store_file(const char* path, int64_t workers, gt_store* out) {
  return run([&] { *out = gt::dist::handle<Store>(c10::make_intrusive<c10d::FileStore>(path, workers)); });
}

gt_dist_status gt_store_hash(gt_store* out) {
  return run([&] { *out = gt::dist::handle<Store>(c10::make_intrusive<c10d::HashStore>()); });
}

gt_dist_status gt_store_prefix(const char* prefix, gt_store s, gt_store* out) {
  return run([&] {
    *out = gt::dist::handle<Store>(c10::make_intrusive<c10d::PrefixStore>(prefix, gt::dist::shared<Store>(s)));
  });
}

gt_dist_status gt_store_clone(gt_store s, gt_store* out) {
  return run([&] { *out = gt::dist::handle<Store>(store_of(s).clone()); });
}

void gt_store_free(gt_store s) { gt::dist::drop<Store>(s); }

gt_dist_status gt_store_set(gt_store s, const char* key, const char* value, int64_t n) {
  return run([&] { store_of(s).set(key, bytes(value, n)); });
}

gt_dist_status gt_store_get(gt_store s, const char* key, int64_t timeout, gt_bytes* out) {
  return run([&] {
    store_of(s).wait({key}, ms(timeout));
    const Bytes v = store_of(s).get(key);
    give(v.data(), v.size(), out);
  });
}

gt_dist_status gt_store_add(gt_store s, const char* key, int64_t n, int64_t* out) {
  return run([&] { *out = store_of(s).add(key, n); });
}

gt_dist_status gt_store_append(gt_store s, const char* key, const char* value, int64_t n) {
  return run([&] { store_of(s).append(key, bytes(value, n)); });
}

gt_dist_status gt_store_compare_set(gt_store s, const char* key, const char* want, int64_t n_want, const char* value,
                                    int64_t n, gt_bytes* out) {
  return run([&] {
    const Bytes v = store_of(s).compareSet(key, bytes(want, n_want), bytes(value, n));
    give(v.data(), v.size(), out);
  });
}

gt_dist_status gt_store_delete(gt_store s, const char* key, int* out) {
  return run([&] { *out = store_of(s).deleteKey(key); });
}

gt_dist_status gt_store_check(gt_store s, const char* const* keys, int64_t n, int* out) {
  return run([&] { *out = store_of(s).check(list(keys, n)); });
}

gt_dist_status gt_store_num_keys(gt_store s, int64_t* out) {
  return run([&] { *out = store_of(s).getNumKeys(); });
}

gt_dist_status gt_store_wait(gt_store s, const char* const* keys, int64_t n, int64_t timeout) {
  return run([&] { store_of(s).wait(list(keys, n), ms(timeout)); });
}

gt_dist_status gt_store_list(gt_store s, gt_bytes* out) {
  return run([&] {
    std::string all;
    // The list of a prefix store fails if any key is shorter than the prefix, so list the
    // underlying store.
    auto store = gt::dist::shared<Store>(s);
    while (auto* prefixed = dynamic_cast<c10d::PrefixStore*>(store.get())) store = prefixed->getUnderlyingStore();
    for (const auto& key : store->listKeys()) {
      all += key;
      all += '\0';
    }
    give(all.data(), all.size(), out);
  });
}

gt_dist_status gt_store_push(gt_store s, const char* queue, const char* value, int64_t n) {
  return run([&] { store_of(s).queuePush(queue, bytes(value, n)); });
}

gt_dist_status gt_store_pop(gt_store s, const char* queue, gt_bytes* out, int* found) {
  return run([&] {
    *found = store_of(s).queueLen(queue) > 0;
    if (!*found) return;
    Bytes v;
    try {
      v = store_of(s).queuePop(queue, false);
    } catch (const c10::DistQueueEmptyError&) {  // another process has taken the element since the check
      *found = 0;
      return;
    }
    give(v.data(), v.size(), out);
  });
}

gt_dist_status gt_store_queue_len(gt_store s, const char* queue, int64_t* out) {
  return run([&] { *out = store_of(s).queueLen(queue); });
}

}  // extern "C"

#endif
