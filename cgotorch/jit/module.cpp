// Modules: their contents and attributes.
#ifdef GOTORCH_TOGETHER

#include <torch/csrc/jit/api/compilation_unit.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>

namespace gt::jit {
namespace {

using torch::jit::Module;

// Sets `sets` if a node in the block sets an object's attribute, and `fills` if a node
// changes a list or dict.
void look(const torch::jit::Block* block, bool& sets, bool& fills) {
  std::vector<const torch::jit::Block*> todo{block};
  while (!todo.empty()) {
    const auto* b = todo.back();
    todo.pop_back();
    for (const auto* node : b->nodes()) {
      if (node->kind() == c10::prim::SetAttr) sets = true;
      if (const auto* schema = node->maybeSchema()) {
        for (const auto& a : schema->arguments()) {
          const auto kind = a.type()->kind();
          if (a.alias_info() && a.alias_info()->isWrite() &&
              (kind == c10::TypeKind::ListType || kind == c10::TypeKind::DictType))
            fills = true;
        }
      }
      for (const auto* inner : node->blocks()) todo.push_back(inner);
    }
  }
}

// Whether a call may change an attribute other than by writing to a tensor. Two such
// calls must not run at the same time.
bool changes(const Module& m, bool containers) {
  bool sets = false, fills = false;
  for (const auto* f : m._ivalue()->compilation_unit()->get_functions()) {
    // f is null if freezing has removed the function. __init__ and
    // __setstate__ change only new objects.
    if (!f || f->name() == "__init__" || f->name() == "__setstate__") continue;
    if (const auto* g = torch::jit::tryToGraphFunction(*const_cast<torch::jit::Function*>(f))) {
      look(g->graph()->block(), sets, fills);
    }
  }
  return sets || (fills && containers);
}

// Whether an attribute's value has the attribute's declared type. libtorch does not check
// this when it reads an archive, but the interpreter relies on it.
bool right(const IValue& v, const c10::Type& type) {
  switch (type.kind()) {
    case TypeKind::TensorType: return v.isTensor();
    case TypeKind::IntType: return v.isInt();
    case TypeKind::FloatType: return v.isDouble();
    case TypeKind::BoolType: return v.isBool();
    case TypeKind::StringType: return v.isString();
    case TypeKind::ClassType: return v.isObject() && *v.toObjectRef().type() == type;
    default: return true;
  }
}

struct Tree {
  std::vector<torch::jit::ObjectPtr> nodes;
  std::unordered_map<const c10::ivalue::Object*, size_t> number;
  std::vector<std::unique_ptr<Held>> handles;
  Writer out;
  bool containers = false;

  size_t visit(const torch::jit::ObjectPtr& o) {
    const auto [it, fresh] = number.try_emplace(o.get(), nodes.size());
    if (fresh) nodes.push_back(o);
    return it->second;
  }

  void node(const torch::jit::ObjectPtr& o) {
    const auto type = o->type();
    handles.push_back(std::make_unique<Held>(Module(o)));
    out.word(reinterpret_cast<uintptr_t>(handles.back().get()));
    out.text(type->name() ? type->name()->name() : "");
    const auto training = type->findAttributeSlot("training");
    const bool knows = training && o->getSlot(*training).isBool();
    out.word(knows ? o->getSlot(*training).toBool() : 2);
    std::vector<size_t> modules, tensors, others;
    for (size_t i = 0; i < type->numAttributes(); i++) {
      const auto& v = o->getSlot(i);
      const auto at = type->getAttribute(i);
      TORCH_CHECK_TYPE(right(v, *at), "attribute ", type->getAttributeName(i), " of type ", at->repr_str(), " is ",
                       v.tagKind());
      if (v.isObject() && at->cast<c10::ClassType>() && at->expectRef<c10::ClassType>().is_module()) {
        modules.push_back(i);
        continue;
      }
      if ((type->is_parameter(i) || type->is_buffer(i)) && v.isTensor() && v.toTensor().defined()) tensors.push_back(i);
      else others.push_back(i);
      containers = containers || v.isList() || v.isGenericDict() || v.isObject();
    }
    out.word(modules.size());
    for (const auto i : modules) {
      out.text(type->getAttributeName(i));
      out.word(visit(o->getSlot(i).toObject()));
    }
    out.word(tensors.size());
    for (const auto i : tensors) {
      out.text(type->getAttributeName(i));
      out.word(i);
      out.word(type->is_parameter(i));
      out.word(out.place(o->getSlot(i).toTensor()));
    }
    out.word(others.size() + type->numConstants());
    for (const auto i : others) out.text(type->getAttributeName(i));
    for (size_t i = 0; i < type->numConstants(); i++) out.text(type->getConstantName(i));
  }
};

}  // namespace
}  // namespace gt::jit

extern "C" {

void gt_jit_out_free(gt_jit_out* out) {
  std::free(out->words);
  std::free(out->tensors);
  *out = {};
}

void gt_jit_free(gt_jit_module m) { delete reinterpret_cast<gt::jit::Held*>(m); }

void gt_jit_object_free(gt_jit_object o) { delete reinterpret_cast<c10::IValue*>(o); }

uintptr_t gt_jit_tree(gt_jit_module m, gt_jit_out* out) {
  try {
    const auto& root = gt::jit::module(m);
    gt::jit::Tree nodes;
    nodes.visit(root._ivalue());
    for (size_t i = 0; i < nodes.nodes.size(); i++) {
      const auto o = nodes.nodes[i];
      nodes.node(o);
    }
    nodes.out.word(gt::jit::changes(root, nodes.containers));
    nodes.out.give(out);
    for (auto& h : nodes.handles) h.release();
    return 0;
  } catch (...) {
    return gt::jit::caught();
  }
}

uintptr_t gt_jit_peek(const gt_jit_module* ms, const int32_t* slots, int64_t n, gt_tensor* out) {
  try {
    for (int64_t i = 0; i < n; i++) {
      const auto& v = gt::jit::module(ms[i])._ivalue()->getSlot(slots[i]);
      out[i] =
          v.isTensor() && v.toTensor().defined() ? reinterpret_cast<gt_tensor>(v.toTensor().unsafeGetTensorImpl()) : 0;
    }
    return 0;
  } catch (...) {
    return gt::jit::caught();
  }
}

gt_tensor gt_jit_slot(gt_jit_module m, int32_t slot) {
  const auto& v = gt::jit::module(m)._ivalue()->getSlot(slot);
  return v.isTensor() ? gt::release(v.toTensor()) : 0;
}

uintptr_t gt_jit_set_slot(gt_jit_module m, int32_t slot, gt_tensor t) {
  try {
    gt::jit::module(m)._ivalue()->setSlot(slot, at::Tensor(gt::as(t)));
    return 0;
  } catch (...) {
    return gt::jit::caught();
  }
}

uintptr_t gt_jit_train(gt_jit_module m, int on) {
  try {
    const auto o = gt::jit::module(m)._ivalue();
    if (const auto slot = o->type()->findAttributeSlot("training"); slot && o->getSlot(*slot).isBool())
      o->setSlot(*slot, on != 0);
    return 0;
  } catch (...) {
    return gt::jit::caught();
  }
}

uintptr_t gt_jit_attr(gt_ctx cx, gt_jit_module m, const char* name, int64_t n, gt_jit_out* out) {
  try {
    gt::enter(cx);
    gt::jit::Writer to;
    to.value(gt::jit::module(m).attr(std::string(name, n)));
    to.give(out);
    return 0;
  } catch (...) {
    return gt::jit::caught();
  }
}

uintptr_t gt_jit_object_attr(gt_ctx cx, gt_jit_object o, const char* name, int64_t n, gt_jit_out* out) {
  try {
    gt::enter(cx);
    gt::jit::Writer to;
    to.value(torch::jit::Object(reinterpret_cast<c10::IValue*>(o)->toObject()).attr(std::string(name, n)));
    to.give(out);
    return 0;
  } catch (...) {
    return gt::jit::caught();
  }
}

uintptr_t gt_jit_set_attr(gt_ctx cx, gt_jit_module m, const char* name, int64_t n, const uint64_t* words,
                          int64_t n_words, const gt_tensor* handles, int64_t n_handles) {
  try {
    gt::enter(cx);
    const std::string key(name, n);
    auto module = gt::jit::module(m);
    const auto type = module.type()->findAttribute(key);
    gt::jit::Reader in(words, n_words, handles, n_handles);
    module.setattr(key, in.value(type ? type : c10::TypePtr(c10::AnyType::get())));
    return 0;
  } catch (...) {
    return gt::jit::caught();
  }
}

}  // extern "C"

#endif
