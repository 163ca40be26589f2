package torch_test

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// randomModel returns a model of random layers in evaluation mode, an input for it, and a description.
func randomModel(r *rand.Rand) (x *torch.Tensor, fn func(*torch.Tensor) *torch.Tensor, text func() string) {
	var steps []func(*torch.Tensor) *torch.Tensor
	var names []string
	add := func(l nn.Layer) {
		torch.NoGrad(func() { settle(l) })
		l.Eval()
		steps = append(steps, l.Forward)
		names = append(names, fmt.Sprint(l))
	}
	pick := func(n int64) int64 { return 1 + r.Int64N(n) }
	act := func() nn.Layer {
		return []nn.Layer{
			nn.NewReLU(), nn.NewReLU(nn.Inplace(true)), nn.NewReLU6(), nn.NewHardswish(nn.Inplace(r.IntN(2) == 0)),
			nn.NewHardsigmoid(), nn.NewSiLU(), nn.NewSigmoid(), nn.NewTanh(), nn.NewGELU(),
			nn.NewGELU(nn.ApproximateTanh), nn.NewLeakyReLU(0.1), nn.NewELU(), nn.NewSoftplus(),
			nn.NewMish(), nn.NewDropout(0.5), nn.NewIdentity(), nn.NewSoftsign(), nn.NewSELU(),
		}[r.IntN(18)]
	}
	// residual makes the next layer's result, which must have its input's shape, an addition.
	residual := func(l nn.Layer) {
		add(l)
		inner, order := steps[len(steps)-1], r.IntN(3)
		names[len(names)-1] = fmt.Sprintf("residual %d of %s", order, l)
		steps[len(steps)-1] = func(x *torch.Tensor) *torch.Tensor {
			switch order {
			case 0:
				return x.Add(inner(x))
			case 1:
				return inner(x).Add(x)
			}
			return inner(x).Add_(x)
		}
	}
	if r.IntN(3) == 0 {
		return randomVectors(r, add, residual, act, &steps, &names)
	}
	c := []int64{1, 2, 3, 8, 12, 16, 32}[r.IntN(7)]
	shape := torch.Shape{pick(3), c, 8 + pick(12), 8 + pick(12)}
	x = torch.Randn(shape)
	for range pick(5) {
		out := []int64{4, 8, 10, 16, 32, 48}[r.IntN(6)]
		switch r.IntN(9) {
		case 0, 1:
			size := []int64{1, 3, 5}[r.IntN(3)]
			add(nn.NewConv2d(c, out, size, nn.Padding(size/2), nn.Stride(pick(2)), nn.Bias(r.IntN(2) == 0)))
			c = out
		case 2, 3:
			add(nn.NewConv2d(c, out, 3, nn.Padding(1)))
			c = out
		case 4:
			residual(nn.NewConv2d(c, c, 3, nn.Padding(1), nn.Bias(r.IntN(2) == 0)))
		case 5:
			add(nn.NewConv2d(c, c, 3, nn.Padding(1), nn.Groups(c)))
		case 6:
			add([]nn.Layer{
				nn.NewMaxPool2d(3, nn.Stride(1), nn.Padding(1)), nn.NewAvgPool2d(3, nn.Stride(1), nn.Padding(1)),
				nn.NewUpsamplingNearest2d(nn.ScaleFactor(2)), nn.NewZeroPad2d(1), nn.NewGroupNorm(1, c),
				nn.NewReflectionPad2d(1),
			}[r.IntN(6)])
		case 7:
			add(nn.NewConv2d(c, out, 3, nn.Dilation(2), nn.Padding(2)))
			c = out
		case 8:
			add(nn.NewConvTranspose2d(c, out, 2))
			c = out
		}
		if r.IntN(2) == 0 {
			add(nn.NewBatchNorm2d(c))
		}
		if r.IntN(3) > 0 {
			add(act())
		}
	}
	switch r.IntN(3) {
	case 0:
		add(nn.NewAdaptiveAvgPool2d(1))
		add(nn.NewFlatten())
		add(nn.NewLinear(c, pick(20)))
	case 1:
		add(nn.NewAdaptiveAvgPool2d(2))
		add(nn.NewFlatten())
		add(nn.NewLinear(4*c, pick(20)))
	}
	return x, run(&steps, false), func() string { return fmt.Sprint(shape, " ", strings.Join(names, "; ")) }
}

func run(steps *[]func(*torch.Tensor) *torch.Tensor, copies bool) func(*torch.Tensor) *torch.Tensor {
	return func(x *torch.Tensor) *torch.Tensor {
		if copies {
			x = x.Clone() // because the first layer may write to it
		}
		for _, s := range *steps {
			x = s(x)
		}
		return x
	}
}

// randomVectors returns a model for rows of numbers.
func randomVectors(r *rand.Rand, add, residual func(nn.Layer), act func() nn.Layer,
	steps *[]func(*torch.Tensor) *torch.Tensor, names *[]string,
) (x *torch.Tensor, fn func(*torch.Tensor) *torch.Tensor, text func() string) {
	d := 8 * (1 + r.Int64N(10))
	shape := []torch.Shape{{1, d}, {1 + r.Int64N(9), d}, {1 + r.Int64N(3), 1 + r.Int64N(9), d}}[r.IntN(3)]
	for range 1 + r.IntN(5) {
		out := 1 + r.Int64N(80)
		switch n := r.IntN(6); {
		case n < 2:
			add(nn.NewLinear(d, out, nn.Bias(r.IntN(3) > 0)))
			d = out
		case n == 2:
			residual(nn.NewLinear(d, d))
		case n == 3:
			add(nn.NewLayerNorm(torch.Shape{d}))
		case n == 4 && len(shape) == 2:
			add(nn.NewBatchNorm1d(d))
		case n == 5 && d%8 == 0 && len(shape) == 3:
			l := nn.NewTransformerEncoderLayer(d, 4, nn.DimFeedforward(out), nn.BatchFirst(true))
			l.Eval()
			*steps = append(*steps, func(x *torch.Tensor) *torch.Tensor { return l.Forward(x) })
			*names = append(*names, fmt.Sprint(l))
		}
		add(act())
	}
	if len(*steps) == 0 {
		add(nn.NewLinear(d, 3))
	}
	return torch.Randn(shape), run(steps, true), func() string {
		return fmt.Sprint(shape, " ", strings.Join(*names, "; "))
	}
}
