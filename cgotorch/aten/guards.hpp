// Guards: checks that are made before an operator of libtorch is called, which has none
// and would end the process or never return. internal/cmd/genaten/guards.txt says which
// operator has which; it is generated into the C++ function of an operator and into the
// table of boxed calls, so that both ways are guarded alike.
//
// A guard sees the arguments as they crossed the boundary, owns none of them, and throws
// a c10::Error that names the argument, what it has to be and what it is.
#pragma once

#include "convert.hpp"

namespace gt::guard {

// Arguments with their names in the schema. A tensor may be undefined; a list of length
// -1 is None.
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

// How long a list may be whose schema says how long it is.
enum lengths { exactly, or_one, or_none };  // or_none: or one, or empty

[[noreturn]] void fail_length(const ints& list, int64_t want, lengths how);

inline void length(const ints& list, int64_t want, lengths how) {
  if (__builtin_expect(list.n == want || list.n < 0, 1)) return;
  if ((how != exactly && list.n == 1) || (how == or_none && list.n == 0)) return;
  fail_length(list, want, how);
}

// Checks of one kind of argument, which most operators need no more than. What is None
// or undefined passes them, but for given.

// The list is not empty.
void some(const tensors& list);
void some(const ints& list);
// So many tensors.
void count(const tensors& list, int64_t n);
// Two lists of the same length.
void same_count(const tensors& a, const tensors& b);
// The numbers are within bounds, which belong to them.
void between(const integer& v, int64_t least, int64_t most);
void between(const ints& v, int64_t least, int64_t most);
void between(const real& v, double least, double most);
void between(const number& v, double least, double most);
// The tensor is there.
void given(const tensor& t);
// It has so many dimensions.
void rank(const tensor& t, int64_t least, int64_t most);
void rank(const tensors& list, int64_t least, int64_t most);
// These throw unless both tensors have the same shape, number of elements or dtype, respectively.
void same_shape(const tensor& t, const tensor& as);
void same_count(const tensor& t, const tensor& as);
void same_dtype(const tensor& t, const tensor& as);
// Has so many elements as the other is long in dimension d.
void as_long(const tensor& t, const tensor& as, int64_t d);
// So many elements.
void elements(const tensor& t, int64_t least);
// Strided, and neither quantized nor nested.
void dense(const tensor& t);
void dense(const tensors& list);
// Neither conjugated nor negated on reading.
void resolved(const tensor& t);
// Of dtype int64; of int64 or int32; of float64, float32 or a smaller one.
void int64(const tensor& t);
void indices(const tensor& t);
void floating(const tensor& t);
void float32(const tensor& t);
// A dimension of the tensor, which may be counted from the end; several that may not.
void dimension(const tensor& t, const integer& dim);
void dimensions(const tensor& t, const ints& dims);
[[noreturn]] void fail_nested(const tensor& t, const integer& dim);
// A dimension of a nested tensor that is counted from the start, or the first.
inline void nested_dimension(const tensor& t, const integer& dim) {
  if (dim.v < 0 && t.h && t->is_nested() && dim.v != -t->dim()) fail_nested(t, dim);
}
[[noreturn]] void fail_nested_rank(const tensor& t);
// Two dimensions or more, if it is nested.
inline void nested_rank(const tensor& t) {
  if (t.h && t->is_nested() && t->dim() < 2) fail_nested_rank(t);
}
[[noreturn]] void fail_meta(const tensor& a, const tensor& b);
// With data or without, but not one of each: the other would be made as large.
inline void both_meta(const tensor& a, const tensor& b) {
  if (a.h && b.h && a->is_meta() != b->is_meta()) fail_meta(a, b);
}
// All elements are within bounds. A pass over the tensor, where that is on the CPU.
void values(const tensor& t, int64_t least, int64_t most);
// All elements are finite. A pass over the tensor.
void finite(const tensor& t);

// Checks of single operators and families.

// Division of the least integer by -1, which the processor refuses. Reads other, and
// self where other has a -1.
void no_overflow(const tensor& self, const tensor& other, const text& rounding_mode);
void no_overflow(const tensor& self, const number& other, const text& rounding_mode);
void no_overflow_lcm(const tensor& self, const tensor& other);
// Steps that are not zero as integers, where libtorch divides by them: arange for dtype
// int64, range for all integers.
void arange_steps(const number& start, const number& end, const number& step, const integer& dtype);
void arange_steps(const number& start, const number& end, const number& step, const tensor& out);
void range_steps(const number& start, const number& end, const number& step, const integer& dtype);
void range_steps(const number& start, const number& end, const number& step, const tensor& out);
// The degree of a polynomial, to which libtorch counts. Reads a tensor.
void degree(const tensor& n);
void degree(const number& n);
// A view of such sizes and strides is within the storage.
void inside(const tensor& self, const ints& size, const ints& stride);
// A scale whose inverse can be counted with.
void nearest(const real& scale);
// Scales by which no pixel that is read lies beyond an image of size: half the width of a filter, in pixels, is reach.
void antialiased(const tensor& self, const ints& output_size, const boolean& align_corners, const real& scales_h,
                 const real& scales_w, int64_t reach);
void antialiased(const ints& input_size, const ints& output_size, const boolean& align_corners, const real& scales_h,
                 const real& scales_w, int64_t reach);
// Vectors have as many elements as input has channels, and statistics are there where
// they are used.
void batch_norm(const tensor& input, const tensor& weight, const tensor& bias, const tensor& mean, const tensor& var,
                const boolean& training);
void batch_norm(const tensor& input, const tensor& weight, const tensor& bias);
void batch_norm_backward(const tensor& grad, const tensor& input, const tensor& weight, const tensor& mean,
                         const tensor& var, const tensor& save_mean, const tensor& save_invstd, const boolean& train);
// Indices of elements in the last dims dimensions of self. Reads them.
void places(const tensor& indices, const tensor& self, int64_t dims, int64_t least);
// Indices of rows. Reads them.
void rows(const tensor& indices, const integer& num_weights, const integer& padding_idx,
          const boolean& scale_grad_by_freq);
// Pivots of a factorization, which may be negative where two rows go together. Reads them.
void pivots(const tensor& LU, const tensor& pivots, int64_t sign);
inline void pivots(const tensor& LU, const tensor& p, const boolean& unpack) {
  if (unpack.v) pivots(LU, p, 1);
}
// Segments of data along axis: their lengths, or where they begin and end. Reads them.
void segments(const tensor& data, const tensor& lengths, const tensor& offsets, const integer& axis);
void segments_backward(const tensor& grad, const tensor& output, const tensor& data, const tensor& lengths,
                       const tensor& offsets, const integer& axis);
// A gradient of the shape that a sample of input at grid has.
void grid_grad(const tensor& grad, const tensor& input, const tensor& grid);
// The gates of a cell, n of them side by side.
void gates(const tensor& gates, int64_t n);
// The square matrices A and right-hand sides of as many rows, in as many batches.
void solvable(const tensor& self, const tensor& A);
// Rows of coefficients, one for each tensor that input is made of; the shape of what comes of it.
void combination(const tensor& input, const tensor& coefficients);
void combination(const tensor& out, const tensor& input, const tensor& coefficients);
// Columns of rows: crow_indices are in order and within as many as col_indices.
void compressed(const tensor& crow_indices, const tensor& col_indices);
// Rows from 0 to size. Reads them.
void uncompressed(const tensor& self, const integer& size);
// Blocks that a matrix of 4-bit weights consists of.
void blocks(const integer& block_size, const integer& in_features, const integer& out_features);
void blocks(const tensor& inp, const tensor& packed_weights, const integer& block_size, const integer& in_features,
            const integer& out_features);
// Shapes of nested tensors, which fit into a padded one.
void nested_shape(const tensor& padded, const tensor& shape);
void nested_view(const tensor& self, const tensor& size, const tensor& strides, const tensor& offsets);
// What an operator reads of a tensor before it calls those that a captured step consists of, which a replay would not.
void not_captured(const tensor& t);
// How many sequences are as long as each step, at most as many as the step before. Reads them.
void packed(const tensor& data, const tensor& batch_sizes);
void no_more_than_dims(const tensors& indices, const tensor& self);
// Pairs of rows.
void pairs(const tensor& self, const tensor& pdist);
// A number of dimensions that the tensor has, or a new one between them.
void at_most_rank(const integer& v, const tensor& t);
// The numbers of a Sobol sequence.
void sobol(const tensor& sobolstate, const integer& dimension);
void scramble(const tensor& ltm, const integer& dimension);
void sobol(const tensor& sobolstate, const integer& n, const integer& dimension, const integer& num_generated);
// Three of each head, with a bias.
void heads(const tensor& qkv, const tensor& qkv_bias, const integer& num_heads);
// A norm for each slice of dimension dim, the first or the last.
void fused_weight_norm(const tensor& v, const tensor& g, const integer& dim);
void weight_norm(const tensor& v, const tensor& g, const integer& dim);
// Numbers of trials that are no NaN, where the probability is between 0 and 1: libtorch
// would try for ever. Reads them.
void binomial(const tensor& count, const tensor& prob);
// As many elements as are there.
void at_most_elements(const integer& numel, const tensor& input);
void factors(const tensor& input, const integer& K, const integer& N);
// Indices of an embedding bag's gradient. Reads them.
void bags(const tensor& grad, const tensor& indices, const tensor& offset2bag, const tensor& bag_size,
          const integer& mode);
void rrelu(const tensor& self, const tensor& noise, const boolean& training);
void rrelu(const tensor& self, const tensor& noise, const tensor& out, const boolean& training);
// Divides by beta, and integers by what it is as one.
void smooth(const tensor& grad, const tensor& self, const tensor& target, const real& beta);
void yes(const boolean& v);
// Has memory of its own, as sparse tensors have not.
void stored(const tensor& t);
void stored(const tensors& list);
// Statistics of the tensor, or of each slice of dimension ch_axis, where they may be
// empty too.
void observer(const tensor& self, const tensor& running_min, const tensor& running_max, const tensor& scale,
              const tensor& zero_point, const integer& ch_axis, const boolean& per_row);
// As many first states as second ones.
void states(const tensors& hx);
// The same shape but for the last dims dimensions.
void same_planes(const tensor& t, const tensor& as, int64_t dims);
// As many tensors, each of the shape and dtype of the other; none if they are not used.
// On the CPU alone: the kernels of other devices check it themselves.
void same_shapes(const tensors& list, const tensors& as);
inline void same_shapes(const tensors& list, const tensors& as, const boolean& used) {
  if (used.v) same_shapes(list, as);
}
inline void same_shapes(const tensors& list, const tensors& as, const real& used) {
  if (used.v != 0) same_shapes(list, as);
}
// As many tensors, each of one element.
void one_each(const tensors& list, const tensors& as);
// Heads of queries in groups, as many as there are of keys and values.
[[noreturn]] void fail_groups(const tensor& t);
inline void groups(const tensor& key, const tensor& value, const boolean& used) {
  if (!used.v) return;
  for (const auto* t : {&key, &value}) {
    if (t->h && !(*t)->is_nested() && ((*t)->dim() < 3 || (*t)->size(-3) == 0)) fail_groups(*t);
  }
}
// Distances of the rows of x1 and x2.
void distances(const tensor& grad, const tensor& x1, const tensor& x2, const tensor& cdist);
// Labels and lengths that fit together. Reads the targets.
void ctc(const tensor& grad, const tensor& log_probs, const tensor& targets, const ints& input_lengths,
         const ints& target_lengths, const tensor& nll, const tensor& log_alpha, const integer& blank);
void ctc(const tensor& grad, const tensor& log_probs, const tensor& targets, const tensor& input_lengths,
         const tensor& target_lengths, const tensor& nll, const tensor& log_alpha, const integer& blank);
// The layers of a recurrent network of oneDNN.
void rnn_layer(const tensor& input, const tensor& w_ih, const tensor& w_hh, const tensor& b_ih, const tensor& b_hh,
               const tensor& hx, const tensor& cx, const integer& mode, const integer& hidden_size,
               const integer& num_layers, const boolean& bidirectional, const boolean& has_biases);
// The instructions that libtorch's own code takes for granted.
void vectors();

// The words of a boxed call, found by the places of the arguments.
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
