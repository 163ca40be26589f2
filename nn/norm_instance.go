package nn

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// normInstance normalizes x, which has dims spatial dimensions, one for the channels, and
// optionally one for the batch.
func (l *NormBase) normInstance(op string, x *torch.Tensor, dims int64) *torch.Tensor {
	x.HandleFor(op, 0)
	d := x.Dim()
	if d != dims+1 && d != dims+2 {
		panic(torch.NewError(op, torch.ErrShape, "input",
			fmt.Sprintf("expected %d or %d dimensions, got size %v", dims+1, dims+2, x.Shape())))
	}
	if got := x.Size(d - dims - 1); got != l.NumFeatures {
		if l.Affine {
			panic(torch.NewError(op, torch.ErrShape, "input",
				fmt.Sprintf("expected %d channels, got size %v", l.NumFeatures, x.Shape())))
		}
		cgotorch.Warn(fmt.Sprintf("input's size at dim=%d does not match num_features. You can silence this warning "+
			"by not passing in num_features, "+
			"which is not used because affine=False", d-dims-1))
	}
	apply := func(x *torch.Tensor) *torch.Tensor {
		return F.InstanceNorm(x, l.RunningMean, l.RunningVar, l.Weight, l.Bias,
			F.UseInputStats(l.Training() || !l.TrackRunningStats || l.RunningMean == nil), F.Momentum(l.momentum()),
			F.Eps(l.Eps))
	}
	if d == dims+2 {
		return apply(x)
	}
	batch := x.Unsqueeze(0)
	defer func() { _ = batch.Close() }()
	y := apply(batch)
	defer func() { _ = y.Close() }()
	return y.Squeeze(0)
}

// InstanceNorm1d normalizes each channel of each sequence in a batch. Follows
// torch.nn.InstanceNorm1d.
type InstanceNorm1d struct{ NormBase }

// NewInstanceNorm1d makes an InstanceNorm1d for the given number of channels, without
// Weight and Bias unless Affine(true) is given, and without running statistics unless
// TrackRunningStats(true) is. It panics with ErrValue for a number that is negative
// or too large. Follows torch.nn.InstanceNorm1d.
func NewInstanceNorm1d(channels int64, opts ...InstanceNormOption) *InstanceNorm1d {
	l := new(InstanceNorm1d)
	buildNorm(&l.NormBase, l, "NewInstanceNorm1d", channels, false, opts)
	return l
}

// Forward takes x of shape (N, C, L) or (C, L). In training it uses the statistics of
// x; in evaluation it uses the running statistics if it tracks them. It panics with
// ErrShape for any other number of dimensions, or of channels if there is a Weight,
// and with ErrValue if there is only one value per channel.
func (l *InstanceNorm1d) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor { return l.normInstance("InstanceNorm1d(input)", x, 1) })
}

// InstanceNorm2d normalizes each channel of each image in a batch. Follows
// torch.nn.InstanceNorm2d.
type InstanceNorm2d struct{ NormBase }

// NewInstanceNorm2d makes an InstanceNorm2d for the given number of channels, without
// Weight and Bias unless Affine(true) is given, and without running statistics unless
// TrackRunningStats(true) is. It panics with ErrValue for a number that is negative
// or too large. Follows torch.nn.InstanceNorm2d.
func NewInstanceNorm2d(channels int64, opts ...InstanceNormOption) *InstanceNorm2d {
	l := new(InstanceNorm2d)
	buildNorm(&l.NormBase, l, "NewInstanceNorm2d", channels, false, opts)
	return l
}

// Forward takes x of shape (N, C, H, W) or (C, H, W). In training it uses the
// statistics of x; in evaluation it uses the running statistics if it tracks them. It
// panics with ErrShape for any other number of dimensions, or of channels if there is
// a Weight, and with ErrValue if there is only one value per channel.
func (l *InstanceNorm2d) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor { return l.normInstance("InstanceNorm2d(input)", x, 2) })
}

// InstanceNorm3d normalizes each channel of each volume in a batch. Follows
// torch.nn.InstanceNorm3d.
type InstanceNorm3d struct{ NormBase }

// NewInstanceNorm3d makes an InstanceNorm3d for the given number of channels, without
// Weight and Bias unless Affine(true) is given, and without running statistics unless
// TrackRunningStats(true) is. It panics with ErrValue for a number that is negative
// or too large. Follows torch.nn.InstanceNorm3d.
func NewInstanceNorm3d(channels int64, opts ...InstanceNormOption) *InstanceNorm3d {
	l := new(InstanceNorm3d)
	buildNorm(&l.NormBase, l, "NewInstanceNorm3d", channels, false, opts)
	return l
}

// Forward takes x of shape (N, C, D, H, W) or (C, D, H, W). In training it uses the
// statistics of x; in evaluation it uses the running statistics if it tracks them. It
// panics with ErrShape for any other number of dimensions, or of channels if there is
// a Weight, and with ErrValue if there is only one value per channel.
func (l *InstanceNorm3d) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor { return l.normInstance("InstanceNorm3d(input)", x, 3) })
}

func (*InstanceNorm1d) instanceNorm() {}
func (*InstanceNorm2d) instanceNorm() {}
func (*InstanceNorm3d) instanceNorm() {}
