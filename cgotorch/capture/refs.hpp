// Counts the references that graphs and recordings have to tensors and to their memory.
// Any additional reference belongs to something else.
#pragma once

#include <cstdint>
#include <unordered_map>

namespace gt::capture {

class Refs {
 public:
  Refs() = default;
  Refs(const Refs&) = delete;
  Refs& operator=(const Refs&) = delete;
  ~Refs() { clear(); }

  // Counts a reference to a TensorImpl or a StorageImpl.
  void add(const void* held);
  // Moves all references from one object to another.
  void move(const void* from, const void* to);
  void clear();
  int64_t count(const void* held) const;
  // The number of references to `held` in all graphs and recordings of the process.
  static int64_t all(const void* held);

 private:
  std::unordered_map<const void*, int64_t> own_;
};

}  // namespace gt::capture
