// A library that registers one of torchvision's operators, as torchvision's own library does.
#include <ATen/ops/full.h>
#include <torch/library.h>

static at::Tensor nms(const at::Tensor&, const at::Tensor&, double) { return at::full({1}, 7, at::kLong); }

TORCH_LIBRARY(torchvision, m) { m.def("nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor"); }
TORCH_LIBRARY_IMPL(torchvision, CPU, m) { m.impl("nms", nms); }
