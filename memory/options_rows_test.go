package memory_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

// TestOptions passes each option of each function alone, after a different value, and
// next to a nil option.
func TestOptions(t *testing.T) {
	abbreviated := optiontest.Values(memory.Abbreviated(true), memory.Abbreviated(false))
	device := optiontest.Values(memory.Device(torch.CPU), memory.Device(torch.CUDA.At(99)))
	byDefault := optiontest.Values(memory.Device(torch.Device(0)), memory.Device(torch.CUDA.At(99)))
	lines := func(text string) optiontest.Outcome {
		return optiontest.Outcome{"lines": fmt.Sprint(strings.Count(text, "\n"))}
	}
	// If the option is used, the device that it names causes an error, because that device
	// does not exist.
	tracked := func(run func() memory.Usage) (o optiontest.Outcome) {
		err := torch.Try(func() { o = optiontest.Outcome{"device": run().Device.String()} })
		if errors.Is(err, torch.ErrDevice) {
			return optiontest.Outcome{"device": err.Error()}
		}
		if err != nil {
			panic(err)
		}
		return o
	}
	optiontest.Read(t, ".").Run(t, map[string]optiontest.Row{
		"Summary": optiontest.For(func(opts ...memory.SummaryOption) optiontest.Outcome {
			return lines(memory.Summary(torch.CPU, opts...))
		}, abbreviated),
		"DeviceStats.Summary": optiontest.For(func(opts ...memory.SummaryOption) optiontest.Outcome {
			return lines(memory.DeviceStats{}.Summary(torch.CPU, opts...))
		}, abbreviated),
		"Track": optiontest.For(func(opts ...memory.TrackOption) optiontest.Outcome {
			return tracked(func() memory.Usage { return memory.Track("a", func() {}, opts...) })
		}, device, byDefault),
		"StartTrack": optiontest.For(func(opts ...memory.TrackOption) optiontest.Outcome {
			return tracked(func() memory.Usage { return memory.StartTrack("a", opts...).Stop() })
		}, device, byDefault),
	})
}
