// Declarations for all files of the C++ peer. A case is a function that takes arguments and returns
// a time. main.cpp reads requests and writes answers.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>

namespace peer {

struct Args {
  int64_t iterations = 1;
  std::map<std::string, int64_t> named;

  int64_t get(const std::string& key, int64_t otherwise) const {
    auto it = named.find(key);
    return it == named.end() ? otherwise : it->second;
  }
};

using Case = int64_t (*)(const Args&);  // returns the nanoseconds of all iterations

// All cases by name. The static Register objects of each file add them.
std::map<std::string, Case>& cases();

struct Register {
  Register(const char* name, Case run) { cases()[name] = run; }
};

inline int64_t now() {
  using namespace std::chrono;
  return duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count();
}

// Runs the body n/20 times to warm up, and then times n runs.
template <class Body>
int64_t timed(int64_t n, Body body) {
  for (int64_t i = 0; i < n / 20 + 1; i++) body();
  const int64_t start = now();
  for (int64_t i = 0; i < n; i++) body();
  return now() - start;
}

}  // namespace peer
