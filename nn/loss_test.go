package nn_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

func TestCriteria(t *testing.T) {
	scoped(t, func() {
		x, y := torch.Rand(torch.Shape{3, 4}), torch.Rand(torch.Shape{3, 4})
		classes := torch.FromSlice([]int64{0, 3, 1})
		for _, c := range []struct {
			loss interface {
				nn.Module
				Forward(input, target *torch.Tensor) *torch.Tensor
			}
			target *torch.Tensor
			want   *torch.Tensor
		}{
			{nn.NewCrossEntropyLoss(), classes, F.CrossEntropy(x, classes)},
			{nn.NewNLLLoss(), classes, F.NLLLoss(x, classes)},
			{nn.NewMSELoss(nn.ReductionSum), y, F.MSELoss(x, y, F.ReductionSum)},
			{nn.NewL1Loss(), y, F.L1Loss(x, y)},
			{nn.NewSmoothL1Loss(), y, F.SmoothL1Loss(x, y)},
			{nn.NewHuberLoss(), y, F.HuberLoss(x, y)},
			{nn.NewBCELoss(), y, F.BinaryCrossEntropy(x, y)},
			{nn.NewBCEWithLogitsLoss(), y, F.BinaryCrossEntropyWithLogits(x, y)},
			{nn.NewKLDivLoss(), y, F.KLDiv(x, y)},
		} {
			assert.InDelta(t, c.want.Item(), c.loss.Forward(x, c.target).Item(), 0)
		}
	})
}
