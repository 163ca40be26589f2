package main

import (
	"errors"
	"fmt"

	"github.com/gotorch/gotorch/torch/profiler"
)

// profiled calls fn, which trains. With -profile it also profiles the third to fifth step,
// prints how long their operators took, and writes a trace for chrome://tracing or
// Perfetto.
func (t *trainer) profiled(fn func() error) error {
	if t.profile == "" {
		return fn()
	}
	t.prof = profiler.NewProfile(
		profiler.NewSchedule(profiler.Wait(1), profiler.Warmup(1), profiler.Active(3), profiler.Repeat(1)),
		profiler.OnTraceReady(func(p *profiler.Profile) error {
			fmt.Print(p.KeyAverages().Table(profiler.SortBySelfCPUTimeTotal, profiler.RowLimit(10)))
			return p.ExportChromeTrace(t.profile)
		}))
	if err := t.prof.Start(); err != nil {
		return err
	}
	return errors.Join(fn(), t.prof.Stop())
}
