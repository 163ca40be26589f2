package nn_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// Layers that PyTorch's module database lacks give the same results as their functions,
// for each argument and setting. Other tests compare the functions with Python.
func TestUnlistedLayersAreTheirFunctions(t *testing.T) {
	scoped(t, func() {
		x, y, z := torch.Randn(torch.Shape{3, 8}), torch.Randn(torch.Shape{3, 8}), torch.Randn(torch.Shape{3, 8})
		line, image, box := torch.Randn(torch.Shape{2, 3, 7}), torch.Randn(torch.Shape{2, 4, 5, 6}),
			torch.Randn(torch.Shape{1, 2, 5, 5, 5})
		lines, at := F.MaxPool1dWithIndices(line, 3, F.Stride(2), F.Padding(1))
		boxes, where := F.MaxPool3dWithIndices(box, 3, F.Stride(2), F.Padding(1))
		far := func(a, b *torch.Tensor) *torch.Tensor { return F.PairwiseDistance(a, b, F.P(1)) }
		unpool1 := nn.NewMaxUnpool1d(3, nn.Stride(2), nn.Padding(1))
		unpool3 := nn.NewMaxUnpool3d(3, nn.Stride(2), nn.Padding(1))
		for name, c := range map[string][2]*torch.Tensor{
			"triplets": {
				nn.NewTripletMarginLoss(nn.Margin(20), nn.P(1.5), nn.Eps(0.5), nn.ReductionNone).Forward(x, y, z),
				F.TripletMarginLoss(x, y, z, F.Margin(20), F.P(1.5), F.Eps(0.5), F.ReductionNone),
			},
			"triplets of a distance": {
				nn.NewTripletMarginWithDistanceLoss(nn.DistanceFunction(far), nn.Margin(20), nn.ReductionSum).Forward(x,
					y, z),
				F.TripletMarginWithDistanceLoss(x, y, z, F.DistanceFunction(far), F.Margin(20), F.ReductionSum),
			},
			"unpool1d": {unpool1.Forward(lines, at), F.MaxUnpool1d(lines, at, 3, F.Stride(2), F.Padding(1))},
			"unpool1d size": {
				unpool1.ForwardWithOutputSize(lines, at, torch.Shape{8}),
				F.MaxUnpool1d(lines, at, 3, F.Stride(2), F.Padding(1), F.OutputSizes{8}),
			},
			"unpool3d": {unpool3.Forward(boxes, where), F.MaxUnpool3d(boxes, where, 3, F.Stride(2), F.Padding(1))},
			"unpool3d size": {
				unpool3.ForwardWithOutputSize(boxes, where, torch.Shape{6, 6, 6}),
				F.MaxUnpool3d(boxes, where, 3, F.Stride(2), F.Padding(1), F.OutputSizes{6, 6, 6}),
			},
			"bilinear": {
				nn.NewUpsamplingBilinear2d(nn.ScaleFactor(2)).Forward(image),
				F.Interpolate(image, F.ScaleFactor(2), F.ModeBilinear, F.AlignCorners(true)),
			},
			"nearest":  {nn.NewUpsamplingNearest2d(nn.Sizes{7, 9}).Forward(image), F.Interpolate(image, F.Sizes{7, 9})},
			"channels": {nn.NewChannelShuffle(2).Forward(image), F.ChannelShuffle(image, 2)},
			"unfold": {
				nn.NewUnfold(2, nn.Stride(3), nn.Padding(1), nn.Dilation(2)).Forward(image),
				F.Unfold(image, 2, F.Stride(3), F.Padding(1), F.Dilation(2)),
			},
		} {
			assert.True(t, c[0].Equal(c[1]), "%s: %v and %v", name, c[0].Shape(), c[1].Shape())
			assert.True(t, c[0].IsFinite().All().ItemBool(), name)
		}
	})
}
