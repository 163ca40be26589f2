#ifdef GOTORCH_TOGETHER  // together.cpp includes this file

#include "refuse.hpp"

#include "graph.hpp"

namespace gt::capture {

namespace {

bool within(const std::string& name, std::initializer_list<const char*> list) {
  for (const char* n : list) {
    if (name == n) return true;
  }
  return false;
}

// Whether an overload of the operator has a result whose shape depends on values. All
// overloads are checked, because overloads that write to given results often lack the
// tag.
bool sized_by_values(const c10::OperatorHandle& op) {
  if (op.hasTag(at::Tag::dynamic_output_shape)) return true;
  const auto functional = c10::Dispatcher::singleton().findOp({op.schema().name(), ""});
  return functional && functional->hasTag(at::Tag::dynamic_output_shape);
}

}  // namespace

void refuse(const c10::OperatorHandle& op, const torch::jit::Stack& stack) {
  const auto& schema = op.schema();
  const std::string& name = schema.name();
  const auto args = stack.end() - static_cast<int64_t>(schema.arguments().size());
  TORCH_CHECK(!op.hasTag(at::Tag::data_dependent_output), name,
              " reads a number from a tensor while a step is being captured, and a replay would not read it again: "
              "return the tensor, and read it after the replay");
  if (within(name, {"aten::index", "aten::_unsafe_index"})) {
    for (const std::optional<at::Tensor>& i : args[1].toOptionalTensorList()) {
      TORCH_CHECK(!i || !i->defined() || (i->scalar_type() != at::kBool && i->scalar_type() != at::kByte), name,
                  " by a mask has a result whose shape depends on values, which cannot be captured");
    }
  } else {
    TORCH_CHECK(!sized_by_values(op), name,
                " has a result whose shape depends on values, which cannot be captured");
  }
  TORCH_CHECK(
      !within(name, {"aten::resize_", "aten::resize_as_", "aten::set_", "aten::_lazy_clone", "aten::record_stream"}),
      name, " moves a tensor to other memory, which cannot be captured");
  TORCH_CHECK(!within(name, {"aten::_unsafe_masked_index", "aten::_unsafe_masked_index_put_accumulate",
                             "aten::_saturate_weight_to_fp16"}),
              name, " cannot be captured: it changes its arguments, but its schema does not say so");
  TORCH_CHECK(name.compare(0, 6, "aten::") == 0 || name.compare(0, 9, "gotorch::") == 0 ||
                  name.compare(0, 13, "torchvision::") == 0,
              name, " cannot be captured: its side effects are unknown");
  for (auto it = args; it != stack.end(); ++it) {
    TORCH_CHECK(!it->isObject() && !it->isCapsule() && !it->isStorage(), name,
                " cannot be captured: it takes an object");
    tensors(*it, [&](const at::Tensor& t) {
      TORCH_CHECK(t.device().is_cpu(), name, " of a tensor on ", t.device(),
                  " cannot be captured: torch.Capture is for the CPU; for CUDA use cuda.Graph");
      TORCH_CHECK(t.layout() == at::kStrided && t.has_storage() && !t.is_quantized() && !t.is_nested(), name,
                  " of a tensor that is not dense cannot be captured");
    });
  }
}

}  // namespace gt::capture

#endif
