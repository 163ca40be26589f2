// Python's functions on the sizes of tensors and on numbers that follow from them.
#ifdef GOTORCH_TOGETHER

#include <cmath>
#include <unordered_map>

namespace gt::exported {
namespace {

using Args = c10::ArrayRef<IValue>;

void need(Args a, size_t n) { TORCH_CHECK_VALUE(a.size() == n, "expected ", n, " arguments, got ", a.size()); }

// A number of Python: an integer, a bool counted as one, or a float.
struct Number {
  bool real;
  int64_t i;
  double d;

  explicit Number(const IValue& v) : real(v.isDouble()), i(0), d(0) {
    if (real) {
      d = v.toDouble();
    } else if (v.isBool()) {
      d = static_cast<double>(i = v.toBool());
    } else {
      TORCH_CHECK_TYPE(v.isInt(), "expected a number, got ", v.tagKind());
      d = static_cast<double>(i = v.toInt());
    }
  }
};

[[noreturn]] void overflow() { TORCH_CHECK_VALUE(false, "the result does not fit in 64 bits"); }

IValue floor_divide(const Number& a, const Number& b) {
  TORCH_CHECK_VALUE(b.real ? b.d != 0 : b.d != 0, "division by zero");
  if (a.real || b.real) return std::floor(a.d / b.d);
  if (a.i == INT64_MIN && b.i == -1) overflow();
  return a.i / b.i - (a.i % b.i != 0 && (a.i % b.i < 0) != (b.i < 0));
}

IValue modulo(const Number& a, const Number& b) {
  TORCH_CHECK_VALUE(b.d != 0, "modulo by zero");
  if (a.real || b.real) {
    const double r = std::fmod(a.d, b.d);
    return r != 0 && (r < 0) != (b.d < 0) ? r + b.d : r;
  }
  if (b.i == -1) return int64_t(0);
  const int64_t r = a.i % b.i;
  return r != 0 && (r < 0) != (b.i < 0) ? r + b.i : r;
}

IValue power(const Number& a, const Number& b) {
  if (a.real || b.real || b.i < 0) return std::pow(a.d, b.d);
  int64_t result = 1, base = a.i;
  for (int64_t n = b.i; n; n >>= 1) {
    if (n & 1 && __builtin_mul_overflow(result, base, &result)) overflow();
    if (n > 1 && __builtin_mul_overflow(base, base, &base)) overflow();
  }
  return result;
}

IValue integer(double d) {
  TORCH_CHECK_VALUE(d >= -0x1p63 && d < 0x1p63, "the result does not fit in 64 bits");
  return static_cast<int64_t>(d);
}

int64_t shift(const IValue& v) {
  const Number n(v);
  TORCH_CHECK_VALUE(!n.real && n.i >= 0 && n.i < 63, "a shift by ", v);
  return n.i;
}

// Arithmetic on two numbers. The second line of each entry is for floats.
#define GT_ARITHMETIC(checked, operation)                                 \
  [](Args a) -> IValue {                                                  \
    need(a, 2);                                                           \
    const Number x(a[0]), y(a[1]);                                        \
    if (x.real || y.real) return x.d operation y.d;                       \
    int64_t r;                                                            \
    if (checked(x.i, y.i, &r)) overflow();                                \
    return r;                                                             \
  }
#define GT_COMPARISON(operation)                                                          \
  [](Args a) -> IValue {                                                                  \
    need(a, 2);                                                                           \
    const Number x(a[0]), y(a[1]);                                                        \
    return x.real || y.real ? x.d operation y.d : x.i operation y.i;                      \
  }
#define GT_BINARY(function)               \
  [](Args a) -> IValue {                  \
    need(a, 2);                           \
    return function(Number(a[0]), Number(a[1])); \
  }
#define GT_LOGIC(operation)                                                            \
  [](Args a) -> IValue {                                                               \
    need(a, 2);                                                                        \
    if (a[0].isBool() && a[1].isBool()) return bool(a[0].toBool() operation a[1].toBool()); \
    const Number x(a[0]), y(a[1]);                                                     \
    TORCH_CHECK_TYPE(!x.real && !y.real, "expected integers");                         \
    return x.i operation y.i;                                                          \
  }
#define GT_ROUNDING(function)                                  \
  [](Args a) -> IValue {                                       \
    need(a, 1);                                                \
    const Number x(a[0]);                                      \
    return x.real ? integer(function(x.d)) : IValue(x.i);      \
  }

IValue negate(Args a) {
  need(a, 1);
  const Number x(a[0]);
  if (x.real) return -x.d;
  if (x.i == INT64_MIN) overflow();
  return -x.i;
}

IValue same(Args a) {
  need(a, 1);
  return a[0];
}

IValue divide(Args a) {
  need(a, 2);
  const Number x(a[0]), y(a[1]);
  TORCH_CHECK_VALUE(y.d != 0, "division by zero");
  return x.d / y.d;
}

IValue invert(Args a) {
  need(a, 1);
  if (a[0].isBool()) return !a[0].toBool();
  TORCH_CHECK_TYPE(a[0].isInt(), "expected an integer");
  return ~a[0].toInt();
}

// Returns the larger or the smaller of two numbers, a float if one of them is.
template <bool larger>
IValue extreme(Args a) {
  need(a, 2);
  const Number x(a[0]), y(a[1]);
  if (x.real || y.real) return larger ? std::max(x.d, y.d) : std::min(x.d, y.d);
  return larger ? std::max(x.i, y.i) : std::min(x.i, y.i);
}

IValue choose(Args a) {
  need(a, 3);
  return Number(a[0]).d != 0 ? a[1] : a[2];
}

IValue root(Args a) {
  need(a, 1);
  return std::sqrt(Number(a[0]).d);
}

IValue real(Args a) {
  need(a, 1);
  return Number(a[0]).d;
}

IValue left(Args a) {
  need(a, 2);
  int64_t r;
  TORCH_CHECK_TYPE(a[0].isInt(), "expected an integer");
  if (__builtin_mul_overflow(a[0].toInt(), int64_t(1) << shift(a[1]), &r)) overflow();
  return r;
}

IValue right(Args a) {
  need(a, 2);
  TORCH_CHECK_TYPE(a[0].isInt(), "expected an integer");
  return a[0].toInt() >> shift(a[1]);
}

// Returns the function with the name that torch.export writes, or null.
Function symbol(const std::string& name) {
  static const std::unordered_map<std::string, Function> all{
      {"_operator.add", GT_ARITHMETIC(__builtin_add_overflow, +)},
      {"_operator.sub", GT_ARITHMETIC(__builtin_sub_overflow, -)},
      {"_operator.mul", GT_ARITHMETIC(__builtin_mul_overflow, *)},
      {"_operator.floordiv", GT_BINARY(floor_divide)},
      {"_operator.mod", GT_BINARY(modulo)},
      {"_operator.pow", GT_BINARY(power)},
      {"_operator.truediv", divide},
      {"_operator.neg", negate},
      {"_operator.pos", same},
      {"_operator.eq", GT_COMPARISON(==)},
      {"_operator.ne", GT_COMPARISON(!=)},
      {"_operator.lt", GT_COMPARISON(<)},
      {"_operator.le", GT_COMPARISON(<=)},
      {"_operator.gt", GT_COMPARISON(>)},
      {"_operator.ge", GT_COMPARISON(>=)},
      {"_operator.and_", GT_LOGIC(&)},
      {"_operator.or_", GT_LOGIC(|)},
      {"_operator.lshift", left},
      {"_operator.rshift", right},
      {"math.trunc", GT_ROUNDING(std::trunc)},
      {"math.floor", GT_ROUNDING(std::floor)},
      {"math.ceil", GT_ROUNDING(std::ceil)},
      {"torch.sym_int", GT_ROUNDING(std::trunc)},
      {"torch.sym_float", real},
      {"torch.sym_not", invert},
      {"torch.sym_ite", choose},
      {"torch.sym_max", extreme<true>},
      {"torch.sym_min", extreme<false>},
      {"torch._sym_sqrt", root},
      {"torch.sym_sqrt", root},
  };
  const auto it = all.find(name);
  return it == all.end() ? nullptr : it->second;
}

#undef GT_ARITHMETIC
#undef GT_COMPARISON
#undef GT_BINARY
#undef GT_LOGIC
#undef GT_ROUNDING

}  // namespace
}  // namespace gt::exported

#endif
