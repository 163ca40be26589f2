// The form in which a program is kept.
#pragma once

#include "export.h"

#include "abi.hpp"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>
#include <ATen/core/jit_type.h>

#include <memory>
#include <vector>

namespace gt::exported {

using c10::IValue;
using c10::TypeKind;
using c10::TypePtr;

// What an operator accepts for an argument. Values of other types are converted, as in Python.
enum class Wanted : uint8_t {
  any,
  tensor,  // a number becomes a tensor that takes no part in type promotion
  real,    // an integer becomes a float
};

// An argument of a node, or an element of one.
struct Argument {
  enum Kind : uint8_t { constant, slot, list, train } kind = constant;
  Wanted wanted = Wanted::any;
  IValue value;                 // of a constant, or whether the module trained when it was exported
  int64_t at = -1;              // the number of the slot, or of the module that may train
  std::vector<Argument> items;  // of a list
  TypePtr element;              // of a list; null for a list of any values
};

// Where a result of a node goes.
struct Result {
  int64_t slot = -1;          // -1 if it is unused, or a list
  bool list = false;
  std::vector<Result> items;  // of a list
};

struct Graph;

using Function = IValue (*)(c10::ArrayRef<IValue>);

struct Node {
  int kind = GT_EXPORT_OPERATOR;
  int64_t number = 0;
  std::optional<c10::OperatorHandle> op;
  Function function = nullptr;
  std::vector<Argument> args;
  std::vector<std::unique_ptr<Graph>> graphs;
  std::vector<Result> results;
  std::vector<int64_t> last;  // the slots that no later node reads
};

struct Graph {
  int64_t slots = 0;
  std::vector<int64_t> inputs;
  std::vector<Node> nodes;
  std::vector<Argument> outputs;
};

// A value that is copied into a tensor after a run.
struct Write {
  int64_t from, to;
};

struct Program {
  Graph graph;
  std::vector<Write> writes;
};

inline double as_double(uint64_t w) {
  double d;
  std::memcpy(&d, &w, sizeof d);
  return d;
}

inline c10::Device device(uint64_t code) {
  return c10::Device(static_cast<c10::DeviceType>(code >> 8), static_cast<c10::DeviceIndex>((code & 0xff) - 1));
}

// Reads words and checks that there are enough of them.
class Words {
 public:
  Words(const uint64_t* words, int64_t n) : at_(words), end_(words + n) {}

  uint64_t word() { return *take(1); }
  bool done() const { return at_ == end_; }

  // Reads how many things follow. Each has at least one word.
  size_t count() {
    const auto n = word();
    TORCH_CHECK(n <= static_cast<size_t>(end_ - at_), "too few words");
    return n;
  }
  size_t count(uint64_t tag) const {
    TORCH_CHECK(tag >> 8 <= static_cast<size_t>(end_ - at_), "too few words");
    return tag >> 8;
  }

  std::string text() {
    const auto tag = word();
    TORCH_CHECK((tag & 0xff) == GT_EXPORT_STRING, "expected a string");
    return text(tag >> 8);
  }
  std::string text(size_t n) { return {reinterpret_cast<const char*>(take(n / 8 + (n % 8 != 0))), n}; }

 private:
  const uint64_t* at_;
  const uint64_t* end_;

  const uint64_t* take(size_t n) {
    TORCH_CHECK(n <= static_cast<size_t>(end_ - at_), "too few words");
    return std::exchange(at_, at_ + n);
  }
};

}  // namespace gt::exported
