package cuda_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/cuda"
)

// Each option is tried alone, after a different value of it, and with a nil option.
// Without a device, the error shows the requested values.
func TestCUDAOptions(t *testing.T) {
	memory.Collect() // tensors of earlier tests must not be freed during the test
	said := func(run func() string) optiontest.Outcome {
		var text string
		err := torch.Try(func() { text = run() })
		if err != nil {
			if strings.Contains(err.Error(), "opts") {
				panic(err)
			}
			text = err.Error()
		}
		return optiontest.Outcome{"says": text}
	}
	stream := func(s *cuda.Stream) string { return s.Device().String() }
	device := optiontest.Values(cuda.Device(torch.CPU), cuda.Device(torch.CUDA.At(99)))
	byDefault := optiontest.Values(cuda.Device(torch.Device(0)), cuda.Device(torch.CPU))
	// shown hides the outcome if there is no device, because then nothing is recorded.
	shown := func(p optiontest.Pair) optiontest.Pair {
		if !cuda.IsAvailable() {
			p = p.Hides("says", "there is no device")
		}
		return p
	}
	timing := shown(optiontest.Values(cuda.EnableTiming(true), cuda.EnableTiming(false)))
	waits := optiontest.Values(cuda.Blocking(true), cuda.Blocking(false)).Hides("says",
		"how a thread waits shows nowhere")
	pool := shown(optiontest.Values(cuda.Pool{1 << 40}, cuda.Pool{}))
	mode := shown(optiontest.Values(cuda.CaptureErrorModeGlobal, cuda.CaptureErrorModeRelaxed))
	side := func(priority cuda.Priority) func() any {
		return func() any {
			if !cuda.IsAvailable() {
				return cuda.WithStream(nil)
			}
			return cuda.WithStream(cuda.NewStream(priority))
		}
	}
	// record describes a recording: its stream, its pool, and whether it is invalidated by
	// querying an event, which may wait for the device.
	record := func(capture func(g *cuda.CUDAGraph, fn func())) string {
		try := func(ask bool) (says string) {
			g := cuda.NewCUDAGraph()
			defer g.Close()
			event := cuda.NewEvent()
			event.Record(cuda.CurrentStream())
			event.Synchronize()
			err := torch.Try(func() {
				capture(g, func() {
					says = fmt.Sprint("priority ", cuda.CurrentStream().Priority())
					torch.Zeros(torch.Shape{4}, torch.CUDA.At(0)).Close()
					if ask {
						_ = torch.Try(func() { event.Query() })
					}
				})
			})
			switch {
			case err == nil:
				return fmt.Sprint(says, ", given pool ", g.Pool()[0] == 1<<40)
			case strings.Contains(err.Error(), "opts"):
				panic(err)
			}
			return err.Error()
		}
		return try(false) + "; " + try(true)
	}
	optiontest.Read(t, ".").Run(t, map[string]optiontest.Row{
		"NewStream": optiontest.For(func(opts ...cuda.StreamOption) optiontest.Outcome {
			return said(func() string { return stream(cuda.NewStream(opts...)) })
		}, device, byDefault, optiontest.Values(cuda.Priority(-1), cuda.Priority(1))),
		"CurrentStream": optiontest.For(func(opts ...cuda.DeviceOption) optiontest.Outcome {
			return said(func() string { return stream(cuda.CurrentStream(opts...)) })
		}, device, byDefault),
		"DefaultStream": optiontest.For(func(opts ...cuda.DeviceOption) optiontest.Outcome {
			return said(func() string { return stream(cuda.DefaultStream(opts...)) })
		}, device, byDefault),
		"NewEvent": optiontest.For(func(opts ...cuda.EventOption) optiontest.Outcome {
			return said(func() string {
				e := cuda.NewEvent(opts...)
				if !cuda.IsAvailable() {
					return ""
				}
				e.Record(cuda.CurrentStream())
				e.Synchronize()
				return fmt.Sprint(e.ElapsedTime(e) == 0)
			})
		}, timing, waits,
			optiontest.Values(cuda.Interprocess(true), cuda.Interprocess(false)).Hides("says",
				"other processes see it")),
		"NewExternalStream": optiontest.For(func(opts ...cuda.DeviceOption) optiontest.Outcome {
			return said(func() string { return stream(cuda.NewExternalStream(64, opts...)) })
		}, device, byDefault),
		"NewCUDAGraph": optiontest.For(func(opts ...cuda.CUDAGraphOption) optiontest.Outcome {
			return said(func() string {
				g := cuda.NewCUDAGraph(opts...)
				defer g.Close()
				cuda.Graph(g, func() { torch.Zeros(torch.Shape{4}, torch.CUDA.At(0)).Close() })
				return fmt.Sprint(torch.Try(func() { g.RawCUDAGraph() }))
			})
		}, shown(optiontest.Values(cuda.KeepGraph(true), cuda.KeepGraph(false)))),
		"CUDAGraph.CaptureBegin": optiontest.For(func(opts ...cuda.CaptureOption) optiontest.Outcome {
			return said(func() string {
				if !cuda.IsAvailable() {
					(*cuda.CUDAGraph)(nil).CaptureBegin(opts...)
				}
				return record(func(g *cuda.CUDAGraph, fn func()) {
					cuda.NewStream().Do(func() {
						g.CaptureBegin(opts...)
						fn()
						g.CaptureEnd()
					})
				})
			})
		}, pool, mode),
		"Graph": optiontest.For(func(opts ...cuda.GraphOption) optiontest.Outcome {
			return said(func() string {
				if !cuda.IsAvailable() {
					cuda.Graph(nil, func() {}, opts...)
				}
				return record(func(g *cuda.CUDAGraph, fn func()) { cuda.Graph(g, fn, opts...) })
			})
		}, pool, mode, shown(optiontest.Values(side(-1), side(0)))),
		"MakeGraphedCallables": optiontest.For(func(opts ...cuda.GraphedOption) optiontest.Outcome {
			return said(func() (says string) {
				if !cuda.IsAvailable() {
					cuda.MakeGraphedCallables(nil, opts...)
				}
				torch.Scope(func() { says = graphed(opts) })
				return says
			})
		}, pool, shown(optiontest.Values(cuda.NumWarmupIters(1), cuda.NumWarmupIters(2))),
			shown(optiontest.Values(cuda.AllowUnusedInput(true), cuda.AllowUnusedInput(false)))),
	})
}

// graphed reports how often a callable ran, whether its memory is in the given pool, and whether
// an argument may be unused.
func graphed(opts []cuda.GraphedOption) string {
	ran, dev := 0, torch.CUDA.At(0)
	two := []*torch.Tensor{
		torch.Zeros(torch.Shape{1}, dev, torch.RequiresGrad(true)),
		torch.Zeros(torch.Shape{1}, dev, torch.RequiresGrad(true)),
	}
	c := cuda.Callable{SampleArgs: two, Forward: func(x ...*torch.Tensor) []*torch.Tensor {
		ran++
		return []*torch.Tensor{x[0].Clone()}
	}}
	err := torch.Try(func() {
		g := cuda.MakeGraphedCallables([]cuda.Callable{c}, opts...)[0]
		defer g.Close()
	})
	if err != nil && strings.Contains(err.Error(), "opts") {
		panic(err)
	}
	// Requesting the gradient of an unused argument fails in the first run.
	c.SampleArgs, ran = two[:1], 0
	g := cuda.MakeGraphedCallables([]cuda.Callable{c}, opts...)[0]
	defer g.Close()
	given := false
	for _, s := range memory.Snapshot(dev).Segments {
		given = given || s.SegmentPoolID[0] == 1<<40
	}
	return fmt.Sprint(ran, given, err == nil)
}
