// The guards of operators that PyTorch usually calls itself, with arguments that it
// creates. Part of boxed.cpp.
#pragma once

#include "guard_families.hpp"

namespace gt::guard {

void solvable(const tensor& self, const tensor& A) {
  if (!self.h || !A.h) return;
  rank(self, 2, INT64_MAX);
  rank(A, 2, INT64_MAX);
  GT_SHAPE(A->size(-1) == A->size(-2) && A->size(-1) == self->size(-2), A.name, ": expected square matrices of ",
           self->size(-2), " rows, as ", self.name, " has, got shape ", A->sizes());
  GT_SHAPE(A->sizes().slice(0, A->dim() - 2) == self->sizes().slice(0, self->dim() - 2), A.name,
           ": expected the batches of ", self.name, ", shape ", self->sizes(), ", got ", A->sizes());
}

void combination(const tensor& input, const tensor& coefficients) {
  rank(input, 1, INT64_MAX);
  rank(coefficients, 2, 2);
  dense(input);
  dense(coefficients);
  same_dtype(coefficients, input);
  if (!input.h || !coefficients.h) return;
  GT_SHAPE(coefficients->size(1) == input->size(0), coefficients.name, ": expected shape [n, ", input->size(0),
           "], got ", coefficients->sizes());
}
void combination(const tensor& out, const tensor& input, const tensor& coefficients) {
  dense(out);
  same_dtype(out, input);
  if (!out.h || !input.h || !coefficients.h) return;
  GT_SHAPE(out->dim() == input->dim() && out->size(0) == coefficients->size(0) &&
               out->sizes().slice(1) == input->sizes().slice(1),
           out.name, ": expected the shape of ", input.name, ", ", input->sizes(), ", with ", coefficients->size(0),
           " first, got ", out->sizes());
}

void compressed(const tensor& crow, const tensor& col) {
  rank(crow, 1, INT64_MAX);
  if (!crow.h || !col.h) return;
  check_segments(col, crow, col->dim() - 1, true);
}

void uncompressed(const tensor& self, const integer& size) {
  rank(self, 1, 1);
  indices(self);
  between(size, 0, INT64_MAX);
  values(self, 0, size.v - 1);
}

void blocks(const integer& block_size, const integer& in_features, const integer& out_features) {
  for (const auto* v : {&block_size, &in_features, &out_features}) between(*v, 1, INT32_MAX);
  GT_VALUE(in_features.v % block_size.v == 0, block_size.name, ": expected a divisor of in_features, ", in_features.v,
           ", got ", block_size.v);
}
void blocks(const tensor& inp, const tensor& packed, const integer& block_size, const integer& in_features,
            const integer& out_features) {
  blocks(block_size, in_features, out_features);
  rank(inp, 2, 2);
  if (inp.h)
    GT_SHAPE(inp->size(1) == in_features.v, inp.name, ": expected shape [n, ", in_features.v, "], got ", inp->sizes());
  // A byte holds two 4-bit weights, and each block has a scale.
  const double least = static_cast<double>(out_features.v) *
                       (static_cast<double>(in_features.v) / 2 + static_cast<double>(in_features.v / block_size.v));
  GT_SHAPE(!packed.h || static_cast<double>(packed->numel()) >= least, packed.name, ": expected at least ", least,
           " elements, got shape ", packed->sizes());
}

void nested_shape(const tensor& padded, const tensor& shape) {
  int64(shape);
  rank(shape, 2, 2);
  dense(padded);
  dense(shape);
  if (!padded.h || !shape.h) return;
  GT_SHAPE(padded->dim() >= 2 && shape->size(0) == padded->size(0) && shape->size(1) == padded->dim() - 1, shape.name,
           ": expected shape [", padded->dim() > 0 ? padded->size(0) : 0, ", ", padded->dim() - 1,
           "], a row for each of ", padded.name, ", got ", shape->sizes());
  looked_at(*shape);
  if (!readable(*shape)) return;
  const auto rows = shape->contiguous();
  const auto* p = static_cast<const int64_t*>(rows.const_data_ptr());
  for (int64_t i = 0; i < rows.numel(); i++) {
    const int64_t most = padded->size(1 + i % shape->size(1));
    TORCH_CHECK_INDEX(p[i] >= 0 && p[i] <= most, shape.name, ": expected sizes from 0 to ", most, ", got ", p[i]);
  }
}

void pairs(const tensor& self, const tensor& pdist) {
  rank(self, 2, 2);
  if (!self.h || !pdist.h) return;
  const int64_t n = self->size(0), want = n * (n - 1) / 2;
  GT_SHAPE(n > 0, self.name, ": expected at least one row, got shape ", self->sizes());
  GT_SHAPE(pdist->numel() == want, pdist.name, ": expected shape [", want, "], one for each pair of rows, got ",
           pdist->sizes());
}

void at_most_rank(const integer& v, const tensor& t) {
  if (t.h) between(v, 0, t->dim());
}

constexpr int64_t sobol_bits = 30;
void sobol(const tensor& state, const integer& dimension) {
  int64(state);
  dense(state);
  rank(state, 2, 2);
  if (!state.h) return;
  GT_SHAPE(state->size(1) == sobol_bits, state.name, ": expected shape [dimensions, ", sobol_bits, "], got ",
           state->sizes());
  between(dimension, 0, state->size(0));
}
void scramble(const tensor& ltm, const integer& dimension) {
  int64(ltm);
  dense(ltm);
  rank(ltm, 3, 3);
  if (!ltm.h) return;
  GT_SHAPE(ltm->size(0) >= dimension.v && ltm->size(1) == sobol_bits && ltm->size(2) == sobol_bits, ltm.name,
           ": expected shape [", dimension.v, ", ", sobol_bits, ", ", sobol_bits, "], got ", ltm->sizes());
}
void sobol(const tensor& state, const integer& n, const integer& dimension, const integer& generated) {
  between(n, 0, (int64_t{1} << sobol_bits) - 1);
  between(generated, 0, (int64_t{1} << sobol_bits) - 1 - n.v);
  sobol(state, dimension);
}

void heads(const tensor& qkv, const tensor& bias, const integer& num_heads) {
  between(num_heads, 1, INT32_MAX);
  rank(qkv, 3, 3);
  rank(bias, 1, 1);
  if (!bias.h || !qkv.h) return;
  GT_SHAPE(bias->numel() % (3 * num_heads.v) == 0 && bias->numel() > 0, bias.name, ": expected 3 x ", num_heads.v,
           " x head size elements, got shape ", bias->sizes());
  as_long(bias, qkv, 2);
  same_dtype(bias, qkv);
}

void weight_norm(const tensor& v, const tensor& g, const integer& dim) {
  dense(v);
  dense(g);
  if (!v.h || !g.h) return;
  TORCH_CHECK_INDEX(v->dim() > 0 && (dim.v == 0 || dim.v == v->dim() - 1), dim.name,
                    ": expected 0 or the last dimension of ", v.name, ", ", v->dim() - 1, ", got ", dim.v);
  GT_SHAPE(v->size(dim.v) > 0, v.name, ": expected a size above 0 in dimension ", dim.v, ", got shape ", v->sizes());
  as_long(g, v, dim.v);
}

void fused_weight_norm(const tensor& v, const tensor& g, const integer& dim) {
  if (v.h && (dim.v == 0 || dim.v == v->dim() - 1)) weight_norm(v, g, dim);  // only these have a kernel
}

void binomial(const tensor& count, const tensor& prob) {
  if (!readable(*count) || !readable(*prob)) return;
  const auto nan = count->detach().isnan();
  if (!nan.any().item<bool>()) return;
  const auto p = prob->detach();
  GT_VALUE(!nan.logical_and(p.gt(0)).logical_and(p.lt(1)).any().item<bool>(), count.name,
           ": expected numbers, got NaN");
}

void at_most_elements(const integer& numel, const tensor& input) {
  if (input.h) between(numel, 0, input->numel());
}

void factors(const tensor& input, const integer& K, const integer& N) {
  between(K, 0, INT32_MAX);
  between(N, 0, INT32_MAX);
  if (input.h)
    GT_SHAPE(K.v * N.v == input->numel(), input.name, ": expected shape [", K.v, ", ", N.v, "], got ", input->sizes());
}

void bags(const tensor& grad, const tensor& ind, const tensor& offset2bag, const tensor& bag_size,
          const integer& mode) {
  between(mode, 0, 2);
  rank(grad, 2, 2);
  rank(ind, 1, 1);
  indices(ind);
  dense(grad);
  dense(bag_size);
  if (!grad.h || !ind.h) return;
  if (offset2bag.h && offset2bag->numel() > 0) same_shape(offset2bag, ind);
  same_dtype(offset2bag, ind);
  same_dtype(bag_size, ind);
  values(offset2bag, 0, grad->size(0) - 1);
  if (mode.v != 0) as_long(bag_size, grad, 0);  // the sum mode does not read bag_size
}

void rrelu(const tensor& self, const tensor& noise, const boolean& training) {
  if (!training.v) return;
  same_shape(noise, self);
  same_dtype(noise, self);
}
void rrelu(const tensor& self, const tensor& noise, const tensor& out, const boolean& training) {
  rrelu(self, noise, training);
  if (!training.v) return;
  same_shape(out, self);
  same_dtype(out, self);
}

void smooth(const tensor& grad, const tensor& self, const tensor& target, const real& beta) {
  size_t bytes = sizeof(int64_t);
  for (const auto* t : {&grad, &self, &target}) {
    if (!t->h || !at::isIntegralType((*t)->scalar_type(), true)) return;
    bytes = std::min(bytes, (*t)->itemsize());
  }
  const double most = static_cast<double>((uint64_t{1} << (8 * bytes - 1)) - 1), n = std::abs(beta.v);
  GT_VALUE(n >= 1 && n <= most, beta.name, ": expected a number that is not 0 as an integer of the dtype, got ",
           beta.v);
}

void observer(const tensor& self, const tensor& running_min, const tensor& running_max, const tensor& scale,
              const tensor& zero_point, const integer& ch_axis, const boolean& per_row) {
  dense(self);
  if (!self.h) return;
  if (per_row.v) {
    rank(self, 1, INT64_MAX);
    between(ch_axis, 0, self->dim() - 1);
  }
  const int64_t n = per_row.v ? self->size(ch_axis.v) : 1;
  for (const auto* t : {&running_min, &running_max, &scale, &zero_point}) {
    dense(*t);
    const bool empty = per_row.v && running_min.h && running_min->numel() == 0;  // libtorch then resizes all four
    GT_SHAPE(!t->h || empty || (*t)->numel() == n, t->name, ": expected ", n, " elements, got shape ", (*t)->sizes());
  }
}

void states(const tensors& hx) {
  count(hx, 2);
  rank(hx, 1, INT64_MAX);
  const auto &h = as(hx.p[0]), &c = as(hx.p[1]);
  if (!h.defined() || !c.defined()) return;
  GT_SHAPE(h.size(0) == c.size(0), hx.name, ": expected two states of as many layers, got shapes ", h.sizes(), " and ",
           c.sizes());
}

void check_matrix(const tensor& t, const tensor& like, int64_t rows, int64_t columns) {
  if (!t.h) return;
  dense(t);
  same_dtype(t, like);
  GT_SHAPE(
      columns < 0 ? t->dim() == 1 && t->size(0) == rows : t->dim() == 2 && t->size(0) == rows && t->size(1) == columns,
      t.name, ": expected shape [", rows, columns < 0 ? "" : ", ", columns < 0 ? "" : std::to_string(columns),
      "], got ", t->sizes());
}

void rnn_layer(const tensor& input, const tensor& w_ih, const tensor& w_hh, const tensor& b_ih, const tensor& b_hh,
               const tensor& hx, const tensor& cx, const integer& mode, const integer& hidden_size,
               const integer& num_layers, const boolean& bidirectional, const boolean& has_biases) {
  constexpr int64_t lstm = 2;
  between(mode, lstm, lstm);
  between(num_layers, 1, 1);
  between(hidden_size, 1, INT32_MAX);
  GT_VALUE(!bidirectional.v, bidirectional.name, ": expected false: a layer has one direction");
  rank(input, 3, 3);
  dense(input);
  if (!input.h) return;
  TORCH_CHECK(
      input->scalar_type() == at::kFloat || input->scalar_type() == at::kBFloat16 || input->scalar_type() == at::kHalf,
      input.name, ": expected dtype float32, bfloat16 or float16, got ", input->scalar_type());
  const int64_t rows = 4 * hidden_size.v;
  check_matrix(w_ih, input, rows, input->size(2));
  check_matrix(w_hh, input, rows, hidden_size.v);
  if (has_biases.v) {
    check_matrix(b_ih, input, rows, -1);
    check_matrix(b_hh, input, rows, -1);
  }
  for (const auto* t : {&hx, &cx}) {
    given(*t);
    dense(*t);
    same_dtype(*t, input);
    GT_SHAPE((*t)->dim() >= 2 && (*t)->size(-1) == hidden_size.v && (*t)->numel() == input->size(1) * hidden_size.v,
             t->name, ": expected shape [1, ", input->size(1), ", ", hidden_size.v, "], got ", (*t)->sizes());
  }
}

}  // namespace gt::guard
