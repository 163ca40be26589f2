// Shared by the C++ files of this package.
#pragma once

#include "c10d.h"

#include "abi.hpp"

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <torch/csrc/distributed/c10d/exception.h>

#include <csignal>

namespace gt::dist {

// Reads a handle without changing its reference count.
template <class T>
T& at_handle(uintptr_t h) {
  return *reinterpret_cast<T*>(h);
}

template <class T>
c10::intrusive_ptr<T> shared(uintptr_t h) {
  return c10::intrusive_ptr<T>::unsafe_reclaim_from_nonowning(reinterpret_cast<T*>(h));
}

template <class T>
uintptr_t handle(c10::intrusive_ptr<T> p) {
  return reinterpret_cast<uintptr_t>(p.release());
}

template <class T>
void drop(uintptr_t h) noexcept {
  try {
    c10::intrusive_ptr<T>::reclaim(reinterpret_cast<T*>(h));
  } catch (...) {  // The destructor has thrown, and there is nobody to report the error to.
  }
}

// The status of the exception in flight. Call only from a catch block.
inline gt_dist_status caught() noexcept {
  int32_t kind = GT_DIST_OTHER;
  try {
    throw;
  } catch (const c10d::TimeoutError&) {
    kind = GT_DIST_TIMEOUT;
  } catch (const c10::DistStoreError&) {
    kind = GT_DIST_STORE;
  } catch (const c10::DistNetworkError&) {
    kind = GT_DIST_NETWORK;
  } catch (...) {
  }
  return {gt::caught(), kind};
}

template <class F>
gt_dist_status run(F f) noexcept {
  try {
    f();
    return {0, 0};
  } catch (...) {
    return caught();
  }
}

// Blocks SIGPIPE in new threads while it exists. Writing to a rank that has ended raises
// SIGPIPE, which would end the process if the thread was not created by Go. Go's own
// threads ignore SIGPIPE, and so do all threads in Python.
class WithoutPipeSignal {
 public:
  WithoutPipeSignal() {
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, &before_);
  }
  ~WithoutPipeSignal() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  WithoutPipeSignal(const WithoutPipeSignal&) = delete;
  WithoutPipeSignal& operator=(const WithoutPipeSignal&) = delete;

 private:
  sigset_t before_;
};

inline std::chrono::milliseconds ms(int64_t n) { return std::chrono::milliseconds(n); }

}  // namespace gt::dist
