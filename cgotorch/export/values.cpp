// Makes the arguments of operators.
#ifdef GOTORCH_TOGETHER

#include <ATen/ScalarOps.h>

namespace gt::exported {
namespace {

// Returns a value in the form that an operator wants.
IValue converted(Wanted wanted, const IValue& v) {
  if (wanted == Wanted::tensor && v.isScalar()) {
    auto t = c10::scalar_to_tensor(v.toScalar());
    t.unsafeGetTensorImpl()->set_wrapped_number(true);
    return t;
  }
  if (wanted == Wanted::real && v.isInt()) return static_cast<double>(v.toInt());
  return v;
}

template <class T, class Items, class Get>
IValue list_of(const Items& items, Get get) {
  c10::List<T> l;
  l.reserve(items.size());
  for (const auto& item : items) l.push_back(get(item));
  return l;
}

// Makes the list of an argument. The function value returns the value of an item.
template <class Value>
IValue made(const Argument& a, Value value) {
  const auto kind = a.element ? a.element->kind() : TypeKind::AnyType;
  switch (kind) {
    case TypeKind::TensorType:
      return list_of<at::Tensor>(a.items, [&](const Argument& i) { return value(i).toTensor(); });
    case TypeKind::OptionalType:
      if (a.element->expectRef<c10::OptionalType>().getElementType()->kind() != TypeKind::TensorType) break;
      return list_of<std::optional<at::Tensor>>(
          a.items, [&](const Argument& i) { return value(i).template to<std::optional<at::Tensor>>(); });
    case TypeKind::IntType:
    case TypeKind::SymIntType:
      return list_of<int64_t>(a.items, [&](const Argument& i) { return value(i).toInt(); });
    case TypeKind::FloatType:
      return list_of<double>(a.items, [&](const Argument& i) { return converted(Wanted::real, value(i)).toDouble(); });
    case TypeKind::BoolType: return list_of<bool>(a.items, [&](const Argument& i) { return value(i).toBool(); });
    case TypeKind::StringType:
      return list_of<std::string>(a.items, [&](const Argument& i) { return value(i).toStringRef(); });
    default: break;
  }
  c10::impl::GenericList l(a.element ? a.element : TypePtr(c10::AnyType::get()));
  for (const auto& item : a.items) l.push_back(value(item));
  return IValue(std::move(l));
}

}  // namespace
}  // namespace gt::exported

#endif
