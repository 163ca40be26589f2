// Non-maximum suppression.
#ifdef GOTORCH_TOGETHER

namespace gt::vision {
namespace {

// The boxes that are left, in decreasing order of their scores. Each side of the boxes is
// an array, so that the comparison of one box with all others uses vector instructions.
template <class T>
struct Boxes {
  std::vector<T> x1, y1, x2, y2, area;
  std::vector<int64_t> index;

  explicit Boxes(int64_t n) : x1(n), y1(n), x2(n), y2(n), area(n), index(n) {}

  // Moves box from to position to.
  void move(int64_t to, int64_t from) {
    x1[to] = x1[from], y1[to] = y1[from], x2[to] = x2[from], y2[to] = y2[from];
    area[to] = area[from], index[to] = index[from];
  }
};

// Whether each box from first to last overlaps box i by more than limit.
template <class T>
void compare(const Boxes<T>& b, int64_t i, int64_t first, int64_t last, T limit, uint8_t* over) {
  const T ix1 = b.x1[i], iy1 = b.y1[i], ix2 = b.x2[i], iy2 = b.y2[i], iarea = b.area[i];
  const T *x1 = b.x1.data(), *y1 = b.y1.data(), *x2 = b.x2.data(), *y2 = b.y2.data(), *area = b.area.data();
  for (int64_t j = first; j < last; j++) {
    // The comparisons treat NaN as torchvision's std::max and std::min do.
    const T left = ix1 < x1[j] ? x1[j] : ix1, top = iy1 < y1[j] ? y1[j] : iy1;
    const T right = x2[j] < ix2 ? x2[j] : ix2, bottom = y2[j] < iy2 ? y2[j] : iy2;
    const T dx = right - left, dy = bottom - top;
    const T w = T(0) < dx ? dx : T(0), h = T(0) < dy ? dy : T(0);
    const T both = w * h;
    over[j] = both / (iarea + area[j] - both) > limit;
  }
}

// Returns the largest T that is not above v, so that comparing a T with it has the same
// result as comparing the T with v.
template <class T>
T not_above(double v) {
  const T t = static_cast<T>(v);
  return static_cast<double>(t) > v ? std::nextafter(t, -std::numeric_limits<T>::infinity()) : t;
}

template <class T>
at::Tensor nms_of(const at::Tensor& dets, const at::Tensor& scores, double iou_threshold) {
  const auto n = dets.size(0);
  const auto boxes = dets.contiguous();
  const auto order = std::get<1>(scores.sort(/*stable=*/true, /*dim=*/0, /*descending=*/true)).contiguous();
  const T* from = boxes.const_data_ptr<T>();
  const int64_t* rank = order.const_data_ptr<int64_t>();
  Boxes<T> b(n);
  for (int64_t k = 0; k < n; k++) {
    const T* box = from + 4 * rank[k];
    b.x1[k] = box[0], b.y1[k] = box[1], b.x2[k] = box[2], b.y2[k] = box[3];
    b.area[k] = (box[2] - box[0]) * (box[3] - box[1]);
    b.index[k] = rank[k];
  }
  const T limit = not_above<T>(iou_threshold);
  std::vector<uint8_t> over(n);
  int64_t left = n;  // boxes i and after it, up to left, are not suppressed by those before i
  for (int64_t i = 0; i < left; i++) {
    compare(b, i, i + 1, left, limit, over.data());
    int64_t to = i + 1;
    while (to < left && !over[to]) to++;
    for (int64_t j = to + 1; j < left; j++) {
      if (!over[j]) b.move(to++, j);
    }
    left = std::min(left, to);
  }
  auto keep = at::empty({left}, dets.options().dtype(at::kLong));
  std::copy_n(b.index.data(), left, keep.mutable_data_ptr<int64_t>());
  return keep;
}

at::Tensor nms(const at::Tensor& dets, const at::Tensor& scores, double iou_threshold) {
  check_cpu("dets", dets);
  check_cpu("scores", scores);
  TORCH_CHECK(dets.dim() == 2 && dets.size(1) == 4, "expected boxes of shape (N, 4), got shape ", dets.sizes());
  check_dim("scores", scores, 1);
  TORCH_CHECK(dets.size(0) == scores.size(0), "expected one score for each box, got shapes ", dets.sizes(), " and ",
              scores.sizes());
  check_dtype("scores", scores, dets, "boxes");
  return AT_DISPATCH_FLOATING_TYPES(dets.scalar_type(), "nms",
                                    [&] { return nms_of<scalar_t>(dets, scores, iou_threshold); });
}

}  // namespace
}  // namespace gt::vision

#endif
