// Calls the operators. Calls go through the dispatcher in its boxed form, so they also
// work with the operators of another library, whose C++ types may differ.
#ifdef GOTORCH_TOGETHER

namespace gt::vision {
namespace {

// Finds an operator once. Operators are never removed.
class Operator {
 public:
  explicit Operator(const char* name) : name_(name) {}

  const c10::OperatorHandle& get() {
    if (const auto* h = found_.load(std::memory_order_acquire)) return *h;
    const auto h = c10::Dispatcher::singleton().findSchema({name_, ""});
    if (!h) throw MissingOperator(std::string("the operator ") + name_ + " is not registered");
    auto fresh = std::make_unique<const c10::OperatorHandle>(*h);
    const c10::OperatorHandle* other = nullptr;
    if (found_.compare_exchange_strong(other, fresh.get())) return *fresh.release();
    return *other;
  }

 private:
  const char* name_;
  std::atomic<const c10::OperatorHandle*> found_{nullptr};
};

// Calls an operator and returns its first result.
template <class... Args>
gt_ret call(gt_ctx cx, Operator& op, Args&&... args) {
  try {
    gt::enter(cx);
    const auto& handle = op.get();
    torch::jit::Stack stack;
    stack.reserve(sizeof...(args));
    (stack.emplace_back(std::forward<Args>(args)), ...);
    BelowAutograd below(cx);
    handle.callBoxed(stack);
    return {release(std::move(stack.at(0)).toTensor()), 0};
  } catch (...) {
    return {0, gt::caught()};
  }
}

}  // namespace
}  // namespace gt::vision

extern "C" {

gt_ret gt_vision_nms(gt_ctx cx, gt_tensor dets, gt_tensor scores, double iou_threshold) {
  static gt::vision::Operator op("torchvision::nms");
  return gt::vision::call(cx, op, gt::as(dets), gt::as(scores), iou_threshold);
}

gt_ret gt_vision_roi_align(gt_ctx cx, gt_tensor input, gt_tensor rois, double spatial_scale, int64_t pooled_height,
                           int64_t pooled_width, int64_t sampling_ratio, int8_t aligned) {
  static gt::vision::Operator op("torchvision::roi_align");
  return gt::vision::call(cx, op, gt::as(input), gt::as(rois), spatial_scale, pooled_height, pooled_width,
                          sampling_ratio, aligned != 0);
}

gt_ret gt_vision_roi_pool(gt_ctx cx, gt_tensor input, gt_tensor rois, double spatial_scale, int64_t pooled_height,
                          int64_t pooled_width) {
  static gt::vision::Operator op("torchvision::roi_pool");
  return gt::vision::call(cx, op, gt::as(input), gt::as(rois), spatial_scale, pooled_height, pooled_width);
}

gt_ret gt_vision_ps_roi_align(gt_ctx cx, gt_tensor input, gt_tensor rois, double spatial_scale, int64_t pooled_height,
                              int64_t pooled_width, int64_t sampling_ratio) {
  static gt::vision::Operator op("torchvision::ps_roi_align");
  return gt::vision::call(cx, op, gt::as(input), gt::as(rois), spatial_scale, pooled_height, pooled_width,
                          sampling_ratio);
}

gt_ret gt_vision_ps_roi_pool(gt_ctx cx, gt_tensor input, gt_tensor rois, double spatial_scale, int64_t pooled_height,
                             int64_t pooled_width) {
  static gt::vision::Operator op("torchvision::ps_roi_pool");
  return gt::vision::call(cx, op, gt::as(input), gt::as(rois), spatial_scale, pooled_height, pooled_width);
}

gt_ret gt_vision_deform_conv2d(gt_ctx cx, gt_tensor input, gt_tensor weight, gt_tensor offset, gt_tensor mask,
                               gt_tensor bias, const int64_t* n) {
  static gt::vision::Operator op("torchvision::deform_conv2d");
  try {
    gt::enter(cx);
    const at::Tensor& x = gt::as(input);
    // torchvision's function passes these in place of None.
    const at::Tensor m = mask ? gt::as(mask) : at::zeros({x.dim() ? x.size(0) : 0, 1}, x.options());
    const at::Tensor& w = gt::as(weight);
    const at::Tensor b = bias ? gt::as(bias) : at::zeros({w.dim() ? w.size(0) : 0}, x.options());
    return gt::vision::call(cx, op, x, w, gt::as(offset), m, b, n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7],
                            mask != 0);
  } catch (...) {
    return {0, gt::caught()};
  }
}

}  // extern "C"

#endif
