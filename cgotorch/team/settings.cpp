//go:build linux

#include "settings.hpp"

#include "libgomp.hpp"
#include "objects.hpp"
#include "openmp.h"
#include "slots.hpp"

#include <dlfcn.h>
#include <strings.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace gt::team {

namespace {

// Tens of microseconds pass between two operators of a small model, or a few hundred if
// part of an operator is serial. Workers should stay awake that long: waking one takes 5
// to 100 microseconds, with the longest times in virtual machines. stress/spin.py
// simulates other waits on 16 and 64 cores: workers that sleep immediately halve the
// speed of a program with one caller and small operators, and workers that spin for 100
// microseconds halve it if there are as many callers as cores.
constexpr Patience kPatience{30'000, 200'000};

bool is(const char* variable, const char* value) {
  const char* text = std::getenv(variable);
  return text && strcasecmp(text, value) == 0;
}

bool is_number(const char* variable) {
  const char* text = std::getenv(variable);
  return text && std::atoi(text) > 0;
}

// Whether the variable GOTORCH_OPENMP requests that libgomp run all regions.
bool is_off() {
  const char* text = std::getenv("GOTORCH_OPENMP");
  if (!text || !*text) return false;
  if (is("GOTORCH_OPENMP", "system")) return true;
  std::fprintf(stderr, "gotorch: GOTORCH_OPENMP is \"%s\"; set it to \"system\" or unset it\n", text);
  return false;
}

// Asks libgomp, which has read OMP_NUM_THREADS, OMP_THREAD_LIMIT and the CPUs of the process.
Settings read() {
  Settings s{};
  // If threads are bound to CPUs, libgomp runs all regions.
  s.on = !is_off() && LIBGOMP(omp_get_proc_bind)() == 0;
  s.limit = std::clamp(LIBGOMP(omp_get_thread_limit)(), 1, int{kMostShares});
  s.cores = LIBGOMP(omp_get_num_procs)();
  s.threads = LIBGOMP(omp_get_max_threads)();
  if (const int cpus = cgroup_cpus("")) {
    s.cores = std::min(s.cores, cpus);
    if (!is_number("OMP_NUM_THREADS")) s.threads = std::min(s.threads, cpus);
  }
  s.cores = std::min(s.cores, s.limit);
  if (s.on) know_objects();
  s.patience = is("OMP_WAIT_POLICY", "passive") ? Patience{0, 0} : kPatience;
  s.mkl_threads = reinterpret_cast<int (*)(int)>(dlsym(RTLD_DEFAULT, "MKL_Set_Num_Threads_Local"));
  return s;
}

}  // namespace

const Settings& read_settings() {
  static const Settings s = read();
  current_settings.store(&s, std::memory_order_release);
  return s;
}

}  // namespace gt::team
