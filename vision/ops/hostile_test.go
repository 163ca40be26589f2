package ops_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	torchops "github.com/gotorch/gotorch/torch/ops"
	"github.com/gotorch/gotorch/torchtest"
	"github.com/gotorch/gotorch/vision/ops"
)

// Invalid arguments cause typed errors, and leave nothing behind.
func TestInvalidArguments(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	zeros := func(shape ...int64) *torch.Tensor { return torch.Zeros(shape) }
	torch.Scope(func() {
		image, boxes, rois := zeros(2, 4, 5, 6), zeros(3, 4), zeros(3, 5)
		closed := zeros(1)
		require.NoError(t, closed.Close())
		box := func(v ...float32) *torch.Tensor { return torch.FromSlice(v, 1, 5) }
		weight, offset := zeros(2, 4, 3, 3), zeros(2, 18, 3, 4)
		deform := func(opts ...ops.DeformConv2dFuncOption) func() {
			return func() { ops.ApplyDeformConv2d(image, offset, weight, opts...) }
		}
		raw := func(name string, args ...any) func() {
			return func() { torchops.Call("torchvision::"+name, args...) }
		}
		ints := zeros(3, 4, 2, 2).To(torch.Int32)
		far := ints.Clone().Fill_(1000)
		for name, c := range map[string]struct {
			call func()
			kind error
		}{
			"nms nil":    {func() { ops.NMS(nil, boxes, 0.5) }, torch.ErrNil},
			"nms closed": {func() { ops.NMS(boxes, closed, 0.5) }, torch.ErrClosed},
			"nms shape":  {func() { ops.NMS(zeros(3, 5), zeros(3), 0.5) }, torch.ErrShape},
			"nms scalar": {func() { ops.NMS(zeros(), zeros(3), 0.5) }, torch.ErrShape},
			"nms scores": {func() { ops.NMS(boxes, zeros(2), 0.5) }, torch.ErrShape},
			"nms dtype":  {func() { ops.NMS(boxes, zeros(3).To(torch.Float64), 0.5) }, torch.ErrDType},
			"nms integers": {
				func() { ops.NMS(boxes.To(torch.Int64), zeros(3).To(torch.Int64), 0.5) }, torch.ErrDType,
			},
			"nms half": {
				func() { ops.NMS(boxes.To(torch.Float16), zeros(3).To(torch.Float16), 0.5) }, torch.ErrDType,
			},
			"batched shape": {func() { ops.BatchedNMS(boxes, zeros(3), zeros(2), 0.5) }, torch.ErrShape},
			"batched boxes": {func() { ops.BatchedNMS(zeros(2, 3, 4), zeros(3), zeros(3), 0.5) }, torch.ErrShape},
			"align rois":    {func() { ops.ApplyRoIAlign(image, boxes, 2) }, torch.ErrShape},
			"align image":   {func() { ops.ApplyRoIAlign(zeros(4, 5, 6), rois, 2) }, torch.ErrShape},
			"align dtype":   {func() { ops.ApplyRoIAlign(image, rois.To(torch.Float64), 2) }, torch.ErrDType},
			"align integers": {
				func() { ops.ApplyRoIAlign(image.To(torch.Int64), rois.To(torch.Int64), 2) }, torch.ErrDType,
			},
			"align size":     {func() { ops.ApplyRoIAlign(image, rois, -1) }, torch.ErrValue},
			"align sizes":    {func() { ops.ApplyRoIAlign(image, rois, []int64{1}) }, torch.ErrValue},
			"align type":     {func() { ops.ApplyRoIAlign(image, rois, "2") }, torch.ErrType},
			"align huge":     {func() { ops.ApplyRoIAlign(image, rois, 1<<40) }, torch.ErrValue},
			"align many":     {func() { ops.ApplyRoIAlign(image, rois, 1<<29) }, torch.ErrOutOfMemory},
			"align batch":    {func() { ops.ApplyRoIAlign(image, box(2, 0, 0, 1, 1), 2) }, torch.ErrIndex},
			"align negative": {func() { ops.ApplyRoIAlign(image, box(-1, 0, 0, 1, 1), 2) }, torch.ErrIndex},
			"align NaN image": {
				func() { ops.ApplyRoIAlign(image, box(float32(math.NaN()), 0, 0, 1, 1), 2) }, torch.ErrIndex,
			},
			"align large":   {func() { ops.ApplyRoIAlign(image, box(0, 0, 0, 1e30, 1e30), 2) }, torch.ErrValue},
			"align larger":  {func() { ops.ApplyRoIAlign(image, box(0, 0, 0, 1e6, 1e6), 2) }, torch.ErrValue},
			"align samples": {func() { ops.ApplyRoIAlign(image, rois, 2, ops.SamplingRatio(1<<29)) }, torch.ErrValue},
			"align ratio": {
				func() { ops.ApplyRoIAlign(image, rois, 2, ops.SamplingRatio(math.MaxInt64)) }, torch.ErrValue,
			},
			"align wide": {func() { ops.ApplyRoIAlign(image, box(0, 0, 0, 1e8, 1), 1) }, torch.ErrValue},
			"align device": {
				func() { ops.ApplyRoIAlign(image.To(torch.Meta), rois.To(torch.Meta), 2) }, torch.ErrNotImplemented,
			},
			"pool batch":      {func() { ops.ApplyRoIPool(image, box(7, 0, 0, 1, 1), 2) }, torch.ErrIndex},
			"pool rois":       {func() { ops.ApplyRoIPool(image, zeros(5), 2) }, torch.ErrShape},
			"ps batch":        {func() { ops.ApplyPSRoIPool(image, box(7, 0, 0, 1, 1), 2) }, torch.ErrIndex},
			"ps channels":     {func() { ops.ApplyPSRoIAlign(image, rois, 3) }, torch.ErrShape},
			"ps pool size":    {func() { ops.ApplyPSRoIPool(image, rois, 0) }, torch.ErrValue},
			"ps align batch":  {func() { ops.ApplyPSRoIAlign(image, box(2, 0, 0, 1, 1), 2) }, torch.ErrIndex},
			"rois":            {func() { ops.RoIs(nil) }, torch.ErrValue},
			"rois shape":      {func() { ops.RoIs([]*torch.Tensor{boxes, rois}) }, torch.ErrShape},
			"deform stride":   {deform(ops.Stride(0)), torch.ErrValue},
			"deform padding":  {deform(ops.Padding(-1)), torch.ErrValue},
			"deform dilation": {deform(ops.Dilation(math.MaxInt64)), torch.ErrValue},
			"deform offset":   {deform(ops.Padding(1)), torch.ErrShape},
			"deform small":    {deform(ops.Dilation(9)), torch.ErrShape},
			"deform mask":     {deform(ops.Mask(zeros(2, 9, 3, 3))), torch.ErrShape},
			"deform mask dim": {deform(ops.Mask(zeros(3))), torch.ErrShape},
			"deform bias":     {deform(ops.WithBias(zeros(3))), torch.ErrShape},
			"deform dtype":    {deform(ops.WithBias(zeros(2).To(torch.Float64))), torch.ErrDType},
			"deform image":    {func() { ops.ApplyDeformConv2d(zeros(5, 6), offset, weight) }, torch.ErrShape},
			"deform weight":   {func() { ops.ApplyDeformConv2d(image, offset, zeros(2, 5, 3, 3)) }, torch.ErrShape},
			"deform kernel":   {func() { ops.ApplyDeformConv2d(image, offset, zeros(2, 4, 0, 3)) }, torch.ErrShape},
			"deform groups": {
				raw("deform_conv2d", image, weight, offset, zeros(2, 1), zeros(2), 1, 1, 0, 0, 1, 1, 0, 1, false),
				torch.ErrValue,
			},
			"deform grad": {
				raw("_deform_conv2d_backward", zeros(2, 2, 3, 3), image, weight, offset, zeros(2, 1), zeros(2), 1,
					1, 0, 0, 1, 1, 1, 1, false), torch.ErrShape,
			},
			"align grad": {
				raw("_roi_align_backward", zeros(3, 4, 2, 2), rois, 1.0, 2, 2, 2, 3, 5, 6, -1, false), torch.ErrShape,
			},
			"align grad size": {
				raw("_roi_align_backward", zeros(3, 4, 2, 2), rois, 1.0, 2, 2, 2, 4, 1<<40, 6, -1, false),
				torch.ErrValue,
			},
			"align grad batch": {
				raw("_roi_align_backward", zeros(3, 4, 2, 2), rois, 1.0, 2, 2, 0, 4, 5, 6, -1, false), torch.ErrIndex,
			},
			"pool grad": {
				raw("_roi_pool_backward", zeros(3, 4, 2, 2), rois, far, 1.0, 2, 2, 2, 4, 5, 6), torch.ErrIndex,
			},
			"pool grad dtype": {
				raw("_roi_pool_backward", zeros(3, 4, 2, 2), rois, zeros(3, 4, 2, 2), 1.0, 2, 2, 2, 4, 5, 6),
				torch.ErrDType,
			},
			"ps grad": {
				raw("_ps_roi_pool_backward", zeros(3, 4, 2, 2), rois, far, 1.0, 2, 2, 2, 16, 5, 6), torch.ErrIndex,
			},
			"ps align grad": {
				raw("_ps_roi_align_backward", zeros(3, 4, 2, 2), rois, ints.Narrow(0, 0, 1), 1.0, 2, 2, 1, 2, 16, 5, 6),
				torch.ErrShape,
			},
			"area":          {func() { ops.BoxArea(zeros(3)) }, torch.ErrShape},
			"area format":   {func() { ops.BoxArea(boxes, ops.FmtXYWHR) }, torch.ErrValue},
			"area complex":  {func() { ops.BoxArea(boxes.To(torch.Complex64)) }, torch.ErrDType},
			"iou":           {func() { ops.BoxIoU(boxes, zeros(4)) }, torch.ErrShape},
			"iou nil":       {func() { ops.GeneralizedBoxIoU(boxes, nil) }, torch.ErrNil},
			"convert":       {func() { ops.BoxConvert(boxes, ops.FmtXYXY, ops.FmtXYWHR) }, torch.ErrValue},
			"convert shape": {func() { ops.BoxConvert(boxes, ops.FmtXYWHR, ops.FmtCXCYWHR) }, torch.ErrShape},
			"loss":          {func() { ops.CompleteBoxIoULoss(boxes, zeros(2, 4)) }, torch.ErrShape},
			"focal":         {func() { ops.SigmoidFocalLoss(boxes, zeros(2, 4)) }, torch.ErrShape},
			"clip":          {func() { ops.ClipBoxesToImage(zeros(), 3, 3) }, torch.ErrShape},
			"masks":         {func() { ops.MasksToBoxes(zeros(3, 3)) }, torch.ErrShape},
			"drop p":        {func() { ops.ApplyDropBlock2d(image, 2, 3) }, torch.ErrValue},
			"drop size":     {func() { ops.ApplyDropBlock2d(image, 0.5, 2) }, torch.ErrValue},
			"drop block":    {func() { ops.ApplyDropBlock2d(image, 0.5, math.MinInt64) }, torch.ErrValue},
			"drop shape":    {func() { ops.ApplyDropBlock3d(image, 0.5, 3) }, torch.ErrShape},
			"drop layer":    {func() { ops.NewDropBlock2d(-1, 3) }, torch.ErrValue},
			"pyramid":       {func() { ops.NewFeaturePyramidNetwork(nil, 3) }, torch.ErrValue},
			"pyramid zero":  {func() { ops.NewFeaturePyramidNetwork([]int64{1, 0}, 3) }, torch.ErrValue},
			"frozen":        {func() { ops.NewFrozenBatchNorm2d(-1) }, torch.ErrValue},
			"pooler": {func() {
				ops.NewMultiScaleRoIAlign([]string{"a"}, 2, 2).Forward(nil, []*torch.Tensor{boxes}, [][2]int64{{5, 6}})
			}, torch.ErrValue},
			"pooler map": {func() {
				ops.NewMultiScaleRoIAlign([]string{"a"}, 2, 2).Forward([]nn.NamedTensor{{Name: "a", Tensor: boxes}},
					[]*torch.Tensor{boxes}, [][2]int64{{5, 6}})
			}, torch.ErrShape},
		} {
			require.ErrorIs(t, torch.Try(c.call), c.kind, name)
		}
	})
}

// Empty and unusual arguments have torchvision's results.
func TestUnusualArguments(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		image := torch.Randn(torch.Shape{2, 4, 5, 6})
		nobody := torch.Zeros(torch.Shape{0, 5})
		assert.Equal(t, torch.Shape{0, 4, 3, 3}, ops.ApplyRoIAlign(image, nobody, 3).Shape())
		assert.Equal(t, torch.Shape{0, 4, 3, 3}, ops.ApplyRoIPool(image, nobody, 3).Shape())
		assert.Equal(t, torch.Shape{0, 1, 2, 2}, ops.ApplyPSRoIAlign(image, nobody, 2).Shape())
		assert.Equal(t, torch.Shape{1, 4, 0, 0}, ops.ApplyRoIAlign(image, torch.Zeros(torch.Shape{1, 5}), 0).Shape())
		nan := float32(math.NaN())
		inf := float32(math.Inf(1))
		for _, b := range [][]float32{
			{0, nan, 0, 1, 1}, {0, nan, nan, nan, nan}, {1, -1e30, -1e30, -1e29, 3}, {1, 5, 5, 1, 1},
		} {
			roi := torch.FromSlice(b, 1, 5)
			y := ops.ApplyRoIAlign(image, roi, 2, ops.SamplingRatio(2))
			assert.Zero(t, y.IsNaN().Sum().Item(), "%v", b)
			ops.ApplyRoIPool(image, roi, 2)
			ops.ApplyPSRoIPool(image, roi, 2)
			ops.ApplyPSRoIAlign(image, roi, 2, ops.SamplingRatio(2))
		}
		// A box without a height has no samples, however wide it is.
		wide := torch.FromSlice([]float32{0, 0, 3, 2e9, 1}, 1, 5)
		assert.Zero(t, ops.ApplyRoIAlign(image, wide, 2, ops.Aligned(true)).Abs().Sum().Item())
		assert.Zero(t, ops.ApplyPSRoIAlign(image, wide, 2).Abs().Sum().Item())
		// Boxes with very many samples have the mean of all, whatever their number.
		large := torch.FromSlice([]float32{0, 0, 0, 6, 5}, 1, 5).To(torch.Float64)
		few := ops.ApplyRoIAlign(image.To(torch.Float64), large, 2, ops.SamplingRatio(400))
		many := ops.ApplyRoIAlign(image.To(torch.Float64), large, 2, ops.SamplingRatio(600))
		assert.Less(t, few.Sub(many).Abs().Max().Item(), 0.01)
		ops.ApplyRoIPool(image, torch.FromSlice([]float32{0, -inf, -inf, inf, inf}, 1, 5), 2)
		ops.ApplyPSRoIPool(image, torch.FromSlice([]float32{0, inf, nan, inf, inf}, 1, 5), 2)
		empty := ops.ApplyRoIAlign(torch.Zeros(torch.Shape{2, 4, 0, 6}), torch.Zeros(torch.Shape{1, 5}), 2)
		assert.Zero(t, empty.Abs().Sum().Item())

		// Views are read as their elements.
		rois := torch.FromSlice([]float32{0, 1, 1, 4, 3, 1, 0, 0, 5, 4}, 2, 5)
		turned := image.Transpose(2, 3).Contiguous().Transpose(2, 3)
		assert.True(t, ops.ApplyRoIAlign(image, rois, 2).Equal(ops.ApplyRoIAlign(turned, rois.T().Contiguous().T(), 2)))

		// Offsets that are not finite sample nothing.
		weight, offset := torch.Ones(torch.Shape{2, 4, 3, 3}), torch.Full(torch.Shape{2, 18, 3, 4}, nan)
		for _, v := range []float32{nan, inf, -inf, 1e30, -1e30} {
			x, o := image.Clone().RequiresGrad_(), offset.Clone().Fill_(v).RequiresGrad_()
			y := ops.ApplyDeformConv2d(x, o, weight)
			assert.Zero(t, y.Detach().Abs().Sum().Item())
			y.Sum().Backward()
			assert.Zero(t, x.Grad().Abs().Sum().Item())
		}
		for _, reduction := range []ops.Reduction{ops.ReductionMean, ops.ReductionSum} {
			b := torch.Zeros(torch.Shape{0, 4})
			assert.Zero(t, ops.GeneralizedBoxIoULoss(b, b, reduction).Item())
		}
		none, three := torch.Zeros(torch.Shape{0, 4}), torch.Zeros(torch.Shape{3, 4})
		assert.Equal(t, torch.Shape{0, 3}, ops.BoxIoU(none, three).Shape())
	})
}

// A backward pass has no second derivative.
func TestSecondDerivative(t *testing.T) {
	torch.Scope(func() {
		x := torch.Randn(torch.Shape{1, 1, 4, 4}).RequiresGrad_()
		roi := torch.FromSlice([]float32{0, 0, 0, 3, 3}, 1, 5)
		y := ops.ApplyRoIAlign(x.Mul(x), roi, 2)
		err := torch.Try(func() {
			g := torchops.Call("torchvision::_roi_align_backward", y, roi, 1.0, 2, 2, 1, 1, 4, 4, -1,
				false).(*torch.Tensor)
			g.Sum().Backward()
		})
		require.ErrorIs(t, err, torch.ErrAutograd)
	})
}
