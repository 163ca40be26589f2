#ifdef GOTORCH_TOGETHER  // together.cpp includes this file

#include "refs.hpp"

#include <mutex>

namespace gt::capture {

namespace {

struct Table {
  std::mutex mutex;
  std::unordered_map<const void*, int64_t> counts;

  void change(const void* held, int64_t by) {
    const auto it = counts.try_emplace(held, 0).first;
    if (!(it->second += by)) counts.erase(it);
  }
};

Table& table() {
  static auto* t = new Table;
  return *t;
}

}  // namespace

void Refs::add(const void* held) {
  own_[held]++;
  Table& t = table();
  std::lock_guard<std::mutex> lock(t.mutex);
  t.change(held, 1);
}

void Refs::move(const void* from, const void* to) {
  const auto it = own_.find(from);
  if (it == own_.end()) return;
  const int64_t n = it->second;
  own_.erase(it);
  own_[to] += n;
  Table& t = table();
  std::lock_guard<std::mutex> lock(t.mutex);
  t.change(from, -n);
  t.change(to, n);
}

void Refs::clear() {
  Table& t = table();
  std::lock_guard<std::mutex> lock(t.mutex);
  for (const auto& [held, n] : own_) t.change(held, -n);
  own_.clear();
}

int64_t Refs::count(const void* held) const {
  const auto it = own_.find(held);
  return it == own_.end() ? 0 : it->second;
}

int64_t Refs::all(const void* held) {
  Table& t = table();
  std::lock_guard<std::mutex> lock(t.mutex);
  const auto it = t.counts.find(held);
  return it == t.counts.end() ? 0 : it->second;
}

}  // namespace gt::capture

#endif
