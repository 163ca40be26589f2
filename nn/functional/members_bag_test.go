package functional_test

import (
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aten"
)

// bagMembers returns the members for EmbeddingBag, Pdist and LocalResponseNorm.
func bagMembers() map[string]member {
	indices, offsets := torch.FromSlice([]int64{0, 3, 0, 2, 2}), torch.FromSlice([]int64{0, 2, 5})
	factors := torch.FromSlice([]float32{1, 2, 0.5, -1, 3})
	type settings struct {
		byFreq, sparse, last bool
		mode                 int64
		samples              *torch.Tensor
		pad                  *int64
		max, norm            float64
	}
	// bag returns the result, the table after the call and its gradient, so that all
	// three are compared.
	bag := func(call func(w *torch.Tensor) *torch.Tensor) *torch.Tensor {
		w := ramp(4, 6).Clone().RequiresGrad_()
		y := call(w)
		y.Mul(y).Sum().Backward()
		rows := []*torch.Tensor{y.Detach(), w.Detach(), w.Grad().ToDense()}
		return torch.Cat(rows)
	}
	want := func(s settings) result {
		return func() *torch.Tensor {
			return bag(func(w *torch.Tensor) *torch.Tensor {
				if s.norm != 0 {
					torch.NoGrad(func() { aten.EmbeddingRenorm_(w, indices, s.max, s.norm) })
				}
				y, _, _, _ := aten.EmbeddingBagPaddingIdx(w, indices, offsets, s.byFreq, s.mode, s.sparse, s.samples,
					s.last, s.pad)
				return y
			})
		}
	}
	two, x, img := int64(2), ramp(4, 6), ramp(2, 3, 4)
	response := func(alpha, beta, k float64) result {
		return func() *torch.Tensor {
			mean := F.AvgPool2d(F.Pad(img.Mul(img).Unsqueeze(1), []int64{0, 0, 1, 0}), []int64{2, 1},
				F.Stride(1)).Squeeze(1)
			return img.Div(mean.MulScalar(alpha).AddScalar(k).PowScalar(beta))
		}
	}
	pairs := func(p float64) result { return func() *torch.Tensor { return aten.Pdist(x, p) } }
	return map[string]member{
		"EmbeddingBag": join(rowOf(func(opts ...F.EmbeddingBagOption) *torch.Tensor {
			return bag(func(w *torch.Tensor) *torch.Tensor { return F.EmbeddingBag(indices, w, offsets, opts...) })
		},
			variant[F.EmbeddingBagOption]{F.ModeSum, F.ModeMax, want(settings{mode: 0})},
			variant[F.EmbeddingBagOption]{F.ModeMax, F.Mode("sum"), want(settings{mode: 2})},
			variant[F.EmbeddingBagOption]{
				F.ScaleGradByFreq(true), F.ScaleGradByFreq(false),
				want(settings{mode: 1, byFreq: true}),
			},
			variant[F.EmbeddingBagOption]{F.Sparse(true), F.Sparse(false), want(settings{mode: 1, sparse: true})},
			variant[F.EmbeddingBagOption]{
				F.IncludeLastOffset(true), F.IncludeLastOffset(false),
				want(settings{mode: 1, last: true}),
			},
			variant[F.EmbeddingBagOption]{F.PaddingIdx(2), F.PaddingIdx(-1), want(settings{mode: 1, pad: &two})},
			variant[F.EmbeddingBagOption]{F.MaxNorm(1), F.MaxNorm(9), want(settings{mode: 1, max: 1, norm: 2})}),
			rowOf(func(opts ...F.EmbeddingBagOption) *torch.Tensor {
				return bag(func(w *torch.Tensor) *torch.Tensor {
					return F.EmbeddingBag(indices, w, offsets,
						append([]F.EmbeddingBagOption{F.MaxNorm(1), F.ModeSum}, opts...)...)
				})
			},
				variant[F.EmbeddingBagOption]{F.NormType(1), F.NormType(2), want(settings{max: 1, norm: 1})},
				variant[F.EmbeddingBagOption]{
					F.PerSampleWeights(factors), F.PerSampleWeights(nil),
					want(settings{samples: factors, max: 1, norm: 2}),
				})),
		"Pdist": rowOf(func(opts ...F.PdistOption) *torch.Tensor { return F.Pdist(x, opts...) },
			variant[F.PdistOption]{F.P(1), F.P(2), pairs(1)},
			variant[F.PdistOption]{F.P(0), F.P(2), pairs(0)}),
		"LocalResponseNorm": rowOf(func(opts ...F.LocalResponseNormOption) *torch.Tensor {
			return F.LocalResponseNorm(img, 2, opts...)
		},
			variant[F.LocalResponseNormOption]{F.Alpha(0.5), F.Alpha(0), response(0.5, 0.75, 1)},
			variant[F.LocalResponseNormOption]{F.Beta(0), F.Beta(1), response(1e-4, 0, 1)},
			variant[F.LocalResponseNormOption]{F.K(2), F.K(0), response(1e-4, 0.75, 2)}),
	}
}
