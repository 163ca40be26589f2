package cuda_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/cuda"
)

// Each option of each function alone, after another value, and beside a nil one.
// Where there is no device, what was asked for shows in the error.
func TestCUDAOptions(t *testing.T) {
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
	device := optiontest.Values(cuda.Device(torch.CPU), cuda.Device(torch.CUDA(99)))
	byDefault := optiontest.Values(cuda.Device(torch.Device(0)), cuda.Device(torch.CPU))
	timing := optiontest.Values(cuda.EnableTiming(true), cuda.EnableTiming(false))
	if !cuda.IsAvailable() {
		timing = timing.Hides("says", "without a device no event is recorded")
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
				return fmt.Sprint(e.Elapsed(e) == 0)
			})
		}, timing),
	})
}
