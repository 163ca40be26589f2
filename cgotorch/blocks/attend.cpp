// Attention over keys and values in pages, for tokens of several texts at once.
#ifdef GOTORCH_TOGETHER

namespace gt::blocks {
namespace {

// One query: its position is length - 1, and it sees the positions from first on.
struct Query {
  const int64_t* pages;
  int64_t first, length;
};

// query (n, H, D); keys and values (pages * page, heads, D). Row i attends to the first
// lengths[i] positions of its text, or the last `window` of them; tables[i] has the pages
// of the text in order.
at::Tensor attend(const at::Tensor& query, const at::Tensor& keys, const at::Tensor& values, const at::Tensor& tables,
                  const at::Tensor& lengths, int64_t page, double scale, int64_t window) {
  TORCH_CHECK(query.dim() == 3 && keys.dim() == 3 && values.sizes() == keys.sizes() && tables.dim() == 2 &&
                  lengths.dim() == 1 && tables.size(0) == query.size(0) && lengths.size(0) == query.size(0) &&
                  keys.size(2) == query.size(2) && keys.size(1) > 0 && query.size(1) % keys.size(1) == 0 && page > 0,
              "attend: got shapes ", query.sizes(), ", ", keys.sizes(), ", ", values.sizes(), ", ", tables.sizes(),
              " and ", lengths.sizes());
  for (const auto* t : {&query, &keys, &values}) {
    TORCH_CHECK(t->scalar_type() == at::kFloat && t->device().is_cpu(), "attend: expected float32 on the CPU, got ",
                t->scalar_type());
  }
  TORCH_CHECK(tables.scalar_type() == at::kLong && lengths.scalar_type() == at::kLong && keys.is_contiguous() &&
                  values.is_contiguous(),
              "attend: expected int64 tables and lengths, and contiguous keys and values");
  const auto q = query.contiguous(), table = tables.contiguous(), ends = lengths.contiguous();
  const int64_t n = q.size(0), heads = q.size(1), d = q.size(2), kv_heads = keys.size(1), slots = keys.size(0);
  const int64_t group = heads / kv_heads, stride = kv_heads * d;
  std::vector<Query> rows(n);
  int64_t most = 0, total = 0;
  for (int64_t i = 0; i < n; i++) {
    const int64_t length = ends.const_data_ptr<int64_t>()[i];
    const int64_t first = window > 0 ? std::max<int64_t>(0, length - window) : 0;
    rows[i] = {table.const_data_ptr<int64_t>() + i * table.size(1), first, length};
    TORCH_CHECK_INDEX(length > 0 && length <= table.size(1) * page, "attend: row ", i, " has ", length, " positions");
    for (int64_t p = rows[i].first / page; p <= (length - 1) / page; p++) {
      TORCH_CHECK_INDEX(rows[i].pages[p] >= 0 && (rows[i].pages[p] + 1) * page <= slots, "attend: row ", i,
                        " has page ", rows[i].pages[p]);
    }
    most = std::max(most, length - rows[i].first);
    total += length - rows[i].first;
  }
  auto out = at::empty_like(q);
  const float *from = q.const_data_ptr<float>(), *k = keys.const_data_ptr<float>(), *v = values.const_data_ptr<float>();
  float* to = out.mutable_data_ptr<float>();
  const bool avx2 = has_avx2();
  const int64_t grain = std::max<int64_t>(1, kGrain * n / std::max<int64_t>(1, total * 2 * d));
  gt::parallel_for(0, n * heads, grain, [&](int64_t begin, int64_t end) {
    std::vector<float> weights(most);
    for (int64_t job = begin; job < end; job++) {
      const int64_t i = job / heads, h = job % heads;
      const Query& r = rows[i];
      const float* x = from + job * d;
      const int64_t head = h / group * d;
      auto place = [&](int64_t at) { return (r.pages[at / page] * page + at % page) * stride + head; };
      float top = -std::numeric_limits<float>::infinity();
      for (int64_t at = r.first; at < r.length; at++) {
        const float w = dot_float(x, k + place(at), d, avx2) * static_cast<float>(scale);
        weights[at - r.first] = w;
        top = std::max(top, w);
      }
      float sum = 0;
      float* y = to + job * d;
      std::fill(y, y + d, 0.f);
      for (int64_t at = r.first; at < r.length; at++) {
        const float w = std::exp(weights[at - r.first] - top);
        sum += w;
        const float* value = v + place(at);
        for (int64_t f = 0; f < d; f++) y[f] += w * value[f];
      }
      for (int64_t f = 0; f < d; f++) y[f] /= sum;
    }
  });
  return out;
}

}  // namespace
}  // namespace gt::blocks

#endif
