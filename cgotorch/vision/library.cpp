// The operators: their schemas, which are torchvision's, and calls through the dispatcher.
#ifdef GOTORCH_TOGETHER

namespace gt::vision {
namespace {

using c10::SymInt;

// Returns an operator in the form in which C++ calls it.
template <class Signature>
auto find(const char* name) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, "").typed<Signature>();
}

struct Schema {
  const char* name;  // with the namespace
  const char* text;
};

constexpr Schema schemas[] = {
    {"torchvision::nms", "nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor"},
    {"torchvision::roi_align",
     "roi_align(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width, int "
     "sampling_ratio, bool aligned) -> Tensor"},
    {"torchvision::_roi_align_backward",
     "_roi_align_backward(Tensor grad, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width, "
     "SymInt batch_size, SymInt channels, SymInt height, SymInt width, int sampling_ratio, bool aligned) -> Tensor"},
    {"torchvision::roi_pool",
     "roi_pool(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width) -> (Tensor, "
     "Tensor)"},
    {"torchvision::_roi_pool_backward",
     "_roi_pool_backward(Tensor grad, Tensor rois, Tensor argmax, float spatial_scale, SymInt pooled_height, SymInt "
     "pooled_width, SymInt batch_size, SymInt channels, SymInt height, SymInt width) -> Tensor"},
    {"torchvision::ps_roi_align",
     "ps_roi_align(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width, int "
     "sampling_ratio) -> (Tensor, Tensor)"},
    {"torchvision::_ps_roi_align_backward",
     "_ps_roi_align_backward(Tensor grad, Tensor rois, Tensor channel_mapping, float spatial_scale, SymInt "
     "pooled_height, SymInt pooled_width, int sampling_ratio, SymInt batch_size, SymInt channels, SymInt height, "
     "SymInt width) -> Tensor"},
    {"torchvision::ps_roi_pool",
     "ps_roi_pool(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width) -> "
     "(Tensor, Tensor)"},
    {"torchvision::_ps_roi_pool_backward",
     "_ps_roi_pool_backward(Tensor grad, Tensor rois, Tensor channel_mapping, float spatial_scale, SymInt "
     "pooled_height, SymInt pooled_width, SymInt batch_size, SymInt channels, SymInt height, SymInt width) -> Tensor"},
    {"torchvision::deform_conv2d",
     "deform_conv2d(Tensor input, Tensor weight, Tensor offset, Tensor mask, Tensor bias, SymInt stride_h, SymInt "
     "stride_w, SymInt pad_h, SymInt pad_w, SymInt dilation_h, SymInt dilation_w, SymInt groups, SymInt "
     "offset_groups, bool use_mask) -> Tensor"},
    {"torchvision::_deform_conv2d_backward",
     "_deform_conv2d_backward(Tensor grad, Tensor input, Tensor weight, Tensor offset, Tensor mask, Tensor bias, "
     "SymInt stride_h, SymInt stride_w, SymInt pad_h, SymInt pad_w, SymInt dilation_h, SymInt dilation_w, SymInt "
     "groups, SymInt offset_groups, bool use_mask) -> (Tensor, Tensor, Tensor, Tensor, Tensor)"},
};

// Whether an operator of this name has a schema.
bool is_defined(const char* name) { return c10::Dispatcher::singleton().findSchema({name, ""}).has_value(); }

}  // namespace
}  // namespace gt::vision

#endif
