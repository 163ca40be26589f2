package soak

import (
	"errors"
	"fmt"
	"io"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

// lookOn reads every statistic while other workers run.
func lookOn(*Worker) error {
	s := memory.Stats(torch.CPU)
	if s.RequestedBytes.All.Current < 0 {
		return fmt.Errorf("%d bytes are live", s.RequestedBytes.All.Current)
	}
	if len(memory.StatsFlat(torch.CPU)) == 0 || memory.Summary(torch.CPU) == "" || memory.Report() == "" {
		return errors.New("a statistic is empty")
	}
	memory.GC()
	u := memory.Track("soak", func() {
		torch.Scope(func() { memory.Graph(leaf().Exp().Sum()) })
	})
	if u.Peak < 0 {
		return fmt.Errorf("the peak is %d bytes", u.Peak)
	}
	return nil
}

// history briefly records allocations and lists live tensors. Both are process-wide
// settings, so history does nothing while another worker changes such a setting.
func history(w *Worker) error {
	if !w.shared.global.TryLock() {
		return nil
	}
	defer w.shared.global.Unlock()
	if err := memory.RecordHistory(memory.HistoryOptions{MaxEntries: 2000, Clear: true}); err != nil {
		return err
	}
	defer memory.StopHistory()
	defer memory.TrackTensors(memory.TrackTensors(1))
	if err := trainInScopes(w); err != nil {
		return err
	}
	keep := torch.Ones(torch.Shape{100})
	defer keep.Close()
	if len(memory.LiveTensors()) == 0 {
		return errors.New("no tensor is listed")
	}
	if err := memory.WriteTensorProfile(io.Discard); err != nil {
		return err
	}
	if len(memory.Snapshot(torch.CPU).Segments) == 0 {
		return errors.New("the snapshot has no segments")
	}
	return nil
}
