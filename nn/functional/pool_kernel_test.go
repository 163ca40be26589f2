package functional_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aten"
)

// planes returns planes with random numbers of one kind: normally distributed, from a few
// values, zeros of both signs, some NaN, or only -Inf.
func planes(r *rand.Rand, shape torch.Shape) *torch.Tensor {
	kind := r.IntN(6)
	numbers := make([]float64, shape.Numel())
	for i := range numbers {
		switch kind {
		case 0:
			numbers[i] = r.NormFloat64()
		case 1:
			numbers[i] = float64(r.IntN(3))
		case 2:
			numbers[i] = math.Copysign(0, r.Float64()-0.5)
		case 3:
			numbers[i] = []float64{math.NaN(), 1, 2, math.Inf(1)}[r.IntN(4)]
		case 4:
			numbers[i] = math.Inf(-1)
		case 5:
			numbers[i] = max(0, r.NormFloat64())
			if r.IntN(50) == 0 {
				numbers[i] = math.NaN()
			}
		}
	}
	return torch.FromSlice(numbers, shape...)
}

// bits returns the bits of the elements of x. All NaNs have the same bits.
func bits(x *torch.Tensor) []uint64 {
	numbers := x.Float64s()
	all := make([]uint64, len(numbers))
	for i, v := range numbers {
		if all[i] = math.Float64bits(v); math.IsNaN(v) {
			all[i] = math.Float64bits(math.NaN())
		}
	}
	return all
}

// The library's max pooling kernel gives the same values, indices, strides and
// gradients as libtorch's kernel, which MaxPool2dWithIndicesOut still calls.
func TestMaxPool2dIsThatOfLibtorch(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	dtypes := []torch.DType{torch.Float32, torch.Float32, torch.Float64, torch.BFloat16, torch.Float16}
	tried := 0
	for n := range 1500 {
		two := func(least, most int) []int64 {
			return []int64{int64(least + r.IntN(most-least+1)), int64(least + r.IntN(most-least+1))}
		}
		shape := append(torch.Shape{int64(r.IntN(3)), int64(1 + r.IntN(3))}, two(1, 40)...)
		if n%7 == 0 {
			shape = shape[1:]
		}
		k, s, d := two(1, 5), two(1, 4), two(1, 3)
		if n%2 == 0 {
			d = []int64{1, 1}
		}
		p := []int64{r.Int64N(k[0]/2 + 1), r.Int64N(k[1]/2 + 1)}
		ceil := r.IntN(2) == 0
		dtype := dtypes[r.IntN(len(dtypes))]
		name := fmt.Sprintf("%v %v kernel %v stride %v padding %v dilation %v ceil %v", shape, dtype, k, s, p, d, ceil)
		scoped(t, func() {
			x := planes(r, shape).To(dtype)
			switch {
			case n%11 == 0 && len(shape) == 4:
				x = x.To(torch.ChannelsLast)
			case n%13 == 0:
				x = x.Transpose(-1, -2)
			}
			v, i := torch.Empty(torch.Shape{0}, dtype), torch.Empty(torch.Shape{0}, torch.Int64)
			wrong := torch.Try(func() { aten.MaxPool2dWithIndicesOut(v, i, x, k, s, p, d, ceil) })
			x.SetRequiresGrad(true)
			var values, indices *torch.Tensor
			err := torch.Try(func() {
				values, indices = F.MaxPool2dWithIndices(x, k, F.Strides(s), F.Paddings(p), F.Dilations(d),
					F.CeilMode(ceil))
			})
			if wrong != nil {
				var want, got *torch.Error
				require.ErrorAs(t, wrong, &want, name)
				require.ErrorAs(t, err, &got, name)
				require.Equal(t, want.Kind, got.Kind, name)
				return
			}
			tried++
			require.NoError(t, err, name)
			require.Equal(t, v.Shape(), values.Shape(), name)
			require.Equal(t, v.Stride(), values.Stride(), name)
			require.Equal(t, bits(v), bits(values.Detach()), name)
			require.Equal(t, i.Int64s(), indices.Int64s(), name)
			require.Equal(t, i.Stride(), indices.Stride(), name)
			g := torch.RandnLike(v)
			values.Backward(torch.Gradient(g))
			want := aten.MaxPool2dWithIndicesBackward(g, x.Detach(), k, s, p, d, ceil, i)
			require.Equal(t, bits(want), bits(x.Grad()), name)
		})
	}
	require.Greater(t, tried, 800)
}
