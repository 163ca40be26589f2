package transforms_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
	tv "github.com/gotorch/gotorch/vision/transforms"
)

// The tensors of a result are attributed to the program's line that calls the transform.
func TestLinesOfTransforms(t *testing.T) {
	torch.Scope(func() {
		s := samples["xyxy"]()
		f := tv.NewCompose(tv.NewRandomZoomOut(tv.P(1)), tv.NewResize(10), tv.NewSanitizeBoundingBoxes())
		defer memory.TrackTensors(memory.TrackTensors(1))
		y := f.Forward(s)
		assert.NotNil(t, y.Image)
		seen := 0
		for _, x := range memory.LiveTensors() {
			assert.Contains(t, x.Line(), "lines_test.go:")
			seen++
		}
		assert.GreaterOrEqual(t, seen, 5)
	})
}
