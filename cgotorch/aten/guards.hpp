// Guards are checks that run before operators of libtorch that do not check their own
// arguments, and that would otherwise end the process or never return.
// internal/cmd/genaten/guards.txt lists the guards of each operator. The generator writes
// them into the C++ function of an operator and into the table of boxed calls, so that
// both kinds of calls run the same checks.
//
// A guard gets the arguments in the types of abi.h and owns none of them. It throws a
// c10::Error that names the argument, the expected value and the given value.
#pragma once

#include "convert.hpp"

namespace gt::guard {

// Arguments with their names in the schema. A tensor
// may be undefined. A list of length -1 is None.
struct tensor {
  const char* name;
  gt_tensor h;
  const at::Tensor& operator*() const { return as(h); }
  const at::Tensor* operator->() const { return &as(h); }
};
struct tensors {
  const char* name;
  const gt_tensor* p;
  int64_t n;
};
struct ints {
  const char* name;
  const int64_t* p;
  int64_t n;
};
struct integer {
  const char* name;
  int64_t v;
  bool given;
};
struct real {
  const char* name;
  double v;
  bool given;
};
struct number {
  const char* name;
  gt_scalar v;
};
struct boolean {
  const char* name;
  bool v;
};
struct text {
  const char* name;
  const char* p;
  int64_t n;
};

// How the length of a list must match the number in its schema.
enum lengths { exactly, or_one, or_none };  // or_one: or one number for all; or_none: as or_one, or an empty list

[[noreturn]] void fail_length(const ints& list, int64_t want, lengths how);

inline void length(const ints& list, int64_t want, lengths how) {
  if (__builtin_expect(list.n == want || list.n < 0, 1)) return;
  if ((how != exactly && list.n == 1) || (how == or_none && list.n == 0)) return;
  fail_length(list, want, how);
}

// Checks of one or two arguments, used by many operators. Each check except given accepts
// None and undefined arguments.

// The list is not empty.
void some(const tensors& list);
void some(const ints& list);
// The list has n tensors.
void count(const tensors& list, int64_t n);
// The two lists have the same length.
void same_count(const tensors& a, const tensors& b);
// least <= each number <= most.
void between(const integer& v, int64_t least, int64_t most);
void between(const ints& v, int64_t least, int64_t most);
void between(const real& v, double least, double most);
void between(const number& v, double least, double most);
// The tensor is defined.
void given(const tensor& t);
// least <= number of dimensions <= most.
void rank(const tensor& t, int64_t least, int64_t most);
void rank(const tensors& list, int64_t least, int64_t most);
// These throw unless both tensors have the same shape, number of elements or dtype, respectively.
void same_shape(const tensor& t, const tensor& as);
void same_count(const tensor& t, const tensor& as);
void same_dtype(const tensor& t, const tensor& as);
// t has as many elements as dimension d of tensor `as`.
void as_long(const tensor& t, const tensor& as, int64_t d);
// The tensor has at least `least` elements.
void elements(const tensor& t, int64_t least);
// The tensor is strided, and neither quantized nor nested.
void dense(const tensor& t);
void dense(const tensors& list);
// The tensor is not a conjugated or negated view, which PyTorch computes lazily.
void resolved(const tensor& t);
// These check the dtype: int64; int64 or int32 (for indices); a floating-point type; float32.
void int64(const tensor& t);
void indices(const tensor& t);
void floating(const tensor& t);
void float32(const tensor& t);
// dim is a dimension of t and may be negative. dims are distinct dimensions of t and may not be negative.
void dimension(const tensor& t, const integer& dim);
void dimensions(const tensor& t, const ints& dims);
[[noreturn]] void fail_nested(const tensor& t, const integer& dim);
// dim of a nested tensor is not negative, unless it is dimension 0 counted from the end.
inline void nested_dimension(const tensor& t, const integer& dim) {
  if (dim.v < 0 && t.h && t->is_nested() && dim.v != -t->dim()) fail_nested(t, dim);
}
[[noreturn]] void fail_nested_rank(const tensor& t);
// A nested tensor has at least two dimensions.
inline void nested_rank(const tensor& t) {
  if (t.h && t->is_nested() && t->dim() < 2) fail_nested_rank(t);
}
[[noreturn]] void fail_meta(const tensor& a, const tensor& b);
// Both tensors are on the meta device, or neither is.
inline void both_meta(const tensor& a, const tensor& b) {
  if (a.h && b.h && a->is_meta() != b->is_meta()) fail_meta(a, b);
}
// least <= each element <= most. Checked only if the tensor is on the CPU; this reads the
// tensor.
void values(const tensor& t, int64_t least, int64_t most);
// All elements are finite. Checked only if the tensor is on the CPU; this reads the
// tensor.
void finite(const tensor& t);

// Checks for one operator, or for a family of operators.

// No element divides the smallest integer by -1, which crashes the process. Reads other,
// and reads self if other contains a -1.
void no_overflow(const tensor& self, const tensor& other, const text& rounding_mode);
void no_overflow(const tensor& self, const number& other, const text& rounding_mode);
void no_overflow_lcm(const tensor& self, const tensor& other);
// step, converted to an integer, is not zero where libtorch divides by that integer: in
// arange for dtype int64, in range for all integer dtypes.
void arange_steps(const number& start, const number& end, const number& step, const integer& dtype);
void arange_steps(const number& start, const number& end, const number& step, const tensor& out);
void range_steps(const number& start, const number& end, const number& step, const integer& dtype);
void range_steps(const number& start, const number& end, const number& step, const tensor& out);
// The degree of a polynomial is not huge, because libtorch loops up to it. Reads a tensor.
void degree(const tensor& n);
void degree(const number& n);
// A view with these sizes and strides is within the storage.
void inside(const tensor& self, const ints& size, const ints& stride);
// If the scale is positive, it is at least 2^-31.
void nearest(const real& scale);
// The filter of the last output pixel begins within the image. reach is half the filter's width in pixels.
void antialiased(const tensor& self, const ints& output_size, const boolean& align_corners, const real& scales_h,
                 const real& scales_w, int64_t reach);
void antialiased(const ints& input_size, const ints& output_size, const boolean& align_corners, const real& scales_h,
                 const real& scales_w, int64_t reach);
// Vectors have as many elements as input has channels,
// and the statistics are defined if they are used.
void batch_norm(const tensor& input, const tensor& weight, const tensor& bias, const tensor& mean, const tensor& var,
                const boolean& training);
void batch_norm(const tensor& input, const tensor& weight, const tensor& bias);
void batch_norm_backward(const tensor& grad, const tensor& input, const tensor& weight, const tensor& mean,
                         const tensor& var, const tensor& save_mean, const tensor& save_invstd, const boolean& train);
// indices are at least `least` and within the last dims dimensions of self. Reads indices.
void places(const tensor& indices, const tensor& self, int64_t dims, int64_t least);
// indices are rows of a matrix with num_weights rows, or padding_idx. Reads indices.
void rows(const tensor& indices, const integer& num_weights, const integer& padding_idx,
          const boolean& scale_grad_by_freq);
// pivots are from 1 to the number of rows of LU, or with sign -1 also the negatives of
// these. Reads pivots.
void pivots(const tensor& LU, const tensor& pivots, int64_t sign);
inline void pivots(const tensor& LU, const tensor& p, const boolean& unpack) {
  if (unpack.v) pivots(LU, p, 1);
}
// The segments along axis that lengths or offsets describe are within data. Reads lengths and offsets.
void segments(const tensor& data, const tensor& lengths, const tensor& offsets, const integer& axis);
void segments_backward(const tensor& grad, const tensor& output, const tensor& data, const tensor& lengths,
                       const tensor& offsets, const integer& axis);
// grad has the shape of the result of sampling input at grid.
void grid_grad(const tensor& grad, const tensor& input, const tensor& grid);
// gates is a matrix whose columns are n parts of equal size, as in a recurrent cell.
void gates(const tensor& gates, int64_t n);
// A contains square matrices with as many rows as self. Both have the same batch
// dimensions.
void solvable(const tensor& self, const tensor& A);
// coefficients has one column for each tensor in input. out has one tensor for each row
// of coefficients.
void combination(const tensor& input, const tensor& coefficients);
void combination(const tensor& out, const tensor& input, const tensor& coefficients);
// crow_indices ascend, and none is larger than the number of col_indices. Reads crow_indices.
void compressed(const tensor& crow_indices, const tensor& col_indices);
// Elements of self are row indices from 0 to size - 1. Reads self.
void uncompressed(const tensor& self, const integer& size);
// The sizes match a matrix of 4-bit weights, which consists of blocks along in_features.
void blocks(const integer& block_size, const integer& in_features, const integer& out_features);
void blocks(const tensor& inp, const tensor& packed_weights, const integer& block_size, const integer& in_features,
            const integer& out_features);
// Each row is the shape of a tensor in a nested tensor, and fits into its tensor's part
// of padded or self.
void nested_shape(const tensor& padded, const tensor& shape);
void nested_view(const tensor& self, const tensor& size, const tensor& strides, const tensor& offsets);
// Fails during a capture. The operator itself reads t before it calls other operators,
// and a replay would repeat only the other operators.
void not_captured(const tensor& t);
// batch_sizes do not increase from step to step, and their sum fits into data. Reads batch_sizes.
void packed(const tensor& data, const tensor& batch_sizes);
void no_more_than_dims(const tensors& indices, const tensor& self);
// pdist has one element for each pair of rows of self.
void pairs(const tensor& self, const tensor& pdist);
// v is from 0 to the number of dimensions of t.
void at_most_rank(const integer& v, const tensor& t);
// The state, the dimension and the counts are valid for a Sobol sequence of 30 bits.
void sobol(const tensor& sobolstate, const integer& dimension);
void scramble(const tensor& ltm, const integer& dimension);
void sobol(const tensor& sobolstate, const integer& n, const integer& dimension, const integer& num_generated);
// qkv_bias consists of three vectors of equal size for each head.
void heads(const tensor& qkv, const tensor& qkv_bias, const integer& num_heads);
// g has one norm for each slice of v along dim, which must be the first or the last
// dimension.
void fused_weight_norm(const tensor& v, const tensor& g, const integer& dim);
void weight_norm(const tensor& v, const tensor& g, const integer& dim);
// count is not NaN where the probability is between 0 and 1,
// because libtorch would never return. Reads both tensors.
void binomial(const tensor& count, const tensor& prob);
// numel is at most the number of elements of input.
void at_most_elements(const integer& numel, const tensor& input);
void factors(const tensor& input, const integer& K, const integer& N);
// The indices match the other arguments of an embedding bag's backward pass. Reads the
// indices.
void bags(const tensor& grad, const tensor& indices, const tensor& offset2bag, const tensor& bag_size,
          const integer& mode);
void rrelu(const tensor& self, const tensor& noise, const boolean& training);
void rrelu(const tensor& self, const tensor& noise, const tensor& out, const boolean& training);
// For integer tensors, beta must not be 0 when converted to an integer, because libtorch
// divides by it.
void smooth(const tensor& grad, const tensor& self, const tensor& target, const real& beta);
void yes(const boolean& v);
// The tensor has a storage, which sparse tensors do not have.
void stored(const tensor& t);
void stored(const tensors& list);
// Each tensor of statistics has one element or, with per_row, one for each index of
// dimension ch_axis. With per_row, running_min may also be empty.
void observer(const tensor& self, const tensor& running_min, const tensor& running_max, const tensor& scale,
              const tensor& zero_point, const integer& ch_axis, const boolean& per_row);
// The hidden state and the cell state of an LSTM have the same number of layers.
void states(const tensors& hx);
// The shapes are equal except for the last dims dimensions.
void same_planes(const tensor& t, const tensor& as, int64_t dims);
// Both lists have the same length, and tensors at the same index have the same shape and dtype.
// Nothing is checked if used is false or 0. On devices other than the CPU, libtorch checks the shapes.
void same_shapes(const tensors& list, const tensors& as);
inline void same_shapes(const tensors& list, const tensors& as, const boolean& used) {
  if (used.v) same_shapes(list, as);
}
inline void same_shapes(const tensors& list, const tensors& as, const real& used) {
  if (used.v != 0) same_shapes(list, as);
}
// Both lists have the same length, and each tensor in list has one element.
void one_each(const tensors& list, const tensors& as);
// If used (enable_gqa) is set, key and value have a dimension for heads.
[[noreturn]] void fail_groups(const tensor& t);
inline void groups(const tensor& key, const tensor& value, const boolean& used) {
  if (!used.v) return;
  for (const auto* t : {&key, &value}) {
    if (t->h && !(*t)->is_nested() && ((*t)->dim() < 3 || (*t)->size(-3) == 0)) fail_groups(*t);
  }
}
// grad has the shape of the distances between the rows of x1 and the rows of x2.
void distances(const tensor& grad, const tensor& x1, const tensor& x2, const tensor& cdist);
// Labels and lengths of a CTC loss match the other arguments. Reads the targets.
void ctc(const tensor& grad, const tensor& log_probs, const tensor& targets, const ints& input_lengths,
         const ints& target_lengths, const tensor& nll, const tensor& log_alpha, const integer& blank);
void ctc(const tensor& grad, const tensor& log_probs, const tensor& targets, const tensor& input_lengths,
         const tensor& target_lengths, const tensor& nll, const tensor& log_alpha, const integer& blank);
// The arguments match one layer, in one direction, of oneDNN's LSTM.
void rnn_layer(const tensor& input, const tensor& w_ih, const tensor& w_hh, const tensor& b_ih, const tensor& b_hh,
               const tensor& hx, const tensor& cx, const integer& mode, const integer& hidden_size,
               const integer& num_layers, const boolean& bidirectional, const boolean& has_biases);
// The processor has the vector instructions that the kernel uses. libtorch does not check that itself.
void vectors();

// The words of a boxed call. An argument is found by its position.
class words {
 public:
  static constexpr int most = 40;
  void put(int i, const uint64_t* p) { at_[i] = p; }
  tensor tensor_(const char* name, int i) const { return {name, at_[i][0]}; }
  tensors tensors_(const char* name, int i) const {
    return {name, reinterpret_cast<const gt_tensor*>(at_[i] + 1), whole(i)};
  }
  ints ints_(const char* name, int i) const { return {name, reinterpret_cast<const int64_t*>(at_[i] + 1), whole(i)}; }
  integer integer_(const char* name, int i) const { return {name, whole(i), true}; }
  integer integer_or_none_(const char* name, int i) const {
    return {name, static_cast<int64_t>(at_[i][1]), at_[i][0] != 0};
  }
  boolean boolean_(const char* name, int i) const { return {name, at_[i][0] != 0}; }
  real real_(const char* name, int i) const {
    double d;
    std::memcpy(&d, at_[i], sizeof d);
    return {name, d, true};
  }
  real real_or_none_(const char* name, int i) const {
    double d;
    std::memcpy(&d, at_[i] + 1, sizeof d);
    return {name, d, at_[i][0] != 0};
  }
  number number_(const char* name, int i) const {
    number n{name, {}};
    std::memcpy(&n.v, at_[i], sizeof n.v);
    return n;
  }
  text text_(const char* name, int i) const { return {name, reinterpret_cast<const char*>(at_[i] + 1), whole(i)}; }

 private:
  int64_t whole(int i) const { return static_cast<int64_t>(at_[i][0]); }
  const uint64_t* at_[most];
};

}  // namespace gt::guard
