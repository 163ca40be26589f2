package functional_test

import (
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aten"
)

var _ = addFunction(function{
	name: "Softmin",
	cases: []compared{
		{"lambda x: F.softmin(x, 1)", []input{floats(4, 6)}, func(x in) *torch.Tensor { return F.Softmin(x[0], 1) }},
	},
	options: func() member {
		x := ramp(4, 6)
		return rowOf(func(opts ...F.SoftmaxOption) *torch.Tensor { return F.Softmin(x, 1, opts...) },
			variant[F.SoftmaxOption]{F.DType(torch.Float64), F.DType(torch.Float16), func() *torch.Tensor {
				return aten.SoftmaxInt(x.Neg(), 1, torch.Float64)
			}})
	},
	bad: []badCall{{torch.ErrIndex, "Softmin", func() { F.Softmin(ramp(4, 6), 2) }}},
})
