package soak

import (
	"errors"
	"fmt"
	"io"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/profiler"
)

// profile starts and stops profiles around steps while other workers run. A process can
// have only one profile at a time, so profile does nothing while another worker changes a
// process-wide setting.
func profile(w *Worker) error {
	if !w.shared.global.TryLock() {
		return nil
	}
	defer w.shared.global.Unlock()
	opts := []profiler.Option{
		profiler.RecordShapes(w.Rand.IntN(2) == 0), profiler.ProfileMemory(w.Rand.IntN(2) == 0),
		profiler.WithStack(w.Rand.IntN(2) == 0), profiler.WithModules(w.Rand.IntN(4) == 0),
	}
	mine := fmt.Sprintf("worker %p", w)
	for range 3 {
		var failed error
		p, err := profiler.Run(func(*profiler.Profile) {
			profiler.RecordFunction(mine, func() { failed = trainInScopes(w) })
		}, opts...)
		if err := errors.Join(err, failed); err != nil {
			return err
		}
		calls := 0
		for _, e := range p.KeyAverages().Averages {
			if e.Key == mine {
				calls = e.Count
			}
		}
		if calls != 1 {
			return fmt.Errorf("%d regions of this worker in its profile, expected 1", calls)
		}
		if err := p.WritePprof(io.Discard); err != nil {
			return err
		}
	}
	// profiler.Run must end the profile if its function panics.
	func() {
		defer func() { _ = recover() }()
		_, _ = profiler.Run(func(*profiler.Profile) { torch.Ones(torch.Shape{2}).MatMul(torch.Ones(torch.Shape{3})) })
	}()
	return nil
}
