package detection_test

import (
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
	"github.com/gotorch/gotorch/vision/models/detection"
	"github.com/gotorch/gotorch/vision/ops"
)

// small returns a small model.
func small() *detection.SSD {
	return detection.NewSSDLite320MobileNetV3Large(detection.NumClasses(3), detection.DetectionsPerImg(5))
}

// Invalid images and targets cause typed errors, and leave nothing behind.
func TestInvalidArguments(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	ssd := small()
	defer ssd.Close()
	rcnn := detection.NewFasterRCNNMobileNetV3Large320FPN(detection.NumClasses(3), detection.MinSize(64))
	defer rcnn.Close()
	torch.Scope(func() {
		image := torch.Rand(torch.Shape{3, 40, 40})
		target := func(boxes []float32, labels []int64) detection.Target {
			return detection.Target{
				Boxes: torch.FromSlice(boxes, int64(len(boxes))/4, 4), Labels: torch.FromSlice(labels),
			}
		}
		good := target([]float32{1, 1, 20, 20}, []int64{1})
		list := func(ts ...*torch.Tensor) []*torch.Tensor { return ts }
		lose := func(t detection.Target) func() {
			return func() { ssd.Losses(list(image, image), []detection.Target{t, good}) }
		}
		for name, c := range map[string]struct {
			call func()
			kind error
		}{
			"no images":  {func() { ssd.Losses(nil, nil) }, torch.ErrValue},
			"no targets": {func() { ssd.Losses(list(image), nil) }, torch.ErrValue},
			"nil image":  {func() { ssd.Losses(list(nil), []detection.Target{good}) }, torch.ErrNil},
			"a batch":    {func() { ssd.Losses(list(image.Unsqueeze(0)), []detection.Target{good}) }, torch.ErrShape},
			"gray": {
				func() { ssd.Losses(list(image.Narrow(0, 0, 2)), []detection.Target{good}) }, torch.ErrShape,
			},
			"bytes":      {func() { ssd.Losses(list(image.Byte()), []detection.Target{good}) }, torch.ErrDType},
			"evaluation": {func() { ssd.Detect(list(image)) }, torch.ErrValue},
			"no boxes":   {lose(detection.Target{Labels: good.Labels}), torch.ErrNil},
			"no labels":  {lose(detection.Target{Boxes: good.Boxes}), torch.ErrNil},
			"box shape":  {lose(detection.Target{Boxes: image, Labels: good.Labels}), torch.ErrShape},
			"box dtype": {
				lose(detection.Target{Boxes: good.Boxes.To(torch.Int64), Labels: good.Labels}), torch.ErrDType,
			},
			"labels": {lose(target([]float32{1, 1, 20, 20}, []int64{1, 2})), torch.ErrShape},
			"label type": {
				lose(detection.Target{Boxes: good.Boxes, Labels: torch.Ones(torch.Shape{1})}), torch.ErrDType,
			},
			"label":      {lose(target([]float32{1, 1, 20, 20}, []int64{7})), torch.ErrIndex},
			"negative":   {lose(target([]float32{1, 1, 20, 20}, []int64{-7})), torch.ErrIndex},
			"degenerate": {lose(target([]float32{1, 1, 20, 20, 5, 5, 5, 9}, []int64{1, 1})), torch.ErrValue},
			"option":     {func() { detection.NewSSD300VGG16(nil) }, torch.ErrNil},
			"model":      {func() { panic(second(detection.GetModel("resnet18"))) }, torch.ErrValue},
			"no loss":    {func() { detection.Losses{}.Sum() }, torch.ErrValue},
			"which loss": {func() { detection.Losses{}.Get("loss") }, torch.ErrValue},
			"anchors":    {func() { detection.NewAnchorGenerator(nil, nil) }, torch.ErrValue},
		} {
			require.ErrorIs(t, torch.Try(c.call), c.kind, name)
		}
		// Huge boxes are not errors. See TestInvalidTargets for those that are not finite.
		huge := target([]float32{-1e30, -1e30, 1e30, 1e30}, []int64{1})
		lose(huge)()
		rcnn.Losses(list(image), []detection.Target{huge})
		// An image may have no objects.
		none := detection.Target{
			Boxes: torch.Zeros(torch.Shape{0, 4}), Labels: torch.Zeros(torch.Shape{0}, torch.Int64),
		}
		for _, m := range []detection.Model{ssd, rcnn} {
			losses := m.Losses(list(image, image), []detection.Target{none, good})
			losses.Sum().Backward()
			assert.False(t, math.IsNaN(losses.Sum().Item()))
			m.Losses(list(image, image), []detection.Target{none, none}).Sum().Backward()
			m.ModuleBase().Eval()
			torch.NoGrad(func() {
				m.Detect(list(torch.Full(torch.Shape{3, 1, 50}, math.NaN())))
				for _, d := range m.Detect(list(image, torch.Zeros(torch.Shape{3, 30, 200}))) {
					require.NoError(t, d.Close())
				}
			})
		}
		require.ErrorIs(t, torch.Try(lose(good)), torch.ErrValue)
	})
}

func second(_ detection.Model, err error) error { return err }

// Any number of goroutines may use a model.
func TestDetectConcurrently(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	m := small()
	defer m.Close()
	m.Eval()
	image := torch.Rand(torch.Shape{3, 50, 60})
	defer image.Close()
	var wait sync.WaitGroup
	results := make([][]float32, 2)
	for i := range results {
		wait.Add(1)
		go func() {
			defer wait.Done()
			torch.NoGrad(func() {
				torch.Scope(func() { results[i] = m.Detect([]*torch.Tensor{image})[0].Scores.Float32s() })
			})
		}()
	}
	wait.Wait()
	assert.Equal(t, results[0], results[1])
	assert.Len(t, results[0], 5)
}

// Files with old names load, and those of models with constant normalizations have no counts of batches.
func TestLoad(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.WithDevice(torch.Meta, func() {
		for _, c := range []struct {
			model string
			names *strings.Replacer
		}{
			{"maskrcnn_resnet50_fpn", strings.NewReplacer("rpn.head.conv.0.0.", "rpn.head.conv.",
				"mask_head.0.0", "mask_head.mask_fcn1", "mask_head.1.0", "mask_head.mask_fcn2",
				"mask_head.2.0", "mask_head.mask_fcn3", "mask_head.3.0", "mask_head.mask_fcn4",
				"inner_blocks.0.0", "inner_blocks.0", "layer_blocks.3.0", "layer_blocks.3")},
			{"retinanet_resnet50_fpn", strings.NewReplacer("head.conv.1.0", "head.conv.2",
				"head.conv.2.0", "head.conv.4",
				"head.conv.3.0", "head.conv.6", "head.conv.0.0", "head.conv.0")},
		} {
			m, err := detection.GetModel(c.model, detection.Pretrained(true))
			require.NoError(t, err)
			defer m.ModuleBase().Close()
			sd := m.ModuleBase().StateDict()
			for i := range sd {
				sd[i].Name = c.names.Replace(sd[i].Name)
			}
			require.NoError(t, m.ModuleBase().LoadStateDict(sd), c.model)
			plain, err := detection.GetModel(c.model)
			require.NoError(t, err)
			defer plain.ModuleBase().Close()
			require.NoError(t, plain.ModuleBase().LoadStateDict(sd), c.model)
			detection.OverwriteEps(m, 0)
			for _, l := range nn.Modules(m) {
				if f, ok := l.(*ops.FrozenBatchNorm2d); ok {
					assert.Zero(t, f.Eps)
				}
			}
		}
	})
}
