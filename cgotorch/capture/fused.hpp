// Kernels that compute a layer and its neighbours in one call, for inference.
#pragma once

#include "graph.hpp"
#include "products.hpp"

namespace gt::capture {

// Memory that all kernels of a graph use in turn.
struct Scratch {
  at::Tensor memory;
  void reserve(int64_t floats);
};

// A linear layer, or a convolution of images, with constant weights. An addition comes before the activation.
struct Layer {
  bool convolution = false;
  at::Tensor x, weight, bias, other;  // bias and other may be undefined
  std::vector<int64_t> stride, padding, dilation;
  int64_t groups = 1;
  Act act = Act::none;
  float low = 0, high = 0;
  std::shared_ptr<Scratch> scratch;

  std::vector<int64_t> result_sizes() const;
};

struct Candidate {
  std::unique_ptr<Fused> kernel;
  How how = How::out;
  at::Tensor result;                // where the kernel writes; undefined for How::swap
  std::vector<at::Tensor> reads;    // the layer's tensors that the kernel reads in each call
  std::vector<at::Tensor> packed;   // memory that the kernel owns
};

// Whether two tensors of the same sizes have the same strides where these matter.
bool same_strides(const at::Tensor& a, at::IntArrayRef strides);
// Returns what the layer does after the product, such as "+relu", for a kernel's name.
std::string suffix(const Layer& l);
// Returns oneDNN's kernel for the layer in the dtype of x, or nothing. It throws what oneDNN throws.
std::optional<Candidate> one_dnn(const Layer& l);
// The same in bfloat16, with the addition and the activation in a pass of their own.
std::optional<Candidate> one_dnn_then_add(const Layer& l);
// Returns the kernels that can compute the layer in the dtype of x. x and other of a convolution are channels-last, or
// x has few channels; those of a linear layer have contiguous rows.
std::vector<Candidate> candidates(const Layer& l);
// Returns a kernel for a recorded call whose first argument is now x, or nothing if the call is not
// supported. only_first says that nothing uses the call's results but the first.
std::optional<Candidate> of_images(const Call& c, const at::Tensor& x, bool only_first);
// Returns a kernel that copies channels-last images to contiguous ones.
Candidate to_contiguous(const at::Tensor& x);
// Whether oneDNN computes in bfloat16 on this processor.
bool computes_bfloat16();
// Whether oneDNN computes the layer in the given dtype, other than float, on this processor.
bool one_dnn_computes(const Layer& l, at::ScalarType dtype);
// Returns a kernel that copies x to a tensor of another dtype.
Candidate converted(const at::Tensor& x, at::ScalarType dtype);
// Whether a kernel takes an input of a convolution in any layout.
bool any_layout(const Layer& l);

}  // namespace gt::capture
