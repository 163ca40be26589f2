// Registers the operators.
#ifdef GOTORCH_TOGETHER

namespace gt::vision {
namespace {

// --- autocast: the operators compute in float32, as in torchvision ---------------------

template <c10::DispatchKey key, c10::DeviceType device>
struct Autocast {
  static at::Tensor cast(const at::Tensor& t) { return at::autocast::cached_cast(at::kFloat, t, device); }

  static at::Tensor nms(const at::Tensor& dets, const at::Tensor& scores, double iou_threshold) {
    c10::impl::ExcludeDispatchKeyGuard guard(key);
    return find<at::Tensor(const at::Tensor&, const at::Tensor&, double)>("torchvision::nms")
        .call(cast(dets), cast(scores), iou_threshold);
  }
  static at::Tensor roi_align(const at::Tensor& input, const at::Tensor& rois, double scale, SymInt ph, SymInt pw,
                              int64_t sampling_ratio, bool aligned) {
    c10::impl::ExcludeDispatchKeyGuard guard(key);
    return find<OneFromRegions>("torchvision::roi_align")
        .call(cast(input), cast(rois), scale, ph, pw, sampling_ratio, aligned)
        .to(input.scalar_type());
  }
  static std::tuple<at::Tensor, at::Tensor> ps_roi_align(const at::Tensor& input, const at::Tensor& rois, double scale,
                                                         SymInt ph, SymInt pw, int64_t sampling_ratio) {
    c10::impl::ExcludeDispatchKeyGuard guard(key);
    auto [a, b] = find<TwoFromSampled>("torchvision::ps_roi_align")
                      .call(cast(input), cast(rois), scale, ph, pw, sampling_ratio);
    return {a.to(input.scalar_type()), b.to(input.scalar_type())};
  }
  template <bool ps>
  static std::tuple<at::Tensor, at::Tensor> pool(const at::Tensor& input, const at::Tensor& rois, double scale,
                                                 SymInt ph, SymInt pw) {
    c10::impl::ExcludeDispatchKeyGuard guard(key);
    auto [a, b] = find<TwoFromRegions>(ps ? "torchvision::ps_roi_pool" : "torchvision::roi_pool")
                      .call(cast(input), cast(rois), scale, ph, pw);
    return {a.to(input.scalar_type()), b.to(input.scalar_type())};
  }
  static at::Tensor deform_conv2d(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& offset,
                                  const at::Tensor& mask, const at::Tensor& bias, SymInt sh, SymInt sw, SymInt ph,
                                  SymInt pw, SymInt dh, SymInt dw, SymInt groups, SymInt offset_groups, bool use_mask) {
    c10::impl::ExcludeDispatchKeyGuard guard(key);
    return find<Deformed>("torchvision::deform_conv2d")
        .call(cast(input), cast(weight), cast(offset), cast(mask), cast(bias), sh, sw, ph, pw, dh, dw, groups,
              offset_groups, use_mask)
        .to(input.scalar_type());
  }

  static void add_to(torch::Library& m) {
    m.impl("nms", nms);
    m.impl("roi_align", roi_align);
    m.impl("ps_roi_align", ps_roi_align);
    m.impl("roi_pool", pool<false>);
    m.impl("ps_roi_pool", pool<true>);
    m.impl("deform_conv2d", deform_conv2d);
  }
};

// --- registration ------------------------------------------------------------------------

// What this package has registered. The schemas have their own libraries, because they can
// be taken back; see vision.h.
struct Registered {
  std::vector<torch::Library> kernels;
  std::vector<std::unique_ptr<torch::Library>> schemas;  // as in the table; null if another library's is used

  static torch::Library library(torch::Library::Kind kind, std::optional<c10::DispatchKey> key = std::nullopt) {
    return {kind, "torchvision", key, __FILE__, 0};
  }

  // Registers the schemas that no library has registered.
  void define() {
    schemas.resize(std::size(vision::schemas));
    for (size_t i = 0; i < schemas.size(); i++) {
      if (schemas[i] || is_defined(vision::schemas[i].name)) continue;
      auto l = std::make_unique<torch::Library>(library(torch::Library::FRAGMENT));
      l->def(torch::schema(vision::schemas[i].text));
      schemas[i] = std::move(l);
    }
  }

  void implement() {
    auto& cpu = kernels.emplace_back(library(torch::Library::IMPL, c10::DispatchKey::CPU));
    cpu.impl("nms", TORCH_FN(vision::nms));
    cpu.impl("roi_align", TORCH_FN(vision::roi_align));
    cpu.impl("_roi_align_backward", TORCH_FN(roi_align_backward));
    cpu.impl("roi_pool", TORCH_FN(vision::roi_pool));
    cpu.impl("_roi_pool_backward", TORCH_FN(roi_pool_backward));
    cpu.impl("ps_roi_align", TORCH_FN(vision::ps_roi_align));
    cpu.impl("_ps_roi_align_backward", TORCH_FN(ps_roi_align_backward));
    cpu.impl("ps_roi_pool", TORCH_FN(vision::ps_roi_pool));
    cpu.impl("_ps_roi_pool_backward", TORCH_FN(ps_roi_pool_backward));
    cpu.impl("deform_conv2d", TORCH_FN(vision::deform_conv2d));
    cpu.impl("_deform_conv2d_backward", TORCH_FN(deform_conv2d_backward));
    auto& grad = kernels.emplace_back(library(torch::Library::IMPL, c10::DispatchKey::Autograd));
    grad.impl("roi_align", TORCH_FN(roi_align_autograd));
    grad.impl("_roi_align_backward", TORCH_FN((Grad<RoIAlignGrad, roi_align_grad>::call)));
    grad.impl("roi_pool", TORCH_FN(pool_autograd<false>));
    grad.impl("_roi_pool_backward", TORCH_FN((Grad<PoolGrad, roi_pool_grad>::call)));
    grad.impl("ps_roi_align", TORCH_FN(ps_roi_align_autograd));
    grad.impl("_ps_roi_align_backward", TORCH_FN((Grad<PSRoIAlignGrad, ps_roi_align_grad>::call)));
    grad.impl("ps_roi_pool", TORCH_FN(pool_autograd<true>));
    grad.impl("_ps_roi_pool_backward", TORCH_FN((Grad<PoolGrad, ps_roi_pool_grad>::call)));
    grad.impl("deform_conv2d", TORCH_FN(deform_conv2d_autograd));
    grad.impl("_deform_conv2d_backward", TORCH_FN((Grad<DeformedGrad, deform_conv2d_grad>::call)));
    Autocast<c10::DispatchKey::AutocastCPU, c10::kCPU>::add_to(
        kernels.emplace_back(library(torch::Library::IMPL, c10::DispatchKey::AutocastCPU)));
    Autocast<c10::DispatchKey::AutocastCUDA, c10::kCUDA>::add_to(
        kernels.emplace_back(library(torch::Library::IMPL, c10::DispatchKey::AutocastCUDA)));
  }
};

// Never freed, because other objects with static lifetime may still call the operators.
Registered* registered = nullptr;

}  // namespace
}  // namespace gt::vision

extern "C" {

uintptr_t gt_vision_register(void) {
  using namespace gt::vision;
  try {
    if (registered || is_defined("torchvision::nms")) return 0;  // a library has registered all of them
    auto r = std::make_unique<Registered>();
    r->kernels.reserve(4);
    r->define();
    r->implement();
    registered = r.release();
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

void gt_vision_withdraw(void) {
  if (gt::vision::registered) gt::vision::registered->schemas.clear();
}

void gt_vision_restore(void) {
  try {
    if (gt::vision::registered) gt::vision::registered->define();
  } catch (...) {  // the next call of an operator reports that it is missing
  }
}

}  // extern "C"

#endif
