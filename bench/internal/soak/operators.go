package soak

import (
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aten"

	F "github.com/gotorch/gotorch/nn/functional"
)

// Sizes and dtypes of random tensors. There are only a few, so that libtorch's own
// caches, such as its cache of convolutions by shape, fill up during the warm-up.
var (
	sizes  = []int64{1, 2, 3, 8, 17, 64}
	floats = []torch.DType{torch.Float32, torch.Float64, torch.Float16, torch.BFloat16}
	ints   = []torch.DType{torch.Int64, torch.Int32, torch.Int16, torch.Uint8}
)

// shape returns a random shape with one to three dimensions.
func (w *Worker) shape() torch.Shape {
	s := make(torch.Shape, 1+w.Rand.IntN(3))
	for i := range s {
		s[i] = pick(w, sizes)
	}
	return s
}

func (w *Worker) float() *torch.Tensor { return torch.Rand(w.shape()).To(pick(w, floats)) }

func (w *Worker) integer() *torch.Tensor { return torch.RandInt(0, 100, w.shape(), pick(w, ints)) }

func (w *Worker) matrix() *torch.Tensor {
	return torch.Rand(torch.Shape{pick(w, sizes), pick(w, sizes)})
}

// dim returns one of the tensor's dimensions, counted from either end.
func (w *Worker) dim(t *torch.Tensor) int64 { return w.Rand.Int64N(2*t.Dim()) - t.Dim() }

// operators are functions that run operators on random tensors. Each returns one result.
var operators = []func(w *Worker) *torch.Tensor{
	// Elementwise.
	func(w *Worker) *torch.Tensor { x := w.float(); return x.Add(x).MulScalar(0.5).Sub(x) },
	func(w *Worker) *torch.Tensor { return w.float().Exp().Log1p().Sqrt().Sigmoid() },
	func(w *Worker) *torch.Tensor { return w.float().MulScalar_(2).AddScalar_(-1).ReLU_() },
	func(w *Worker) *torch.Tensor { x := w.integer(); return x.Add(x).RemainderScalar(7).Eq(x) },
	func(w *Worker) *torch.Tensor { x := w.integer(); return x.BitwiseXor(x.BitwiseNot()) },
	func(w *Worker) *torch.Tensor { return w.integer().To(pick(w, floats)).Tanh().To(pick(w, ints)) },
	func(w *Worker) *torch.Tensor { // broadcasting
		return torch.Rand(torch.Shape{pick(w, sizes), 1}).Add(torch.Rand(torch.Shape{1, pick(w, sizes)}))
	},
	func(w *Worker) *torch.Tensor { x := w.float(); return torch.Where(x.GtScalar(0.5), x, 0.0) },
	func(w *Worker) *torch.Tensor { // a given output
		x := w.float()
		return aten.AddOut(torch.EmptyLike(x), x, x, nil)
	},

	// Products and convolutions.
	func(w *Worker) *torch.Tensor { x := w.matrix(); return x.MatMul(x.T()) },
	func(w *Worker) *torch.Tensor { x := w.matrix(); return torch.Einsum("ij,kj->ik", x, x) },
	func(w *Worker) *torch.Tensor {
		n := pick(w, sizes)
		return torch.Rand(torch.Shape{4, n, 8}).Bmm(torch.Rand(torch.Shape{4, 8, n}))
	},
	func(w *Worker) *torch.Tensor {
		x := torch.Rand(torch.Shape{pick(w, batches), 3, 16, 16})
		return F.Conv2d(x, torch.Rand(torch.Shape{4, 3, 3, 3}), torch.Rand(torch.Shape{4}),
			F.Padding(1), F.Stride(pick(w, []int{1, 2})))
	},
	func(w *Worker) *torch.Tensor {
		x := torch.Rand(torch.Shape{4, 6, 32})
		return F.Conv1d(x, torch.Rand(torch.Shape{6, 2, 5}), nil, F.Groups(3))
	},
	func(w *Worker) *torch.Tensor {
		x := torch.Rand(torch.Shape{2, 4, 16, 8})
		return F.ScaledDotProductAttention(x, x, x)
	},

	// Indexing.
	func(w *Worker) *torch.Tensor { x := w.float(); return x.Index(torch.Ellipsis, -1).Clone() },
	func(w *Worker) *torch.Tensor { x := w.float(); return x.Index(x.GtScalar(0.3)) },
	func(w *Worker) *torch.Tensor { x := w.float(); return x.Index([]int64{0, -1, 0}) },
	func(w *Worker) *torch.Tensor { x := w.float(); return x.SetIndex(1.5, torch.SliceFrom(0)) },
	func(w *Worker) *torch.Tensor {
		x := w.float()
		d := w.dim(x)
		return x.IndexSelect(d, torch.RandInt(0, x.Size(d), torch.Shape{5}))
	},
	func(w *Worker) *torch.Tensor {
		x := w.matrix()
		return x.Gather(1, x.ArgSort(torch.Dim(1), torch.Descending(true)))
	},
	func(w *Worker) *torch.Tensor { x := w.float(); return x.MaskedFill(x.LtScalar(0.5), 0) },

	// Arranging.
	func(w *Worker) *torch.Tensor {
		x := w.float()
		return torch.Cat([]*torch.Tensor{x, x, x}, torch.Dim(w.dim(x)))
	},
	func(w *Worker) *torch.Tensor { x := w.integer(); return torch.Stack([]*torch.Tensor{x, x}) },
	func(w *Worker) *torch.Tensor { x := w.float(); return x.Chunk(3, torch.Dim(w.dim(x)))[0] },
	func(w *Worker) *torch.Tensor { x := w.float(); return x.Flip(0).Reshape(-1).Contiguous() },

	// Sorting and reductions.
	func(w *Worker) *torch.Tensor {
		x := w.float()
		_, i := x.Sort(torch.Dim(w.dim(x)), torch.Descending(true))
		return i
	},
	func(w *Worker) *torch.Tensor { x := w.matrix(); v, _ := x.TopK(1, torch.Dim(1)); return v },
	func(w *Worker) *torch.Tensor { return w.integer().Unique() },
	func(w *Worker) *torch.Tensor { x := w.float(); return x.Sum(torch.Dim(w.dim(x)), torch.KeepDim(true)) },
	func(w *Worker) *torch.Tensor { x := w.float(); v, _ := x.MaxDim(w.dim(x)); return v },
	func(w *Worker) *torch.Tensor { x := w.float(); return x.Softmax(w.dim(x)).Mean() },
	func(w *Worker) *torch.Tensor { x := w.float(); return x.CumSum(w.dim(x)) },
	func(w *Worker) *torch.Tensor { return w.integer().Float().Norm() },
}

// randomOperators runs random operators. Their results are closed, or belong to a scope,
// or are left to the collector.
func randomOperators(w *Worker) error {
	for range 10 {
		switch w.Rand.IntN(3) {
		case 0:
			torch.Scope(func() {
				for range 10 {
					pick(w, operators)(w)
				}
			})
		case 1:
			for range 10 {
				_ = torch.Tidy(func() *torch.Tensor { return pick(w, operators)(w) }).Close()
			}
		default: // The collector frees the results.
			for range 10 {
				pick(w, operators)(w)
			}
		}
	}
	return nil
}
