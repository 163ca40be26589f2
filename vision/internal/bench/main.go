// Command bench measures the speed of a ResNet-18, for the vision.* rows of the
// benchmarks. Its reference.py does the same in Python. It measures a forward pass in
// evaluation mode without gradients, and a training step with SGD. It measures both a
// second time in the channels-last format. The batch has four images of 224 x 224, or the
// number given by -images. It also measures operators on boxes. It prints one line, in
// nanoseconds:
//
//	bench infer=1 train=2 infer_channels_last=3 train_channels_last=4 nms=5 roi_align=6 deform=7 detect=8
package main

import (
	"flag"
	"fmt"
	"time"

	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/vision/models"
)

func main() {
	threads := flag.Int("threads", torch.NumThreads(), "threads per operator")
	images := flag.Int64("images", 4, "number of images in a batch")
	flag.Parse()
	torch.SetNumThreads(*threads)
	inferred, trained := measure(torch.ContiguousFormat, *images)
	inferredLast, trainedLast := measure(torch.ChannelsLast, *images)
	boxes := measureBoxes()
	fmt.Printf("bench infer=%d train=%d infer_channels_last=%d train_channels_last=%d nms=%d roi_align=%d deform=%d "+
		"detect=%d\n", inferred, trained, inferredLast, trainedLast, boxes.nms, boxes.align, boxes.deform, boxes.detect)
}

// measure returns the nanoseconds of a forward pass and of a training step.
func measure(format torch.MemoryFormat, n int64) (infer, train int64) {
	torch.ManualSeed(0)
	model := models.NewResNet18()
	defer model.Close()
	model.To(format)
	opt := optim.NewSGD(model.Parameters(), optim.LR(0.01), optim.Momentum(0.9))
	defer opt.Close()
	images := torch.Randn(torch.Shape{n, 3, 224, 224})
	defer images.Close()
	x := images.To(format)
	defer x.Close()
	target := torch.RandInt(0, 1000, torch.Shape{n})
	defer target.Close()

	model.Eval()
	torch.NoGrad(func() {
		infer = timed(10, func() { torch.Scope(func() { model.Forward(x) }) })
	})
	model.Train()
	train = timed(5, func() {
		torch.Scope(func() {
			loss := F.CrossEntropy(model.Forward(x), target)
			opt.ZeroGrad()
			loss.Backward()
			opt.Step()
		})
	})
	return infer, train
}

// timed returns the mean duration of n calls of fn in nanoseconds, after two calls to warm
// up.
func timed(n int64, fn func()) int64 {
	fn()
	fn()
	start := time.Now()
	for range n {
		fn()
	}
	return time.Since(start).Nanoseconds() / n
}
