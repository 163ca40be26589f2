// Converts TorchScript values to words, and back.
#pragma once

#include "jit.h"

#include "abi.hpp"

#include <ATen/core/class_type.h>
#include <ATen/core/enum_type.h>
#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>
#include <ATen/core/jit_type.h>

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

namespace gt::jit {

using c10::IValue;
using c10::TypeKind;
using c10::TypePtr;

// Deeper values are rejected in both directions, because Go and C++ convert values
// recursively.
constexpr int deepest = 200;
// Limits the words of one value, because an object is copied for each reference to it.
constexpr size_t most_words = size_t(1) << 27;

inline c10::Device device(int64_t code) {
  return c10::Device(static_cast<c10::DeviceType>(code >> 8), static_cast<c10::DeviceIndex>((code & 0xff) - 1));
}

// --- from words -------------------------------------------------------------

class Reader {
 public:
  Reader(const uint64_t* words, int64_t n, const gt_tensor* handles, int64_t n_handles)
      : at_(words), end_(words + n), handles_(handles, n_handles) {}

  uint64_t word() { return *take(1); }
  bool done() const { return at_ == end_; }

  std::string text() {
    const auto tag = word();
    TORCH_CHECK((tag & 0xff) == GT_JIT_STRING, "expected a string");
    return text(tag >> 8);
  }

  // Reads the next value and converts it to the type of its parameter. A value of a
  // different type is passed on unchanged, and the interpreter reports the error.
  IValue value(const TypePtr& type, int depth = 0) {
    TORCH_CHECK(depth < deepest, "a value that is nested too deeply");
    if (const auto o = type->cast<c10::OptionalType>()) {
      return value(o->getElementType(), depth);
    }
    const auto tag = word();
    const auto n = tag >> 8;
    switch (tag & 0xff) {
      case GT_JIT_NONE: return {};
      case GT_JIT_TENSOR: return tensor(n);
      case GT_JIT_BOOL: return n != 0;
      case GT_JIT_INT: return integer(static_cast<int64_t>(word()), *type);
      case GT_JIT_FLOAT: return real(as_double(word()), *type);
      case GT_JIT_COMPLEX: {
        const auto re = as_double(word());
        return c10::complex<double>(re, as_double(word()));
      }
      case GT_JIT_STRING: return text(n);
      case GT_JIT_DEVICE: return device(static_cast<int64_t>(n));
      case GT_JIT_LIST:
      case GT_JIT_STRINGS:
        return list(n, element(type, (tag & 0xff) == GT_JIT_STRINGS ? TypePtr(c10::StringType::get()) : nullptr),
                    [&](const TypePtr& t) { return value(t, depth + 1); });
      case GT_JIT_TENSORS:
        return list(n, element(type, c10::TensorType::get()), [&](const TypePtr&) { return tensor(word()); });
      case GT_JIT_INTS:
        return list(n, element(type, c10::IntType::get()),
                    [&](const TypePtr& t) { return integer(static_cast<int64_t>(word()), *t); });
      case GT_JIT_FLOATS:
        return list(n, element(type, c10::FloatType::get()),
                    [&](const TypePtr& t) { return real(as_double(word()), *t); });
      case GT_JIT_BOOLS:
        return list(n, element(type, c10::BoolType::get()), [&](const TypePtr&) { return IValue(word() != 0); });
      case GT_JIT_TUPLE: return tuple(n, type, depth);
      case GT_JIT_DICT: return dict(n, type, depth);
      case GT_JIT_OBJECT: return *reinterpret_cast<const IValue*>(word());
      case GT_JIT_ENUM: return enumerator(type, depth);
      default: TORCH_CHECK(false, "no tag of a value: ", tag & 0xff);
    }
  }

 private:
  const uint64_t* at_;
  const uint64_t* end_;
  c10::ArrayRef<gt_tensor> handles_;

  static double as_double(uint64_t w) {
    double d;
    std::memcpy(&d, &w, sizeof d);
    return d;
  }

  const uint64_t* take(size_t n) {
    TORCH_CHECK(n <= static_cast<size_t>(end_ - at_), "too few words");
    return std::exchange(at_, at_ + n);
  }

  std::string text(size_t n) { return {reinterpret_cast<const char*>(take((n + 7) / 8)), n}; }

  IValue tensor(uint64_t i) const {
    TORCH_CHECK(i < handles_.size(), "no tensor of this number");
    return handles_[i] ? IValue(at::Tensor(as(handles_[i]))) : IValue();
  }

  // An integer is valid for a parameter of type float, as in Python.
  static IValue integer(int64_t v, const c10::Type& type) {
    if (type.kind() == TypeKind::FloatType) return static_cast<double>(v);
    if (type.kind() == TypeKind::ComplexType) return c10::complex<double>(static_cast<double>(v), 0);
    return v;
  }
  static IValue real(double v, const c10::Type& type) {
    if (type.kind() == TypeKind::ComplexType) return c10::complex<double>(v, 0);
    return v;
  }

  // Returns the element type of a list for a parameter of type `type`, or own if the parameter is not a list.
  static TypePtr element(const TypePtr& type, const TypePtr& own) {
    if (const auto l = type->cast<c10::ListType>()) return l->getElementType();
    return own ? own : TypePtr(c10::AnyType::get());
  }

  template <class F>
  IValue list(size_t n, const TypePtr& of, F next) {
    TORCH_CHECK(n <= static_cast<size_t>(end_ - at_), "too few words");
    c10::impl::GenericList l(of);
    l.reserve(n);
    for (size_t i = 0; i < n; i++) {
      IValue v = next(of);
      TORCH_CHECK_TYPE(fits(v, of), "element ", i, " of a list: expected ", of->repr_str(), ", got ",
                       v.type()->repr_str());
      l.push_back(std::move(v));
    }
    return IValue(std::move(l));
  }

  static bool fits(const IValue& v, const TypePtr& type) {
    switch (type->kind()) {
      case TypeKind::AnyType: return true;
      case TypeKind::TensorType: return v.isTensor();
      case TypeKind::IntType: return v.isInt();
      case TypeKind::FloatType: return v.isDouble();
      case TypeKind::BoolType: return v.isBool();
      case TypeKind::StringType: return v.isString();
      default: return v.type()->isSubtypeOf(*type);
    }
  }

  IValue tuple(size_t n, const TypePtr& type, int depth) {
    TORCH_CHECK(n <= static_cast<size_t>(end_ - at_), "too few words");
    const auto t = type->cast<c10::TupleType>();
    const bool same = t && t->elements().size() == n;
    std::vector<IValue> items;
    items.reserve(n);
    for (size_t i = 0; i < n; i++) {
      const TypePtr any = c10::AnyType::get();
      items.push_back(value(same ? t->elements()[i] : any, depth + 1));
    }
    if (same && t->schema()) return c10::ivalue::Tuple::createNamed(std::move(items), t);
    return c10::ivalue::Tuple::create(std::move(items));
  }

  IValue dict(size_t n, const TypePtr& type, int depth) {
    TORCH_CHECK(n <= static_cast<size_t>(end_ - at_) / 2, "too few words");
    TypePtr key, val;
    if (const auto t = type->cast<c10::DictType>()) {
      key = t->getKeyType();
      val = t->getValueType();
    }
    const TypePtr any = c10::AnyType::get();
    std::vector<std::pair<IValue, IValue>> pairs;
    pairs.reserve(n);
    for (size_t i = 0; i < n; i++) {
      IValue k = value(key ? key : any, depth + 1);
      pairs.emplace_back(std::move(k), value(val ? val : any, depth + 1));
    }
    if (!key) {  // The parameter has no dict type: take the first key's type, and any values.
      key = n ? pairs[0].first.type() : TypePtr(c10::StringType::get());
      val = any;
    }
    c10::impl::GenericDict d(key, val);
    d.reserve(n);
    for (auto& [k, v] : pairs) {
      TORCH_CHECK_TYPE(fits(k, key), "key of a dict: expected ", key->repr_str(), ", got ", k.type()->repr_str());
      TORCH_CHECK_TYPE(fits(v, val), "value of a dict: expected ", val->repr_str(), ", got ", v.type()->repr_str());
      d.insert_or_assign(std::move(k), std::move(v));
    }
    return IValue(std::move(d));
  }

  IValue enumerator(const TypePtr& type, int depth) {
    const auto name = text(), member = text();
    const auto given = value(c10::AnyType::get(), depth + 1);
    const auto t = type->cast<c10::EnumType>();
    TORCH_CHECK_TYPE(t, "an enum ", name, " where ", type->repr_str(), " is expected");
    for (const auto& [n, v] : t->enumNamesValues()) {
      if (n == member) return IValue(c10::make_intrusive<c10::ivalue::EnumHolder>(t, n, v));
    }
    TORCH_CHECK_VALUE(false, "enum ", t->repr_str(), " has no member ", member);
  }
};

// --- to words ---------------------------------------------------------------

// The words of a result. They may contain objects, which the destructor frees unless give
// has been called.
class Writer {
 public:
  Writer() = default;
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer() {
    for (auto* o : objects_) delete o;
  }

  void word(uint64_t w) {
    TORCH_CHECK(words_.size() < most_words, "a value that is too large");
    words_.push_back(w);
  }
  void tag(int kind, uint64_t n = 0) { word(n << 8 | kind); }
  void text(const std::string& s) {
    tag(GT_JIT_STRING, s.size());
    const auto at = words_.size(), n = (s.size() + 7) / 8;
    TORCH_CHECK(n <= most_words - at, "a value that is too large");
    words_.resize(at + n);
    if (n) std::memcpy(&words_[at], s.data(), s.size());
  }

  // Returns the index of t in the list of tensors. Adds t to the list if necessary.
  uint64_t place(const at::Tensor& t) {
    const auto [it, fresh] = places_.try_emplace(t.unsafeGetTensorImpl(), tensors_.size());
    if (fresh) tensors_.push_back(t);
    return it->second;
  }

  void value(const IValue& v, int depth = 0) {
    TORCH_CHECK(depth < deepest, "a value that is nested too deeply");
    if (v.isNone()) return tag(GT_JIT_NONE);
    if (v.isTensor()) {
      const auto& t = v.toTensor();
      return t.defined() ? tag(GT_JIT_TENSOR, place(t)) : tag(GT_JIT_NONE);
    }
    if (v.isBool()) return tag(GT_JIT_BOOL, v.toBool());
    if (v.isInt() || v.isSymInt()) {
      tag(GT_JIT_INT);
      return word(v.isInt() ? v.toInt() : v.toSymInt().guard_int(__FILE__, __LINE__));
    }
    if (v.isDouble()) {
      tag(GT_JIT_FLOAT);
      return real(v.toDouble());
    }
    if (v.isComplexDouble()) {
      const auto c = v.toComplexDouble();
      tag(GT_JIT_COMPLEX);
      real(c.real());
      return real(c.imag());
    }
    if (v.isString()) return text(v.toStringRef());
    if (v.isDevice()) {
      const auto d = v.toDevice();
      return tag(GT_JIT_DEVICE, static_cast<uint64_t>(d.type()) << 8 | static_cast<uint8_t>(d.index() + 1));
    }
    if (v.isList()) return list(v, depth);
    if (v.isTuple()) return tuple(v.toTupleRef(), depth);
    if (v.isGenericDict()) {
      const auto d = v.toGenericDict();
      tag(GT_JIT_DICT, d.size());
      for (const auto& e : d) {
        value(e.key(), depth + 1);
        value(e.value(), depth + 1);
      }
      return;
    }
    if (v.isEnum()) {
      const auto e = v.toEnumHolder();
      tag(GT_JIT_ENUM);
      text(e->qualifiedClassName());
      text(e->name());
      return value(e->value(), depth + 1);
    }
    if (v.isFuture()) {
      const auto f = v.toFuture();
      f->waitAndThrow();
      return value(f->constValue(), depth + 1);
    }
    if (v.isObject()) {
      const auto type = v.toObjectRef().type();
      auto* o = new IValue(v);
      objects_.push_back(o);
      tag(GT_JIT_OBJECT);
      word(reinterpret_cast<uintptr_t>(o));
      return text(type->name() ? type->name()->qualifiedName() : "");
    }
    TORCH_CHECK_TYPE(false, "a value of type ", v.tagKind(), " has no counterpart in Go");
  }

  void give(gt_jit_out* out) {
    auto* words = static_cast<uint64_t*>(std::malloc(words_.size() * sizeof(uint64_t) + 1));
    auto* tensors = static_cast<gt_tensor*>(std::malloc(tensors_.size() * sizeof(gt_tensor) + 1));
    if (!words || !tensors) {
      std::free(words);
      std::free(tensors);
      throw std::bad_alloc();
    }
    if (!words_.empty()) std::memcpy(words, words_.data(), words_.size() * sizeof(uint64_t));
    for (size_t i = 0; i < tensors_.size(); i++) tensors[i] = release(std::move(tensors_[i]));
    objects_.clear();
    *out = {0, words, static_cast<int64_t>(words_.size()), tensors, static_cast<int64_t>(tensors_.size())};
  }

 private:
  std::vector<uint64_t> words_;
  std::vector<at::Tensor> tensors_;
  std::unordered_map<const at::TensorImpl*, uint64_t> places_;
  std::vector<IValue*> objects_;

  void real(double d) {
    uint64_t w;
    std::memcpy(&w, &d, sizeof w);
    word(w);
  }

  void list(const IValue& v, int depth) {
    const auto l = v.toListRef();
    const auto all = [&](auto is) { return std::all_of(l.begin(), l.end(), is); };
    int kind = GT_JIT_LIST;
    switch (v.type()->castRaw<c10::ListType>()->getElementType()->kind()) {
      case TypeKind::TensorType:
        if (all([](const IValue& x) { return x.isTensor() && x.toTensor().defined(); })) kind = GT_JIT_TENSORS;
        break;
      case TypeKind::IntType:
        if (all([](const IValue& x) { return x.isInt(); })) kind = GT_JIT_INTS;
        break;
      case TypeKind::FloatType: kind = GT_JIT_FLOATS; break;
      case TypeKind::BoolType: kind = GT_JIT_BOOLS; break;
      case TypeKind::StringType: kind = GT_JIT_STRINGS; break;
      default: break;
    }
    tag(kind, l.size());
    for (const auto& x : l) {
      switch (kind) {
        case GT_JIT_TENSORS: word(place(x.toTensor())); break;
        case GT_JIT_INTS: word(x.toInt()); break;
        case GT_JIT_FLOATS: real(x.toDouble()); break;
        case GT_JIT_BOOLS: word(x.toBool()); break;
        default: value(x, depth + 1);
      }
    }
  }

  void tuple(const c10::ivalue::Tuple& t, int depth) {
    const auto& items = t.elements();
    const auto type = t.type<c10::TupleType>();
    if (type->schema() && type->schema()->arguments().size() == items.size()) {
      tag(GT_JIT_NAMED, items.size());
      text(type->name() ? type->name()->name() : "");
      for (const auto& a : type->schema()->arguments()) text(a.name());
    } else {
      tag(GT_JIT_TUPLE, items.size());
    }
    for (const auto& x : items) value(x, depth + 1);
  }
};

}  // namespace gt::jit
