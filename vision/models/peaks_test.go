package models_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/internal/again"
	"github.com/gotorch/gotorch/memory"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
	"github.com/gotorch/gotorch/vision/models"
)

// A forward pass without gradients, and a training step, need no more memory than in
// Python. testdata/make_peaks.py measured Python. Both measurements use only AVX2,
// because with newer instructions oneDNN needs different amounts of memory for
// convolutions.
func TestPeaks(t *testing.T) {
	if runtime.GOARCH != "amd64" || !strings.HasPrefix(cgotorch.Version(), "2.11.") {
		t.Skip("Python's peaks are those of libtorch 2.11 on amd64")
	}
	// libtorch reads this variable at the first convolution, so set it in a new process.
	if !again.With(t, "ONEDNN_MAX_CPU_ISA=AVX2") {
		return
	}
	defer torchtest.CheckLeaks(t)()
	threads := torch.NumThreads()
	torch.SetNumThreads(1)
	defer torch.SetNumThreads(threads)
	g := torchtest.LoadGoldens(t, "testdata/peaks.json")
	for _, name := range models.ListModels() {
		if !g.Has(name) {
			continue
		}
		var want [2]int64
		g.Decode(name, &want)
		m, err := models.GetModel(name, models.NumClasses(10))
		require.NoError(t, err)
		torch.Scope(func() {
			x, target := torch.Randn(torch.Shape{2, 3, 64, 64}), torch.FromSlice([]int64{1, 3}, 2)
			infer := func() { torch.NoGrad(func() { m.Forward(x) }) }
			step := func() {
				y := m.Forward(x)
				loss := F.CrossEntropy(y, target)
				_ = y.Close()
				loss.Backward()
			}
			m.Eval()
			peakOf(infer)
			got := [2]int64{peakOf(infer)}
			m.Train()
			peakOf(step)
			m.ZeroGrad()
			got[1] = peakOf(step)
			for i, phase := range []string{"inference", "training"} {
				ratio := float64(got[i]) / float64(want[i])
				t.Logf("%s, %s: %.3f of Python's %d bytes", name, phase, ratio, want[i])
				assert.LessOrEqual(t, ratio, 1.03, "%s, %s", name, phase)
			}
		})
		require.NoError(t, m.Close())
	}
}

func peakOf(fn func()) int64 {
	return memory.Track("peak", func() { torch.Scope(fn) }, memory.Device(torch.CPU)).PeakGrowth()
}
