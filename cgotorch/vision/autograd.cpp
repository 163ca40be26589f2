// The gradients of the operators. A backward pass is an operator too; it has no gradient.
#ifdef GOTORCH_TOGETHER

namespace gt::vision {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;
using Below = at::AutoDispatchBelowADInplaceOrView;

using OneFromRegions = at::Tensor(const at::Tensor&, const at::Tensor&, double, SymInt, SymInt, int64_t, bool);
using TwoFromSampled = std::tuple<at::Tensor, at::Tensor>(const at::Tensor&, const at::Tensor&, double, SymInt, SymInt,
                                                          int64_t);
using TwoFromRegions = std::tuple<at::Tensor, at::Tensor>(const at::Tensor&, const at::Tensor&, double, SymInt, SymInt);
using RoIAlignGrad = at::Tensor(const at::Tensor&, const at::Tensor&, double, SymInt, SymInt, SymInt, SymInt, SymInt,
                                SymInt, int64_t, bool);
using PSRoIAlignGrad = at::Tensor(const at::Tensor&, const at::Tensor&, const at::Tensor&, double, SymInt, SymInt,
                                  int64_t, SymInt, SymInt, SymInt, SymInt);
using PoolGrad = at::Tensor(const at::Tensor&, const at::Tensor&, const at::Tensor&, double, SymInt, SymInt, SymInt,
                            SymInt, SymInt, SymInt);
using Deformed = at::Tensor(const at::Tensor&, const at::Tensor&, const at::Tensor&, const at::Tensor&,
                            const at::Tensor&, SymInt, SymInt, SymInt, SymInt, SymInt, SymInt, SymInt, SymInt, bool);
using DeformedGrad = FiveTensors(const at::Tensor&, const at::Tensor&, const at::Tensor&, const at::Tensor&,
                                 const at::Tensor&, const at::Tensor&, SymInt, SymInt, SymInt, SymInt, SymInt, SymInt,
                                 SymInt, SymInt, bool);

// Saves the sizes of the input for the backward pass.
void save_sizes(AutogradContext* ctx, const at::Tensor& input) {
  check_dim("input", input, 4);
  static const char* const names[] = {"batch_size", "channels", "height", "width"};
  for (int i = 0; i < 4; i++) ctx->saved_data[names[i]] = input.sym_size(i);
}

SymInt saved(AutogradContext* ctx, const char* name) { return ctx->saved_data[name].toSymInt(); }

variable_list with_nones(at::Tensor grad, size_t nones) {
  variable_list list{std::move(grad)};
  list.resize(1 + nones);
  return list;
}

struct RoIAlignFunction : torch::autograd::Function<RoIAlignFunction> {
  static variable_list forward(AutogradContext* ctx, const Variable& input, const Variable& rois, double scale,
                               const SymInt& ph, const SymInt& pw, int64_t sampling_ratio, bool aligned) {
    save_sizes(ctx, input);
    ctx->saved_data["scale"] = scale;
    ctx->saved_data["ph"] = ph;
    ctx->saved_data["pw"] = pw;
    ctx->saved_data["sampling_ratio"] = sampling_ratio;
    ctx->saved_data["aligned"] = aligned;
    ctx->save_for_backward({rois});
    Below guard;
    return {find<OneFromRegions>("torchvision::roi_align").call(input, rois, scale, ph, pw, sampling_ratio, aligned)};
  }
  static variable_list backward(AutogradContext* ctx, const variable_list& grads) {
    const auto grad = find<RoIAlignGrad>("torchvision::_roi_align_backward")
                          .call(grads[0], ctx->get_saved_variables()[0], ctx->saved_data["scale"].toDouble(),
                                saved(ctx, "ph"), saved(ctx, "pw"), saved(ctx, "batch_size"), saved(ctx, "channels"),
                                saved(ctx, "height"), saved(ctx, "width"), ctx->saved_data["sampling_ratio"].toInt(),
                                ctx->saved_data["aligned"].toBool());
    return with_nones(grad, 6);
  }
};

struct PSRoIAlignFunction : torch::autograd::Function<PSRoIAlignFunction> {
  static variable_list forward(AutogradContext* ctx, const Variable& input, const Variable& rois, double scale,
                               const SymInt& ph, const SymInt& pw, int64_t sampling_ratio) {
    save_sizes(ctx, input);
    ctx->saved_data["scale"] = scale;
    ctx->saved_data["ph"] = ph;
    ctx->saved_data["pw"] = pw;
    ctx->saved_data["sampling_ratio"] = sampling_ratio;
    Below guard;
    auto [output, mapping] =
        find<TwoFromSampled>("torchvision::ps_roi_align").call(input, rois, scale, ph, pw, sampling_ratio);
    ctx->save_for_backward({rois, mapping});
    ctx->mark_non_differentiable({mapping});
    return {output, mapping};
  }
  static variable_list backward(AutogradContext* ctx, const variable_list& grads) {
    const auto kept = ctx->get_saved_variables();
    const auto grad = find<PSRoIAlignGrad>("torchvision::_ps_roi_align_backward")
                          .call(grads[0], kept[0], kept[1], ctx->saved_data["scale"].toDouble(), saved(ctx, "ph"),
                                saved(ctx, "pw"), ctx->saved_data["sampling_ratio"].toInt(), saved(ctx, "batch_size"),
                                saved(ctx, "channels"), saved(ctx, "height"), saved(ctx, "width"));
    return with_nones(grad, 5);
  }
};

// roi_pool and ps_roi_pool, whose backward passes need the second result.
template <bool ps>
struct PoolFunction : torch::autograd::Function<PoolFunction<ps>> {
  static variable_list forward(AutogradContext* ctx, const Variable& input, const Variable& rois, double scale,
                               const SymInt& ph, const SymInt& pw) {
    save_sizes(ctx, input);
    ctx->saved_data["scale"] = scale;
    ctx->saved_data["ph"] = ph;
    ctx->saved_data["pw"] = pw;
    Below guard;
    auto [output, index] = find<TwoFromRegions>(ps ? "torchvision::ps_roi_pool" : "torchvision::roi_pool")
                               .call(input, rois, scale, ph, pw);
    ctx->save_for_backward({rois, index});
    ctx->mark_non_differentiable({index});
    return {output, index};
  }
  static variable_list backward(AutogradContext* ctx, const variable_list& grads) {
    const auto kept = ctx->get_saved_variables();
    const auto grad =
        find<PoolGrad>(ps ? "torchvision::_ps_roi_pool_backward" : "torchvision::_roi_pool_backward")
            .call(grads[0], kept[0], kept[1], ctx->saved_data["scale"].toDouble(), saved(ctx, "ph"), saved(ctx, "pw"),
                  saved(ctx, "batch_size"), saved(ctx, "channels"), saved(ctx, "height"), saved(ctx, "width"));
    return with_nones(grad, 4);
  }
};

// The numbers of a deformable convolution, in the order of the schema.
constexpr const char* deform_numbers[] = {"stride_h",   "stride_w",   "pad_h",  "pad_w",
                                          "dilation_h", "dilation_w", "groups", "offset_groups"};

struct DeformConv2dFunction : torch::autograd::Function<DeformConv2dFunction> {
  static variable_list forward(AutogradContext* ctx, const Variable& input, const Variable& weight,
                               const Variable& offset, const Variable& mask, const Variable& bias, const SymInt& sh,
                               const SymInt& sw, const SymInt& ph, const SymInt& pw, const SymInt& dh, const SymInt& dw,
                               const SymInt& groups, const SymInt& offset_groups, bool use_mask) {
    const SymInt* numbers[] = {&sh, &sw, &ph, &pw, &dh, &dw, &groups, &offset_groups};
    for (int i = 0; i < 8; i++) ctx->saved_data[deform_numbers[i]] = *numbers[i];
    ctx->saved_data["use_mask"] = use_mask;
    ctx->save_for_backward({input, weight, offset, mask, bias});
    Below guard;
    return {find<Deformed>("torchvision::deform_conv2d")
                .call(input, weight, offset, mask, bias, sh, sw, ph, pw, dh, dw, groups, offset_groups, use_mask)};
  }
  static variable_list backward(AutogradContext* ctx, const variable_list& grads) {
    const auto kept = ctx->get_saved_variables();
    const auto n = [&](int i) { return saved(ctx, deform_numbers[i]); };
    auto [input, weight, offset, mask, bias] =
        find<DeformedGrad>("torchvision::_deform_conv2d_backward")
            .call(grads[0], kept[0], kept[1], kept[2], kept[3], kept[4], n(0), n(1), n(2), n(3), n(4), n(5), n(6), n(7),
                  ctx->saved_data["use_mask"].toBool());
    variable_list all{input, weight, offset, mask, bias};
    all.resize(14);
    return all;
  }
};

// A backward pass as a function that cannot be differentiated.
template <class Signature>
struct Once;
template <class R, class... Args>
struct Once<R(Args...)> : torch::autograd::Function<Once<R(Args...)>> {
  static variable_list forward(AutogradContext* ctx, const char* name, std::decay_t<Args>... args) {
    ctx->saved_data["name"] = std::string(name);
    Below guard;
    const auto r = find<R(Args...)>(name).call(std::move(args)...);
    if constexpr (std::is_same_v<R, at::Tensor>) {
      return {r};
    } else {
      return std::apply([](const auto&... t) { return variable_list{t...}; }, r);
    }
  }
  static variable_list backward(AutogradContext* ctx, const variable_list&) {
    TORCH_CHECK(false, ctx->saved_data["name"].toStringRef(),
                " is not differentiable: the operator has no second derivative");
  }
};

template <class Signature, const char* const& name>
struct Grad;
template <class R, class... Args, const char* const& name>
struct Grad<R(Args...), name> {
  static R call(Args... args) {
    const auto all = Once<R(Args...)>::apply(name, args...);
    if constexpr (std::is_same_v<R, at::Tensor>) {
      return all[0];
    } else {
      return {all[0], all[1], all[2], all[3], all[4]};
    }
  }
};

constexpr const char* roi_align_grad = "torchvision::_roi_align_backward";
constexpr const char* roi_pool_grad = "torchvision::_roi_pool_backward";
constexpr const char* ps_roi_align_grad = "torchvision::_ps_roi_align_backward";
constexpr const char* ps_roi_pool_grad = "torchvision::_ps_roi_pool_backward";
constexpr const char* deform_conv2d_grad = "torchvision::_deform_conv2d_backward";

at::Tensor roi_align_autograd(const at::Tensor& input, const at::Tensor& rois, double scale, SymInt ph, SymInt pw,
                              int64_t sampling_ratio, bool aligned) {
  return RoIAlignFunction::apply(input, rois, scale, ph, pw, sampling_ratio, aligned)[0];
}

std::tuple<at::Tensor, at::Tensor> ps_roi_align_autograd(const at::Tensor& input, const at::Tensor& rois, double scale,
                                                         SymInt ph, SymInt pw, int64_t sampling_ratio) {
  const auto r = PSRoIAlignFunction::apply(input, rois, scale, ph, pw, sampling_ratio);
  return {r[0], r[1]};
}

template <bool ps>
std::tuple<at::Tensor, at::Tensor> pool_autograd(const at::Tensor& input, const at::Tensor& rois, double scale,
                                                 SymInt ph, SymInt pw) {
  const auto r = PoolFunction<ps>::apply(input, rois, scale, ph, pw);
  return {r[0], r[1]};
}

at::Tensor deform_conv2d_autograd(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& offset,
                                  const at::Tensor& mask, const at::Tensor& bias, SymInt sh, SymInt sw, SymInt ph,
                                  SymInt pw, SymInt dh, SymInt dw, SymInt groups, SymInt offset_groups, bool use_mask) {
  return DeformConv2dFunction::apply(input, weight, offset, mask, bias, sh, sw, ph, pw, dh, dw, groups, offset_groups,
                                     use_mask)[0];
}

}  // namespace
}  // namespace gt::vision

#endif
