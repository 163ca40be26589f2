#ifdef GOTORCH_TOGETHER  // together.cpp includes this file

#include "record.hpp"

#include <cstring>
#include <sstream>

namespace gt::capture {

namespace {

// The first word of a described value. It determines what the next words mean.
enum Kind : uint64_t { none, undefined, tensor, number, integer, real, boolean, generator, list, text };

// A tensor's last word is the number of its memory. This bit marks memory from outside
// the step.
constexpr uint64_t kOutside = uint64_t{1} << 63;

uint64_t bits(double v) {
  uint64_t b;
  std::memcpy(&b, &v, sizeof b);
  return b;
}

void put(Words& w, const std::string& s) {
  w.push_back(text);
  w.push_back(s.size());
  for (size_t i = 0; i < s.size(); i += 8) {
    uint64_t part = 0;
    std::memcpy(&part, s.data() + i, std::min<size_t>(8, s.size() - i));
    w.push_back(part);
  }
}

// Reads the words that describe wrote.
class Reader {
 public:
  explicit Reader(const uint64_t* at) : at_(at) {}

  void value(std::ostream& out) {
    switch (next()) {
      case none: out << "none"; break;
      case undefined: out << "no tensor"; break;
      case tensor: tensor_(out); break;
      case number: out << c10::toString(static_cast<at::ScalarType>(next())) << ' ', value(out); break;
      case integer: out << static_cast<int64_t>(next()); break;
      case real: out << real_(); break;
      case boolean: out << (next() ? "true" : "false"); break;
      case generator: next(), out << "a generator"; break;
      case text: text_(out); break;
      case list:
        out << '[';
        for (uint64_t n = next(), i = 0; i < n; i++) out << (i ? ", " : ""), value(out);
        out << ']';
    }
  }

 private:
  uint64_t next() { return *at_++; }

  double real_() {
    const uint64_t b = next();
    double v;
    std::memcpy(&v, &b, sizeof v);
    return v;
  }

  void text_(std::ostream& out) {
    const uint64_t n = next();
    out << std::string_view(reinterpret_cast<const char*>(at_), n);
    at_ += (n + 7) / 8;
  }

  void tensor_(std::ostream& out) {
    out << c10::toString(static_cast<at::ScalarType>(next()));
    const uint64_t dims = next();
    out << at::IntArrayRef(reinterpret_cast<const int64_t*>(at_), dims);
    at_ += dims;
    out << " of strides " << at::IntArrayRef(reinterpret_cast<const int64_t*>(at_), dims);
    at_ += dims;
    out << ", from " << next() << " of ";
    const uint64_t which = next();
    if (which & kOutside) out << "memory from outside the step";
    else out << "result " << which;
  }

  const uint64_t* at_;
};

std::string read(const Seen& s, size_t argument) {
  std::ostringstream out;
  out.precision(17);
  Reader(s.words.data() + s.starts[argument]).value(out);
  return out.str();
}

bool same(const Seen& a, const Seen& b, size_t argument) {
  const auto words = [&](const Seen& s) {
    const size_t first = s.starts[argument],
                 end = argument + 1 < s.starts.size() ? s.starts[argument + 1] : s.words.size();
    return std::basic_string_view<uint64_t>(s.words.data() + first, end - first);
  };
  return words(a) == words(b);
}

}  // namespace

void Recorder::describe(Words& w, const at::Tensor& t) {
  if (!t.defined()) {
    w.push_back(undefined);
    return;
  }
  if (t.unsafeGetTensorImpl()->is_wrapped_number()) {
    w.push_back(number);
    w.push_back(static_cast<uint64_t>(t.scalar_type()));
    // Reads the number directly, because the recorder would record a call of item.
    if (t.scalar_type() == at::kDouble)
      w.push_back(real), w.push_back(bits(*static_cast<const double*>(t.const_data_ptr())));
    else if (t.scalar_type() == at::kLong)
      w.push_back(integer), w.push_back(*static_cast<const int64_t*>(t.const_data_ptr()));
    else if (t.scalar_type() == at::kBool)
      w.push_back(boolean), w.push_back(*static_cast<const bool*>(t.const_data_ptr()));
    else if (t.scalar_type() == at::kComplexDouble)
      put(w, c10::str(*static_cast<const c10::complex<double>*>(t.const_data_ptr())));
    else w.push_back(none);
    return;
  }
  w.push_back(tensor);
  w.push_back(static_cast<uint64_t>(t.scalar_type()));
  w.push_back(t.dim());
  w.insert(w.end(), t.sizes().begin(), t.sizes().end());
  w.insert(w.end(), t.strides().begin(), t.strides().end());
  w.push_back(t.storage_offset());
  const auto [it, first] = names_.try_emplace(storage(t), kOutside | names_.size());
  if (first) held_.emplace_back(t.storage().getWeakStorageImpl());
  w.push_back(it->second);
}

void Recorder::describe(Words& w, const IValue& v) {
  if (v.isTensor()) {
    describe(w, v.toTensor());
  } else if (v.isGenerator()) {
    w.push_back(generator);
    w.push_back(reinterpret_cast<uint64_t>(v.toGenerator().unsafeGetGeneratorImpl()));
  } else if (v.isTensorList()) {
    const auto ts = v.toTensorList();
    w.push_back(list);
    w.push_back(ts.size());
    for (const at::Tensor& t : ts) describe(w, t);
  } else if (v.isOptionalTensorList()) {
    const auto ts = v.toOptionalTensorList();
    w.push_back(list);
    w.push_back(ts.size());
    for (const std::optional<at::Tensor>& t : ts) describe(w, t ? *t : at::Tensor());
  } else if (v.isIntList()) {
    const auto ns = v.toIntList();
    w.push_back(list);
    w.push_back(ns.size());
    for (const int64_t n : ns) w.push_back(integer), w.push_back(n);
  } else if (v.isList()) {
    const auto vs = v.toListRef();
    w.push_back(list);
    w.push_back(vs.size());
    for (const IValue& e : vs) describe(w, e);
  } else if (v.isDouble()) {
    w.push_back(real);
    w.push_back(bits(v.toDouble()));
  } else if (v.isInt()) {
    w.push_back(integer);
    w.push_back(v.toInt());
  } else if (v.isBool()) {
    w.push_back(boolean);
    w.push_back(v.toBool());
  } else if (v.isNone()) {
    w.push_back(none);
  } else {
    std::ostringstream out;
    out.precision(17);
    out << v;
    put(w, out.str());
  }
}

void Recorder::forget_results() {
  std::erase_if(names_, [](const auto& n) { return !(n.second & kOutside); });
}

void Recorder::compare(Seen&& now) {
  if (pass_ == Pass::rehearsal) {
    rehearsed_->push_back(std::move(now));
    return;
  }
  TORCH_CHECK(next_ < rehearsed_->size(), unlike_, now.name(), " was not called before");
  const Seen& was = (*rehearsed_)[next_++];
  TORCH_CHECK(was.op == now.op && std::strcmp(was.step, now.step) == 0, unlike_, "operator ", next_ - 1, " was ",
              was.name(), " and then ", now.name());
  if (was.words == now.words) return;
  TORCH_CHECK(was.starts.size() == now.starts.size(), unlike_, now.name(), " had ", was.starts.size(),
              " arguments and then ", now.starts.size());
  for (size_t i = 0; i < was.starts.size(); i++) {
    if (same(was, now, i)) continue;
    const std::string before = read(was, i), after = read(now, i);
    TORCH_CHECK(before == after, unlike_, "argument ", i, " of ", now.name(), " was ", before, " and then ", after,
                ". Put a number that changes, or data from Go, into a tensor, and fill it before each replay");
    TORCH_CHECK(false, unlike_, "argument ", i, " of ", now.name(), ", ", after,
                ", was another tensor before. Make a tensor that changes an input, or copy its values to one tensor "
                "before each replay");
  }
}

std::string Seen::name() const { return op ? toString(op->operator_name()) : step; }

}  // namespace gt::capture

#endif
