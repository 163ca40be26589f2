package main

import (
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/vision/models/detection"
	"github.com/gotorch/gotorch/vision/ops"
)

// boxOps are the times of operators on boxes, and of a detector, in nanoseconds.
type boxOps struct{ nms, align, deform, detect int64 }

// measureBoxes measures the choice among 2,000 boxes, a forward and a backward pass of
// RoIAlign with 500 boxes and of a deformable convolution, and the detection in one image
// with SSDlite.
func measureBoxes() (t boxOps) {
	torch.ManualSeed(0)
	torch.Scope(func() {
		corners := torch.Rand(torch.Shape{2000, 2}).MulScalar(200)
		boxes := torch.Cat([]*torch.Tensor{corners, corners.Add(torch.Rand(torch.Shape{2000, 2}).MulScalar(60))}, 1)
		scores := torch.Rand(torch.Shape{2000})
		t.nms = timed(20, func() { torch.Scope(func() { ops.NMS(boxes, scores, 0.5) }) })

		x := torch.Randn(torch.Shape{2, 64, 64, 64})
		x.SetRequiresGrad(true)
		image := torch.RandInt(0, 2, torch.Shape{500, 1}).Float()
		rois := torch.Cat([]*torch.Tensor{image, boxes.Narrow(0, 0, 500)}, 1)
		t.align = timed(10, func() {
			torch.Scope(func() {
				ops.ApplyRoIAlign(x, rois, 7, ops.SpatialScale(0.25), ops.SamplingRatio(2)).Sum().Backward()
				x.SetGrad(nil)
			})
		})

		y := torch.Randn(torch.Shape{2, 16, 32, 32})
		y.SetRequiresGrad(true)
		offset, weight := torch.Randn(torch.Shape{2, 18, 30, 30}), torch.Randn(torch.Shape{32, 16, 3, 3})
		t.deform = timed(10, func() {
			torch.Scope(func() {
				ops.ApplyDeformConv2d(y, offset, weight).Sum().Backward()
				y.SetGrad(nil)
			})
		})

		model := detection.NewSSDLite320MobileNetV3Large(detection.NumClasses(10))
		defer model.Close()
		model.Eval()
		photo := torch.Rand(torch.Shape{3, 240, 320})
		torch.NoGrad(func() {
			t.detect = timed(5, func() { torch.Scope(func() { model.Detect([]*torch.Tensor{photo}) }) })
		})
	})
	return t
}
