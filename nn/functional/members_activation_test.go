package functional_test

import (
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aten"
)

// curveMembers returns the members for activations and in-place functions. An in-place
// function gets a copy and must return it.
func curveMembers() map[string]member {
	x := ramp(4, 6)
	seeded := func(call result) result {
		return func() *torch.Tensor {
			torch.ManualSeed(3)
			return call()
		}
	}
	random := func(call func(*torch.Tensor, ...F.RReLUOption) *torch.Tensor, in func() *torch.Tensor) member {
		want := func(lower, upper float64, training bool) result {
			return seeded(func() *torch.Tensor { return aten.RReLU(x, lower, upper, training, nil) })
		}
		return rowOf(func(opts ...F.RReLUOption) *torch.Tensor {
			torch.ManualSeed(3)
			return call(in(), opts...)
		},
			variant[F.RReLUOption]{F.Lower(0.25), F.Lower(0), want(0.25, 1.0/3, false)},
			variant[F.RReLUOption]{F.Upper(0.5), F.Upper(1), want(1.0/8, 0.5, false)},
			variant[F.RReLUOption]{F.Training(true), F.Training(false), want(1.0/8, 1.0/3, true)})
	}
	limits := func(call func(*torch.Tensor, ...F.HardtanhOption) *torch.Tensor, in func() *torch.Tensor) member {
		return rowOf(func(opts ...F.HardtanhOption) *torch.Tensor { return call(in(), opts...) },
			variant[F.HardtanhOption]{F.MinVal(0), F.MinVal(-0.5), func() *torch.Tensor {
				return aten.Hardtanh(x, 0, 1)
			}},
			variant[F.HardtanhOption]{F.MaxVal(0), F.MaxVal(2), func() *torch.Tensor {
				return aten.Hardtanh(x, -1, 0)
			}})
	}
	shrink := func(call func(*torch.Tensor, ...F.ShrinkOption) *torch.Tensor,
		want func(x *torch.Tensor, lambd any) *torch.Tensor,
	) member {
		return rowOf(func(opts ...F.ShrinkOption) *torch.Tensor { return call(x, opts...) },
			variant[F.ShrinkOption]{F.Lambd(0), F.Lambd(1), func() *torch.Tensor { return want(x, 0.0) }},
			variant[F.ShrinkOption]{F.Lambd(1), F.Lambd(0), func() *torch.Tensor { return want(x, 1.0) }})
	}
	gumbel := func(tau float64, dim int64) result {
		return seeded(func() *torch.Tensor {
			noise := torch.Empty(x.Shape()).Exponential_(1).Log().Neg()
			return aten.SoftmaxInt(x.Add(noise).DivScalar(tau), dim, torch.DType(0))
		})
	}
	same, copied := func() *torch.Tensor { return x }, func() *torch.Tensor { return x.Clone() }
	return map[string]member{
		"RReLU":      random(F.RReLU, same),
		"RReLU_":     random(F.RReLU_, copied),
		"Hardtanh":   limits(F.Hardtanh, same),
		"Hardtanh_":  limits(F.Hardtanh_, copied),
		"Hardshrink": shrink(F.Hardshrink, aten.Hardshrink),
		"Softshrink": shrink(F.Softshrink, aten.Softshrink),
		"GumbelSoftmax": rowOf(func(opts ...F.GumbelSoftmaxOption) *torch.Tensor {
			torch.ManualSeed(3)
			return F.GumbelSoftmax(x, opts...)
		},
			variant[F.GumbelSoftmaxOption]{F.Tau(0.5), F.Tau(2), gumbel(0.5, -1)},
			variant[F.GumbelSoftmaxOption]{F.Dim(0), F.Dim(1), gumbel(1, 0)},
			variant[F.GumbelSoftmaxOption]{F.Hard(false), F.Hard(true), gumbel(1, -1)}),
	}
}

// dropMembers returns the members for the dropouts.
func dropMembers() map[string]member {
	all := map[string]member{}
	for _, d := range []struct {
		name     string
		call     func(*torch.Tensor, ...F.DropoutOption) *torch.Tensor
		op       func(*torch.Tensor, float64, bool) *torch.Tensor
		training bool
		shape    torch.Shape
	}{
		{"Dropout", F.Dropout, aten.Dropout, true, torch.Shape{4, 6}},
		{"Dropout_", F.Dropout_, aten.Dropout, true, torch.Shape{4, 6}},
		{"Dropout1d", F.Dropout1d, aten.FeatureDropout, true, torch.Shape{2, 6, 3}},
		{"Dropout1d_", F.Dropout1d_, aten.FeatureDropout, true, torch.Shape{2, 6, 3}},
		{"Dropout2d", F.Dropout2d, aten.FeatureDropout, true, torch.Shape{4, 6, 2, 2}},
		{"Dropout2d_", F.Dropout2d_, aten.FeatureDropout, true, torch.Shape{4, 6, 2, 2}},
		{"Dropout3d", F.Dropout3d, aten.FeatureDropout, true, torch.Shape{2, 6, 2, 2, 2}},
		{"Dropout3d_", F.Dropout3d_, aten.FeatureDropout, true, torch.Shape{2, 6, 2, 2, 2}},
		{"AlphaDropout", F.AlphaDropout, aten.AlphaDropout, false, torch.Shape{4, 6}},
		{"AlphaDropout_", F.AlphaDropout_, aten.AlphaDropout, false, torch.Shape{4, 6}},
		{"FeatureAlphaDropout", F.FeatureAlphaDropout, aten.FeatureAlphaDropout, false, torch.Shape{4, 6, 2}},
		{"FeatureAlphaDropout_", F.FeatureAlphaDropout_, aten.FeatureAlphaDropout, false, torch.Shape{4, 6, 2}},
	} {
		x := ramp(d.shape...)
		seeded := func(p float64, training bool) result {
			return func() *torch.Tensor {
				torch.ManualSeed(3)
				return d.op(x, p, training)
			}
		}
		all[d.name] = rowOf(func(opts ...F.DropoutOption) *torch.Tensor {
			torch.ManualSeed(3)
			return d.call(x.Clone(), opts...)
		},
			variant[F.DropoutOption]{F.P(0.25), F.P(0), seeded(0.25, d.training)},
			variant[F.DropoutOption]{F.P(0), F.P(0.25), seeded(0, d.training)},
			variant[F.DropoutOption]{F.Training(true), F.Training(false), seeded(0.5, true)},
			variant[F.DropoutOption]{F.Training(false), F.Training(true), seeded(0.5, false)})
	}
	return all
}
