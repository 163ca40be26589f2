package functional_test

import (
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aten"
)

// cube returns an input with n spatial dimensions.
func cube(n int) *torch.Tensor { return ramp(torch.Shape{1, 2, 9, 8, 7}[:n+2]...) }

func all(n int, v int64) []int64 { return []int64{v, v, v}[:n] }

// poolMembers returns the members for the transposed convolution, pooling and fold
// functions that are not in windowMembers.
func poolMembers() map[string]member {
	members := map[string]member{
		"ConvTranspose1d":      transposeMember(1, F.ConvTranspose1d, aten.ConvTranspose1d),
		"ConvTranspose3d":      transposeMember(3, F.ConvTranspose3d, aten.ConvTranspose3dInput),
		"MaxPool3d":            maxMember(3, F.MaxPool3d, aten.MaxPool3d),
		"MaxPool1dWithIndices": maxMember(1, indicesFrom(F.MaxPool1dWithIndices), indicesOf(aten.MaxPool1dWithIndices)),
		"MaxPool3dWithIndices": maxMember(3, indicesFrom(F.MaxPool3dWithIndices), indicesOf(aten.MaxPool3dWithIndices)),
		"AvgPool1d":            avgPool1dMember(),
		"AvgPool3d":            avgPool3dMember(),
		"FractionalMaxPool2d":  fractionalMember(2, F.FractionalMaxPool2d, firstOf(aten.FractionalMaxPool2d)),
		"FractionalMaxPool3d":  fractionalMember(3, F.FractionalMaxPool3d, firstOf(aten.FractionalMaxPool3d)),
		"MaxUnpool1d":          unpoolMember(1, F.MaxUnpool1d),
		"MaxUnpool2d":          unpoolMember(2, F.MaxUnpool2d),
		"MaxUnpool3d":          unpoolMember(3, F.MaxUnpool3d),
		"LPPool1d":             lpMember(1, F.LPPool1d),
		"LPPool2d":             lpMember(2, F.LPPool2d),
		"LPPool3d":             lpMember(3, F.LPPool3d),
	}
	members["FractionalMaxPool2dWithIndices"] = fractionalMember(2, indicesFrom(F.FractionalMaxPool2dWithIndices),
		secondOf(aten.FractionalMaxPool2d))
	members["FractionalMaxPool3dWithIndices"] = fractionalMember(3, indicesFrom(F.FractionalMaxPool3dWithIndices),
		secondOf(aten.FractionalMaxPool3d))
	img := cube(2)
	columns := ramp(1, 8, 12)
	unfold := func(d, p, s []int64) result {
		return func() *torch.Tensor { return aten.Im2col(img, []int64{2, 2}, d, p, s) }
	}
	members["Unfold"] = rowOf(func(opts ...F.FoldOption) *torch.Tensor { return F.Unfold(img, 2, opts...) },
		variant[F.FoldOption]{F.Dilation(2), F.Dilation(1), unfold(all(2, 2), all(2, 0), all(2, 1))},
		variant[F.FoldOption]{F.Dilations{2, 1}, F.Dilation(3), unfold([]int64{2, 1}, all(2, 0), all(2, 1))},
		variant[F.FoldOption]{F.Padding(1), F.Padding(0), unfold(all(2, 1), all(2, 1), all(2, 1))},
		variant[F.FoldOption]{F.Paddings{1, 0}, F.Padding(2), unfold(all(2, 1), []int64{1, 0}, all(2, 1))},
		variant[F.FoldOption]{F.Stride(2), F.Stride(1), unfold(all(2, 1), all(2, 0), all(2, 2))},
		variant[F.FoldOption]{F.Strides{2, 1}, F.Stride(3), unfold(all(2, 1), all(2, 0), []int64{2, 1})})
	// fold tests one option of F.Fold. The output size differs between the options, so
	// that columns always has the right number of windows.
	fold := func(size []int64, given, other F.FoldOption, d, p, s []int64) member {
		return rowOf(func(opts ...F.FoldOption) *torch.Tensor { return F.Fold(columns, size, 2, opts...) },
			variant[F.FoldOption]{given, other, func() *torch.Tensor {
				return aten.Col2im(columns, size, []int64{2, 2}, d, p, s)
			}})
	}
	members["Fold"] = join(
		fold([]int64{5, 6}, F.Dilation(2), F.Dilation(1), all(2, 2), all(2, 0), all(2, 1)),
		fold([]int64{5, 5}, F.Dilations{2, 1}, F.Dilation(3), []int64{2, 1}, all(2, 0), all(2, 1)),
		fold([]int64{2, 3}, F.Padding(1), F.Padding(0), all(2, 1), all(2, 1), all(2, 1)),
		fold([]int64{2, 5}, F.Paddings{1, 0}, F.Padding(3), all(2, 1), []int64{1, 0}, all(2, 1)),
		fold([]int64{6, 8}, F.Stride(2), F.Stride(1), all(2, 1), all(2, 0), all(2, 2)),
		fold([]int64{6, 5}, F.Strides{2, 1}, F.Stride(3), all(2, 1), all(2, 0), []int64{2, 1}))
	return members
}

func transposeMember(n int, call func(x, w, b *torch.Tensor, opts ...F.ConvTransposeOption) *torch.Tensor,
	op func(x, w, b *torch.Tensor, stride, padding, extra []int64, groups int64, dilation []int64) *torch.Tensor,
) member {
	x, w := cube(n), ramp(torch.Shape{2, 2, 3, 3, 3}[:n+2]...)
	first := []int64{2, 1, 1}[:n]
	want := func(s, p, e, d []int64) result { return func() *torch.Tensor { return op(x, w, nil, s, p, e, 1, d) } }
	strided := []F.ConvTransposeOption{F.Stride(2)} // OutputPadding must be smaller than the stride
	return rowOf(func(opts ...F.ConvTransposeOption) *torch.Tensor {
		return call(x, w, nil, append(strided[:1:1], opts...)...)
	},
		variant[F.ConvTransposeOption]{F.Stride(1), F.Stride(3), want(all(n, 1), all(n, 0), all(n, 0), all(n, 1))},
		variant[F.ConvTransposeOption]{F.Strides(first), F.Stride(3), want(first, all(n, 0), all(n, 0), all(n, 1))},
		variant[F.ConvTransposeOption]{F.Padding(1), F.Padding(0), want(all(n, 2), all(n, 1), all(n, 0), all(n, 1))},
		variant[F.ConvTransposeOption]{F.Paddings(first), F.Padding(0), want(all(n, 2), first, all(n, 0), all(n, 1))},
		variant[F.ConvTransposeOption]{
			F.OutputPadding(1), F.OutputPadding(0),
			want(all(n, 2), all(n, 0), all(n, 1), all(n, 1)),
		},
		variant[F.ConvTransposeOption]{
			F.OutputPaddings([]int64{0, 1, 1}[:n]), F.OutputPadding(1),
			want(all(n, 2), all(n, 0), []int64{0, 1, 1}[:n], all(n, 1)),
		},
		variant[F.ConvTransposeOption]{F.Dilation(2), F.Dilation(1), want(all(n, 2), all(n, 0), all(n, 0), all(n, 2))},
		variant[F.ConvTransposeOption]{F.Dilations(first), F.Dilation(3), want(all(n, 2), all(n, 0), all(n, 0), first)},
		variant[F.ConvTransposeOption]{F.Groups(1), F.Groups(2), want(all(n, 2), all(n, 0), all(n, 0), all(n, 1))})
}

type maxCall = func(x *torch.Tensor, kernel any, opts ...F.MaxPoolOption) *torch.Tensor

// indicesFrom returns a function that calls call and returns its second result.
func indicesFrom[O any](call func(x *torch.Tensor, kernel any, opts ...O) (_, _ *torch.Tensor)) func(x *torch.Tensor,
	kernel any, opts ...O) *torch.Tensor {
	return func(x *torch.Tensor, kernel any, opts ...O) *torch.Tensor {
		_, i := call(x, kernel, opts...)
		return i
	}
}

type maxOp = func(x *torch.Tensor, k, s, p, d []int64, ceil bool) *torch.Tensor

func indicesOf(op func(x *torch.Tensor, k, s, p, d []int64, ceil bool) (_, _ *torch.Tensor)) maxOp {
	return func(x *torch.Tensor, k, s, p, d []int64, ceil bool) *torch.Tensor {
		_, i := op(x, k, s, p, d, ceil)
		return i
	}
}

func maxMember(n int, call maxCall, op maxOp) member {
	x := cube(n)
	want := func(s, p, d []int64, ceil bool) result {
		return func() *torch.Tensor { return op(x, all(n, 3), s, p, d, ceil) }
	}
	strides, pads := []int64{2, 1, 1}[:n], []int64{1, 0, 0}[:n]
	return rowOf(func(opts ...F.MaxPoolOption) *torch.Tensor { return call(x, 3, opts...) },
		variant[F.MaxPoolOption]{F.Stride(2), F.Stride(1), want(all(n, 2), all(n, 0), all(n, 1), false)},
		variant[F.MaxPoolOption]{F.Strides(strides), F.Stride(3), want(strides, all(n, 0), all(n, 1), false)},
		variant[F.MaxPoolOption]{F.Padding(1), F.Padding(0), want(all(n, 3), all(n, 1), all(n, 1), false)},
		variant[F.MaxPoolOption]{F.Paddings(pads), F.Padding(0), want(all(n, 3), pads, all(n, 1), false)},
		variant[F.MaxPoolOption]{F.Dilation(2), F.Dilation(1), want(all(n, 3), all(n, 0), all(n, 2), false)},
		variant[F.MaxPoolOption]{F.Dilations(strides), F.Dilation(3), want(all(n, 3), all(n, 0), strides, false)},
		variant[F.MaxPoolOption]{F.CeilMode(true), F.CeilMode(false), want(all(n, 3), all(n, 0), all(n, 1), true)})
}

func avgPool1dMember() member {
	x := cube(1)
	// With padding and a last window beyond the edge, every option has an effect.
	want := func(s, p int64, ceil, count bool) result {
		return func() *torch.Tensor { return aten.AvgPool1d(x, []int64{3}, []int64{s}, []int64{p}, ceil, count) }
	}
	return rowOf(func(opts ...F.AvgPool1dOption) *torch.Tensor {
		return F.AvgPool1d(x, 3, append([]F.AvgPool1dOption{F.Padding(1), F.Stride(3)}, opts...)...)
	},
		variant[F.AvgPool1dOption]{F.Stride(1), F.Stride(2), want(1, 1, false, true)},
		variant[F.AvgPool1dOption]{F.Strides{2}, F.Stride(1), want(2, 1, false, true)},
		variant[F.AvgPool1dOption]{F.Padding(0), F.Padding(1), want(3, 0, false, true)},
		variant[F.AvgPool1dOption]{F.Paddings{0}, F.Padding(1), want(3, 0, false, true)},
		variant[F.AvgPool1dOption]{F.CeilMode(true), F.CeilMode(false), want(3, 1, true, true)},
		variant[F.AvgPool1dOption]{F.CountIncludePad(false), F.CountIncludePad(true), want(3, 1, false, false)})
}

func avgPool3dMember() member {
	x, two := cube(3), int64(2)
	want := func(s, p []int64, ceil, count bool, divisor *int64) result {
		return func() *torch.Tensor { return aten.AvgPool3d(x, all(3, 3), s, p, ceil, count, divisor) }
	}
	return rowOf(func(opts ...F.AvgPoolOption) *torch.Tensor {
		return F.AvgPool3d(x, 3, append([]F.AvgPoolOption{F.Padding(1), F.Stride(2)}, opts...)...)
	},
		variant[F.AvgPoolOption]{F.Stride(1), F.Stride(3), want(all(3, 1), all(3, 1), false, true, nil)},
		variant[F.AvgPoolOption]{F.Strides{3, 1, 2}, F.Stride(3), want([]int64{3, 1, 2}, all(3, 1), false, true, nil)},
		variant[F.AvgPoolOption]{F.Padding(0), F.Padding(1), want(all(3, 2), all(3, 0), false, true, nil)},
		variant[F.AvgPoolOption]{
			F.Paddings{0, 1, 1},
			F.Padding(0),
			want(all(3, 2), []int64{0, 1, 1}, false, true, nil),
		},
		variant[F.AvgPoolOption]{F.CeilMode(true), F.CeilMode(false), want(all(3, 2), all(3, 1), true, true, nil)},
		variant[F.AvgPoolOption]{
			F.CountIncludePad(false), F.CountIncludePad(true),
			want(all(3, 2), all(3, 1), false, false, nil),
		},
		variant[F.AvgPoolOption]{
			F.DivisorOverride(2), F.DivisorOverride(3),
			want(all(3, 2), all(3, 1), false, true, &two),
		})
}

type fractionalOp = func(x *torch.Tensor, k, size []int64, samples *torch.Tensor) *torch.Tensor

func firstOf(op func(x *torch.Tensor, k, size []int64, samples *torch.Tensor) (_, _ *torch.Tensor)) fractionalOp {
	return func(x *torch.Tensor, k, size []int64, samples *torch.Tensor) *torch.Tensor {
		v, _ := op(x, k, size, samples)
		return v
	}
}

func secondOf(op func(x *torch.Tensor, k, size []int64, samples *torch.Tensor) (_, _ *torch.Tensor)) fractionalOp {
	return func(x *torch.Tensor, k, size []int64, samples *torch.Tensor) *torch.Tensor {
		_, i := op(x, k, size, samples)
		return i
	}
}

func fractionalMember(n int, call func(x *torch.Tensor, kernel any, opts ...F.FractionalPoolOption) *torch.Tensor,
	op fractionalOp,
) member {
	x := cube(n)
	samples := torch.Full(torch.Shape{1, 2, int64(n)}, 0.7)
	want := func(size []int64) result {
		return func() *torch.Tensor {
			torch.ManualSeed(3)
			return op(x, all(n, 2), size, torch.Rand(torch.Shape{1, 2, int64(n)}))
		}
	}
	seeded := func(first ...F.FractionalPoolOption) func(opts ...F.FractionalPoolOption) *torch.Tensor {
		return func(opts ...F.FractionalPoolOption) *torch.Tensor {
			torch.ManualSeed(3)
			return call(x, 2, append(append([]F.FractionalPoolOption{}, first...), opts...)...)
		}
	}
	sizes := []int64{3, 4, 5}[:n]
	return join(
		rowOf(seeded(),
			variant[F.FractionalPoolOption]{F.OutputSize(3), F.OutputSize(4), want(all(n, 3))},
			variant[F.FractionalPoolOption]{F.OutputSizes(sizes), F.OutputSize(4), want(sizes)},
			variant[F.FractionalPoolOption]{F.OutputRatio(0.5), F.OutputRatio(0.3), want([]int64{4, 4, 3}[:n])},
			variant[F.FractionalPoolOption]{
				F.OutputRatios([]float64{0.5, 0.3, 0.3}[:n]), F.OutputRatio(0.3),
				want([]int64{4, 2, 2}[:n]),
			}),
		rowOf(seeded(F.OutputSize(4)),
			variant[F.FractionalPoolOption]{F.RandomSamples(samples), F.RandomSamples(nil), func() *torch.Tensor {
				return op(x, all(n, 2), all(n, 4), samples)
			}},
			variant[F.FractionalPoolOption]{F.RandomSamples(nil), F.RandomSamples(samples), want(all(n, 4))}))
}

// unpoolMember returns a member for an unpooling function. The expected result is copied
// element by element.
func unpoolMember(n int,
	call func(x, indices *torch.Tensor, kernel any, opts ...F.MaxUnpoolOption) *torch.Tensor,
) member {
	x := ramp(torch.Shape{1, 2, 3, 3, 3}[:n+2]...)
	count := []int64{0, 3, 9, 27}[n]
	indices := torch.Arange(count).Mul(torch.Full(torch.Shape{}, 2)).Reshape(torch.Shape{
		1, 1, 3, 3,
		3,
	}[:n+2]...).Expand(torch.Shape{1, 2, 3, 3, 3}[:n+2]...).Contiguous()
	want := func(size []int64) result {
		return func() *torch.Tensor {
			flat := torch.Zeros(torch.Shape{2, torch.Shape(size).Numel()})
			flat.Scatter_(1, indices.Reshape(2, count), x.Reshape(2, count))
			return flat.Reshape(append(torch.Shape{1, 2}, size...)...)
		}
	}
	pads := []int64{1, 0, 0}[:n]
	sizes := []int64{10, 11, 9}[:n]
	return rowOf(func(opts ...F.MaxUnpoolOption) *torch.Tensor { return call(x, indices, 3, opts...) },
		variant[F.MaxUnpoolOption]{F.Stride(2), F.Stride(1), want(all(n, 7))},
		variant[F.MaxUnpoolOption]{F.Strides([]int64{2, 4, 3}[:n]), F.Stride(3), want([]int64{7, 11, 9}[:n])},
		variant[F.MaxUnpoolOption]{F.Padding(1), F.Padding(0), want(all(n, 7))},
		variant[F.MaxUnpoolOption]{F.Paddings(pads), F.Padding(0), want([]int64{7, 9, 9}[:n])},
		variant[F.MaxUnpoolOption]{
			F.OutputSizes(append([]int64{1, 2}, sizes...)), F.OutputSizes(all(n, 9)),
			want(sizes),
		},
		variant[F.MaxUnpoolOption]{F.OutputSizes(sizes), F.OutputSizes(all(n, 9)), want(sizes)})
}

// lpMember returns a member for an LP pooling function. The expected result follows the
// definition of the norm.
func lpMember(n int,
	call func(x *torch.Tensor, norm float64, kernel any, opts ...F.LPPoolOption) *torch.Tensor,
) member {
	x := cube(n)
	want := func(s []int64, ceil bool) result {
		return func() *torch.Tensor {
			squares := x.Square()
			var mean *torch.Tensor
			switch n {
			case 1:
				mean = aten.AvgPool1d(squares, all(n, 3), s, all(n, 0), ceil, true)
			case 2:
				mean = aten.AvgPool2d(squares, all(n, 3), s, all(n, 0), ceil, true, nil)
			case 3:
				mean = aten.AvgPool3d(squares, all(n, 3), s, all(n, 0), ceil, true, nil)
			}
			return mean.MulScalar(float64([]int64{0, 3, 9, 27}[n])).Sqrt()
		}
	}
	strides := []int64{2, 1, 1}[:n]
	return rowOf(func(opts ...F.LPPoolOption) *torch.Tensor { return call(x, 2, 3, opts...) },
		variant[F.LPPoolOption]{F.Stride(2), F.Stride(1), want(all(n, 2), false)},
		variant[F.LPPoolOption]{F.Strides(strides), F.Stride(3), want(strides, false)},
		variant[F.LPPoolOption]{F.CeilMode(true), F.CeilMode(false), want(all(n, 3), true)})
}
