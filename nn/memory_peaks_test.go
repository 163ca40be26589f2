package nn_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/internal/again"
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// Each module's peak memory is at most 1.01 times Python's, in a forward pass without
// gradients, and in a forward and backward pass. In both languages oneDNN is limited to
// AVX2, because it needs different amounts of memory with newer instructions.
// members.json has Python's numbers. Only some settings of each module have a peak.
func TestPeaks(t *testing.T) {
	if runtime.GOARCH != "amd64" || !strings.HasPrefix(cgotorch.Version(), "2.11.") {
		t.Skip("Python's peaks are those of libtorch 2.11 on amd64")
	}
	// libtorch reads the variable at its first convolution, so a new process is needed.
	if !again.With(t, "ONEDNN_MAX_CPU_ISA=AVX2") {
		return
	}
	peaks := map[string][2]int64{}
	for name, g := range goldens(t) {
		if g.Peaks != nil {
			peaks[name] = *g.Peaks
		}
	}
	var worst [2]float64
	var at [2]string
	measured := 0
	for _, m := range members {
		want, ok := peaks[m.name]
		if base, _, _ := strings.Cut(m.name, "/"); m.in != nil && !ok {
			_, ok := peaks[base]
			assert.True(t, ok, "%s has no peak: make_members.py has not measured it", m.name)
		}
		// A member whose in is nil has no Forward. The distance of
		// TripletMarginWithDistanceLoss/own is a Go function, so its memory is not
		// compared.
		if m.in == nil || !ok || m.name == "TripletMarginWithDistanceLoss/own" {
			continue
		}
		measured++
		scoped(t, func() {
			p := new(holder)
			p.Init(p)
			defer p.Close()
			for i, got := range peaksOf(m.make(p), m.in()) {
				const most = 1.01
				ratio := 1.0
				if want[i] > 0 {
					ratio = float64(got) / float64(want[i])
				} else {
					assert.Zero(t, got, m.name)
				}
				assert.LessOrEqual(t, ratio, most, "%s, %s: %d bytes, Python %d", m.name,
					[]string{"inference", "training"}[i], got, want[i])
				if ratio > worst[i] {
					worst[i], at[i] = ratio, m.name
				}
			}
		})
	}
	assert.GreaterOrEqual(t, measured, 170)
	t.Logf("%d modules; worst inference %.3f (%s), training %.3f (%s)", measured, worst[0], at[0], worst[1], at[1])
}

// peaksOf returns the peak memory of a forward pass without gradients, and of a forward
// and backward pass, each measured after a warm-up.
func peaksOf(m nn.Module, in []*torch.Tensor) [2]int64 {
	infer := func() { torch.NoGrad(func() { runModule(m, in) }) }
	peakOf(infer)
	first := peakOf(infer)
	if in[0].IsFloatingPoint() {
		in[0].SetRequiresGrad(true)
	}
	train := func() {
		var total *torch.Tensor
		for _, y := range runModule(m, in) {
			if y == nil || !y.RequiresGrad() {
				continue
			}
			s := y.Sum()
			if total != nil {
				next := total.Add(s)
				_, _ = total.Close(), s.Close()
				s = next
			}
			total = s
		}
		if total != nil {
			total.Backward()
		}
	}
	peakOf(train)
	m.ZeroGrad()
	in[0].SetGrad(nil)
	return [2]int64{first, peakOf(train)}
}

func peakOf(fn func()) int64 {
	return memory.Track("peak", func() { torch.Scope(fn) }, memory.Device(torch.CPU)).PeakGrowth()
}
