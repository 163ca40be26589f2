// Calls operators that have no C++ function of their own. The arguments arrive as words,
// and go to libtorch's dispatcher on a stack of values. The results return as words.
// ops_table.hpp lists the kinds of each operator's arguments and results.
#include "boxed.h"
#include "convert.hpp"
#include "guard_training.hpp"

#include <ATen/core/List.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <atomic>
#include <memory>
#include <string_view>

namespace gt::boxed {

// A letter is the kind of an argument. A capital letter is the optional kind.
//
//   t T tensor          m tensor that is written to
//   l L list of (optional) tensors
//   b B bool    i I integer    d D double    s S scalar
//   v V list of integers       W optional list of doubles
//   a   list of bool           n   list of scalars
//   c C string  y Y dtype      o O layout    f F memory format
//   e E device  G generator
//
// Letters of results: t l i b d s as above. A digit n means that the result is the n-th
// of the arguments that the operator writes to (':' follows 9). A - means that the result
// is ignored.
struct Operator {
  const char* name;
  const char* overload;
  const char* args;
  const char* results;
  bool typed;
  bool below_autograd;
  int added;  // number of arguments at the end that older versions of libtorch lack
  const char* added_names;
  int guard;  // index into the table of guards, 0 for none
};

}  // namespace gt::boxed

#include "ops_guards.hpp"
#include "ops_table.hpp"

namespace gt::boxed {
namespace {

using torch::jit::Stack;

// A row of the table, as resolved in the installed libtorch.
struct Found {
  c10::OperatorHandle handle;
  size_t lacks;  // how many arguments at the end the installed libtorch lacks
};

std::atomic<const Found*> found[std::size(operators)];

std::string full_name(const Operator& op) {
  std::string name = op.name + std::strlen("aten::");
  return *op.overload ? name + "." + op.overload : name;
}

__attribute__((noinline, cold)) const Found& find(int32_t number) {
  const auto& op = operators[number];
  const auto handle = c10::Dispatcher::singleton().findSchema({op.name, op.overload});
  if (!handle) missing(("operator " + full_name(op)).c_str());
  const auto& schema = handle->schema();
  const auto has = schema.arguments().size(), all = std::strlen(op.args);
  if (has > all || all - has > static_cast<size_t>(op.added) || schema.returns().size() != std::strlen(op.results)) {
    missing(("operator " + full_name(op) + " in the form known here").c_str());
  }
  auto fresh = std::make_unique<const Found>(Found{*handle, all - has});
  const Found* other = nullptr;
  if (found[number].compare_exchange_strong(other, fresh.get())) return *fresh.release();
  return *other;
}

inline const Found& get(int32_t number) {
  const Found* f = found[number].load(std::memory_order_acquire);
  return __builtin_expect(f != nullptr, 1) ? *f : find(number);
}

// The values of one call. The thread keeps the vector's memory for its next call. The
// destructor releases the values, even after an error.
thread_local Stack kept;
class Values {
 public:
  Values() { v_.swap(kept); }
  ~Values() {
    v_.clear();
    v_.swap(kept);
  }
  Values(const Values&) = delete;
  Values& operator=(const Values&) = delete;
  Stack& operator*() { return v_; }
  Stack* operator->() { return &v_; }

 private:
  Stack v_;
};

class Reader {
 public:
  Reader(const uint64_t* p, int64_t n) : p_(p), end_(p + n) {}

  uint64_t word() {
    TORCH_CHECK(p_ < end_, "too few words");
    return *p_++;
  }
  int64_t integer() { return static_cast<int64_t>(word()); }
  int8_t small() { return static_cast<int8_t>(word()); }
  double real() { return as_double(word()); }
  gt_scalar number() {
    gt_scalar s;
    std::memcpy(&s, take(4), sizeof s);
    return s;
  }
  at::IntArrayRef integers() {
    const auto n = integer();
    return n < 0 ? at::IntArrayRef() : at::IntArrayRef(reinterpret_cast<const int64_t*>(take(n)), n);
  }
  c10::ArrayRef<gt_tensor> handles() {
    const auto n = integer();
    return {reinterpret_cast<const gt_tensor*>(take(n)), static_cast<size_t>(n)};
  }
  std::string text() {
    const auto n = integer();
    return {reinterpret_cast<const char*>(take((n + 7) / 8)), static_cast<size_t>(n)};
  }
  // Reads the first word of an optional value. Returns whether the value is given.
  bool some() {
    if (p_ < end_ && static_cast<int64_t>(*p_) >= 0) return true;
    word();
    return false;
  }
  bool done() const { return p_ == end_; }
  const uint64_t* at() const { return p_; }

  static double as_double(uint64_t w) {
    double d;
    std::memcpy(&d, &w, sizeof d);
    return d;
  }
  const uint64_t* take(int64_t n) {
    TORCH_CHECK(n >= 0 && n <= end_ - p_, "too few words");
    return std::exchange(p_, p_ + n);
  }

 private:
  const uint64_t* p_;
  const uint64_t* end_;
};

at::Tensor tensor(gt_tensor h) { return as(h); }

// Reads one argument and pushes its value onto the stack. If the operator writes to the
// tensor, adds the tensor's handle to written.
void push(char kind, Reader& in, Stack& to, c10::SmallVector<gt_tensor, 4>& written) {
  switch (kind) {
    case 'T':
      if (const gt_tensor h = in.word()) {
        to.emplace_back(tensor(h));
      } else {
        to.emplace_back();
      }
      return;
    case 'm':
      written.push_back(in.word());
      TORCH_CHECK(written.back(), "expected a tensor to write to, got an undefined one");
      to.emplace_back(tensor(written.back()));
      return;
    case 'l': {
      const auto handles = in.handles();
      c10::List<at::Tensor> list;
      list.reserve(handles.size());
      for (const auto h : handles) list.push_back(as(h));
      to.emplace_back(std::move(list));
      return;
    }
    case 'L': {
      const auto handles = in.handles();
      c10::List<std::optional<at::Tensor>> list;
      list.reserve(handles.size());
      for (const auto h : handles) list.push_back(h ? std::optional<at::Tensor>(as(h)) : std::nullopt);
      to.emplace_back(std::move(list));
      return;
    }
    case 'b': to.emplace_back(in.word() != 0); return;
    case 'i': to.emplace_back(in.integer()); return;
    case 'd': to.emplace_back(in.real()); return;
    case 's': to.emplace_back(scalar(in.number())); return;
    case 'B':
    case 'I':
    case 'D': {
      const bool given = in.word();
      const auto w = in.word();
      if (!given) {
        to.emplace_back();
      } else if (kind == 'B') {
        to.emplace_back(w != 0);
      } else if (kind == 'I') {
        to.emplace_back(static_cast<int64_t>(w));
      } else {
        to.emplace_back(Reader::as_double(w));
      }
      return;
    }
    case 'S': {
      const auto s = in.number();
      if (s.kind == GT_SCALAR_NONE) {
        to.emplace_back();
      } else {
        to.emplace_back(scalar(s));
      }
      return;
    }
    case 'V':
      if (!in.some()) {
        to.emplace_back();
        return;
      }
      [[fallthrough]];
    case 'v': to.emplace_back(in.integers()); return;
    case 'W': {
      if (!in.some()) {
        to.emplace_back();
        return;
      }
      const auto bits = in.integers();
      to.emplace_back(at::ArrayRef<double>(reinterpret_cast<const double*>(bits.data()), bits.size()));
      return;
    }
    case 'a': {
      c10::List<bool> list;
      for (const auto v : in.integers()) list.push_back(v != 0);
      to.emplace_back(std::move(list));
      return;
    }
    case 'n': {
      c10::List<at::Scalar> list;
      for (auto n = in.integer(); n > 0; n--) list.push_back(scalar(in.number()));
      to.emplace_back(std::move(list));
      return;
    }
    case 'C':
      if (!in.some()) {
        to.emplace_back();
        return;
      }
      [[fallthrough]];
    case 'c': to.emplace_back(in.text()); return;
    case 'y': to.emplace_back(dtype(in.small())); return;
    case 'o': to.emplace_back(layout(in.small())); return;
    case 'f': to.emplace_back(memory_format(in.small())); return;
    case 'e': to.emplace_back(device(static_cast<int32_t>(in.integer()))); return;
    case 'Y': to.emplace_back(opt_dtype(in.small())); return;
    case 'O': to.emplace_back(opt_layout(in.small())); return;
    case 'F': to.emplace_back(opt_memory_format(in.small())); return;
    case 'E': to.emplace_back(opt_device(static_cast<int32_t>(in.integer()))); return;
    case 'G': to.emplace_back(generator(in.word())); return;
    default: TORCH_CHECK(false, "no kind of argument: ", kind);
  }
}

// Whether the value is None or false. Only then may an argument that libtorch lacks be
// dropped.
bool absent(const c10::IValue& v) { return v.isNone() || (v.isBool() && !v.toBool()); }

__attribute__((noinline, cold)) void drop_added(const Operator& op, size_t lacks, Stack& s) {
  for (; lacks > 0; lacks--) {
    if (!absent(s.back())) {
      missing((std::string("argument ") + op.added_names + " of operator " + full_name(op)).c_str());
    }
    s.pop_back();
  }
}

// Holds the result lists until all results are written. The destructor frees the lists
// after an error.
struct Lists {
  c10::SmallVector<gt_list_ret, 2> v;
  ~Lists() {
    for (const auto& l : v) {
      for (int64_t i = 0; i < l.n; i++) {
        if (l.items[i]) c10::intrusive_ptr<at::TensorImpl>::reclaim(reinterpret_cast<at::TensorImpl*>(l.items[i]));
      }
      std::free(l.items);
    }
  }
};

// Writes the results to out. All steps that may fail come first; only then are tensor
// references released.
void give(const char* kinds, Stack& s, const c10::SmallVector<gt_tensor, 4>& written, uint64_t* out) {
  if (kinds[0] == 't' && !kinds[1]) {
    *out = release(std::move(s[0]).toTensor());
    return;
  }
  const auto size = std::strlen(kinds);
  TORCH_CHECK(s.size() == size, "expected ", size, " results, got ", s.size());
  Lists lists;
  uint64_t* at = out;
  for (size_t i = 0; i < size; i++) {
    switch (kinds[i]) {
      case '-': break;
      case 't': at++; break;
      case 'l':
        lists.v.push_back(list(std::move(s[i]).toTensorVector()));
        at += 2;
        break;
      case 'i': *at++ = number(s[i].toSymInt()); break;
      case 'b': *at++ = number(s[i].toSymBool()); break;
      case 'd': {
        const double d = s[i].toDouble();
        std::memcpy(at++, &d, sizeof d);
        break;
      }
      case 's': {
        const gt_scalar v = gt::number(s[i].toScalar());
        std::memcpy(at, &v, sizeof v);
        at += 4;
        break;
      }
      default: {
        const auto& own = as(written[kinds[i] - '0']);
        const auto& left = s[i].toTensor();
        if (!left.is_same(own)) settle(own, left);
      }
    }
  }
  at = out;
  size_t next = 0;
  for (size_t i = 0; i < size; i++) {
    switch (kinds[i]) {
      case 't': *at++ = release(std::move(s[i]).toTensor()); break;
      case 'l': {
        const auto& l = lists.v[next++];
        *at++ = reinterpret_cast<uint64_t>(l.items);
        *at++ = l.n;
        break;
      }
      case 'i':
      case 'b':
      case 'd': at++; break;
      case 's': at += 4; break;
      default: break;
    }
  }
  lists.v.clear();
}

// Skips one argument.
void skip(char kind, Reader& in) {
  switch (kind) {
    case 'l':
    case 'L': in.handles(); return;
    case 'v':
    case 'V':
    case 'W':
    case 'a': in.integers(); return;
    case 'n': in.take(4 * in.integer()); return;
    case 's':
    case 'S': in.take(4); return;
    case 'B':
    case 'I':
    case 'D': in.take(2); return;
    case 'c': in.text(); return;
    case 'C':
      if (in.some()) in.text();
      return;
    default: in.word();
  }
}

// Runs the guards of an operator on its arguments.
__attribute__((noinline)) void guard(const Operator& op, Reader in) {
  gt::guard::words words;
  int i = 0;
  for (const char* kind = op.args; *kind; kind++, i++) {
    TORCH_CHECK(i < gt::guard::words::most, "too many arguments for a guard");
    words.put(i, in.at());
    skip(*kind, in);
  }
  guards[op.guard](words);
}

void call(gt_ctx cx, int32_t number, Reader in, uint64_t* out) {
  const auto& op = operators[number];
  const auto& f = get(number);
  if (op.guard) guard(op, in);
  Values values;
  c10::SmallVector<gt_tensor, 4> written;
  for (const char* kind = op.args; *kind; kind++) {
    if (*kind == 't') {
      values->emplace_back(tensor(in.word()));
    } else {
      push(*kind, in, *values, written);
    }
  }
  TORCH_CHECK(in.done(), "too many words");
  if (f.lacks) drop_added(op, f.lacks, *values);
  std::optional<BelowAutograd> below;
  if (op.below_autograd) below.emplace(cx);
  f.handle.callBoxed(*values);
  give(op.results, *values, written, out);
}

}  // namespace
}  // namespace gt::boxed

void gt::settle(const at::Tensor& own, const at::Tensor& left) {
  TORCH_CHECK(left.defined(), "the operator left no tensor in an argument that it writes to");
  if (!own.sizes().equals(left.sizes())) own.resize_(left.sizes());
  own.copy_(left);
}

extern "C" {

uintptr_t gt_boxed(gt_ctx cx, int32_t op, const uint64_t* words, int64_t n, uint64_t* out) {
  try {
    gt::enter(cx);
    gt::boxed::call(cx, op, {words, n}, out);
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

int32_t gt_boxed_count(void) { return std::size(operators); }

gt_boxed_row gt_boxed_get(int32_t op) {
  const auto& o = operators[op];
  return {o.name, o.overload, o.args, o.results, o.typed};
}

uintptr_t gt_boxed_look(int32_t op) {
  try {
    gt::boxed::get(op);
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

}  // extern "C"

#define GOTORCH_TOGETHER
#include "ops_lists.cpp"
