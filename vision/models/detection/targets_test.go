package detection_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
	"github.com/gotorch/gotorch/vision/models/detection"
)

// Targets from which a model could not learn cause errors, not losses.
func TestInvalidTargets(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	nan, inf := math.NaN(), math.Inf(1)
	boxes := func(b ...float64) func(t *detection.Target) {
		return func(t *detection.Target) { t.Boxes = torch.FromSlice(b, 1, 4) }
	}
	labels := func(l int64) func(t *detection.Target) {
		return func(t *detection.Target) { t.Labels = torch.FromSlice([]int64{l}) }
	}
	for name, m := range map[string]interface {
		Losses(images []*torch.Tensor, targets []detection.Target) detection.Losses
		Close() error
	}{
		"mask": detection.NewMaskRCNNResNet50FPN(detection.NumClasses(3)),
		"keypoint": detection.NewKeypointRCNNResNet50FPN(detection.NumClasses(3), detection.NumKeypoints(5),
			detection.MinSize(64)),
	} {
		torch.Scope(func() {
			for _, c := range []struct {
				name   string
				only   string
				change func(t *detection.Target)
				kind   error
			}{
				{"NaN", "", boxes(nan, 1, 3, 4), torch.ErrValue},
				{"NaN corner", "", boxes(1, 1, nan, nan), torch.ErrValue},
				{"infinite", "", boxes(-inf, 1, 3, 4), torch.ErrValue},
				{"infinite corner", "", boxes(1, 1, inf, 4), torch.ErrValue},
				{"no width", "", boxes(1, 1, 1, 4), torch.ErrValue},
				{"negative label", "", labels(-1), torch.ErrIndex},
				{"large label", "", labels(3), torch.ErrIndex},
				{"masks", "mask", func(t *detection.Target) {
					t.Masks = torch.Ones(torch.Shape{1, 7, 8})
				}, torch.ErrShape},
				{"mask of bytes", "mask", func(t *detection.Target) {
					t.Masks = torch.Full(torch.Shape{1, 8, 8}, 255, torch.Uint8)
				}, torch.ErrValue},
				{"keypoints", "keypoint", func(t *detection.Target) {
					t.Keypoints = torch.Ones(torch.Shape{1, 3, 3})
				}, torch.ErrShape},
			} {
				if c.only != "" && c.only != name {
					continue
				}
				target := detection.Target{
					Boxes: torch.FromSlice([]float64{1, 1, 5, 6}, 1, 4), Labels: torch.FromSlice([]int64{1}),
					Masks: torch.Ones(torch.Shape{1, 8, 8}), Keypoints: torch.Ones(torch.Shape{1, 5, 3}),
				}
				c.change(&target)
				err := torch.Try(func() {
					m.Losses([]*torch.Tensor{torch.Zeros(torch.Shape{3, 8, 8})}, []detection.Target{target})
				})
				require.ErrorIs(t, err, c.kind, "%s: %s", name, c.name)
			}
		})
		require.NoError(t, m.Close())
	}
}

// Boxes may have any floating-point dtype.
func TestHalfBoxes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	m := detection.NewFCOSResNet50FPN(detection.NumClasses(3), detection.MinSize(64), detection.MaxSize(64))
	defer m.Close()
	torch.Scope(func() {
		images := []*torch.Tensor{torch.Zeros(torch.Shape{3, 64, 64}), torch.Zeros(torch.Shape{3, 64, 64})}
		var sums []float64
		for _, d := range []torch.DType{torch.Float32, torch.Float16, torch.BFloat16} {
			target := detection.Target{
				Boxes: torch.FromSlice([]float32{5, 5, 40, 40}, 1, 4).To(d), Labels: torch.FromSlice([]int64{1}),
			}
			torch.NoGrad(func() {
				sums = append(sums, m.Losses(images, []detection.Target{target, target}).Sum().Item())
			})
		}
		require.InDelta(t, sums[0], sums[1], 1e-3)
		require.InDelta(t, sums[0], sums[2], 1e-3)
	})
}
