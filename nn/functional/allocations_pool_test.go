package functional_test

import (
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// poolAllocations returns the costs of the functions in poolMembers.
func poolAllocations() map[string]cost {
	seq, img, vol := ramp(1, 2, 9), ramp(1, 2, 7, 8), ramp(1, 2, 7, 7, 7)
	w1, w3, columns := ramp(2, 2, 3), ramp(2, 2, 3, 3, 3), ramp(1, 8, 12)
	at := func(shape ...int64) *torch.Tensor { return torch.Zeros(torch.Shape(shape), torch.Int64) }
	at1, at2, at3 := at(1, 2, 9), at(1, 2, 7, 8), at(1, 2, 7, 7, 7)
	places2, places3 := torch.Full(torch.Shape{1, 2, 2}, 0.5), torch.Full(torch.Shape{1, 2, 3}, 0.5)
	two := func(a, b *torch.Tensor) {
		drop(a)
		drop(b)
	}
	return map[string]cost{
		"ConvTranspose1d": {func() { drop(F.ConvTranspose1d(seq, w1, nil)) }, func() {
			drop(F.ConvTranspose1d(seq, w1, nil, F.Strides{2}, F.Paddings{1}, F.OutputPadding(0), F.OutputPaddings{1},
				F.Dilation(1), F.Groups(1)))
		}},
		"ConvTranspose3d": {func() { drop(F.ConvTranspose3d(vol, w3, nil)) }, func() {
			drop(F.ConvTranspose3d(vol, w3, nil, F.Strides{2}, F.Paddings{1}, F.OutputPadding(0), F.OutputPaddings{1},
				F.Dilation(1), F.Groups(1)))
		}},
		"MaxPool3d": {func() { drop(F.MaxPool3d(vol, 3)) }, func() {
			drop(F.MaxPool3d(vol, 3, F.Strides{2}, F.Padding(1), F.Dilations{1}, F.CeilMode(true)))
		}},
		"MaxPool1dWithIndices": {func() { two(F.MaxPool1dWithIndices(seq, 3)) }, func() {
			two(F.MaxPool1dWithIndices(seq, 3, F.Strides{2}, F.Padding(1), F.Dilations{1}, F.CeilMode(true)))
		}},
		"MaxPool3dWithIndices": {func() { two(F.MaxPool3dWithIndices(vol, 3)) }, func() {
			two(F.MaxPool3dWithIndices(vol, 3, F.Strides{2}, F.Padding(1), F.Dilations{1}, F.CeilMode(true)))
		}},
		"AvgPool1d": {func() { drop(F.AvgPool1d(seq, 3)) }, func() {
			drop(F.AvgPool1d(seq, 3, F.Strides{2}, F.Padding(1), F.CeilMode(true), F.CountIncludePad(false)))
		}},
		"AvgPool3d": {func() { drop(F.AvgPool3d(vol, 3)) }, func() {
			drop(F.AvgPool3d(vol, 3, F.Strides{2}, F.Padding(1), F.CeilMode(true), F.CountIncludePad(false),
				F.DivisorOverride(3)))
		}},
		"LPPool1d": {func() { drop(F.LPPool1d(seq, 2, 3)) }, func() {
			drop(F.LPPool1d(seq, 2, 3, F.Stride(2), F.Strides{3}, F.CeilMode(true)))
		}},
		"LPPool2d": {func() { drop(F.LPPool2d(img, 2, 3)) }, func() {
			drop(F.LPPool2d(img, 2, 3, F.Stride(2), F.Strides{3}, F.CeilMode(true)))
		}},
		"LPPool3d": {func() { drop(F.LPPool3d(vol, 2, 3)) }, func() {
			drop(F.LPPool3d(vol, 2, 3, F.Stride(2), F.Strides{3}, F.CeilMode(true)))
		}},
		"FractionalMaxPool2d": {func() { drop(F.FractionalMaxPool2d(img, 2, F.OutputSize(3))) }, func() {
			drop(F.FractionalMaxPool2d(img, 2, F.OutputSize(3), F.OutputSizes{3, 2}, F.RandomSamples(places2)))
		}},
		"FractionalMaxPool3d": {func() { drop(F.FractionalMaxPool3d(vol, 2, F.OutputRatio(0.5))) }, func() {
			drop(F.FractionalMaxPool3d(vol, 2, F.OutputRatio(0.5), F.OutputRatios{0.5, 0.4, 0.3},
				F.RandomSamples(places3)))
		}},
		"FractionalMaxPool2dWithIndices": {func() {
			two(F.FractionalMaxPool2dWithIndices(img, 2, F.OutputRatio(0.5)))
		}, func() {
			two(F.FractionalMaxPool2dWithIndices(img, 2, F.OutputRatio(0.5), F.OutputRatios{0.5, 0.4},
				F.RandomSamples(places2)))
		}},
		"FractionalMaxPool3dWithIndices": {func() {
			two(F.FractionalMaxPool3dWithIndices(vol, 2, F.OutputSize(3)))
		}, func() {
			two(F.FractionalMaxPool3dWithIndices(vol, 2, F.OutputSize(3), F.OutputSizes{3, 2, 2},
				F.RandomSamples(places3)))
		}},
		"MaxUnpool1d": {func() { drop(F.MaxUnpool1d(seq, at1, 3)) }, func() {
			drop(F.MaxUnpool1d(seq, at1, 3, F.Stride(2), F.Strides{3}, F.Padding(1), F.Paddings{0}, F.OutputSizes{28}))
		}},
		"MaxUnpool2d": {func() { drop(F.MaxUnpool2d(img, at2, 3)) }, func() {
			drop(F.MaxUnpool2d(img, at2, 3, F.Stride(2), F.Strides{3}, F.Padding(1), F.Paddings{0},
				F.OutputSizes{22, 24}))
		}},
		"MaxUnpool3d": {func() { drop(F.MaxUnpool3d(vol, at3, 3)) }, func() {
			drop(F.MaxUnpool3d(vol, at3, 3, F.Stride(2), F.Strides{3}, F.Padding(1), F.Paddings{0},
				F.OutputSizes{1, 2, 22, 22, 21}))
		}},
		"Unfold": {func() { drop(F.Unfold(img, 2)) }, func() {
			drop(F.Unfold(img, 2, F.Dilation(2), F.Dilations{1, 2}, F.Padding(1), F.Paddings{0, 1}, F.Stride(2),
				F.Strides{1, 2}))
		}},
		"Fold": {func() { drop(F.Fold(columns, []int64{4, 5}, 2)) }, func() {
			drop(F.Fold(columns, []int64{4, 5}, 2, F.Dilation(1), F.Dilations{1}, F.Padding(0), F.Paddings{0},
				F.Stride(1), F.Strides{1}))
		}},
	}
}
