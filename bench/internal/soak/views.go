package soak

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

const viewsHeld = 16

// views creates views. It closes the base of a view before or after the view. Some views
// live until the end of the round.
func views(w *Worker) error {
	for range 50 {
		base := torch.Arange(0, 64, 1, torch.Float32)
		grid := base.View(8, 8)
		row := grid.Select(0, 3)
		corner := grid.T().Narrow(0, 2, 2).Index(torch.All, torch.Slice(5, 7))
		_ = base.Close()
		_ = grid.Close()
		if got := row.Index(4).Item(); got != 28 {
			return fmt.Errorf("the row of a closed base has %v at 4, not 28", got)
		}
		if got := corner.Index(1, 0).Item(); got != 43 {
			return fmt.Errorf("the corner of a closed base has %v at (1, 0), not 43", got)
		}
		_ = row.Close()
		w.views = append(w.views, corner)
		if len(w.views) > viewsHeld {
			_ = w.views[0].Close()
			w.views = w.views[1:]
		}
	}
	return nil
}

// sharedSlices creates tensors that use the memory of Go slices, and closes half of them.
func sharedSlices(w *Worker) error {
	for i := range 20 {
		memory := make([]float32, 1024)
		t := torch.FromSliceShared(memory, 32, 32)
		v := t.Select(0, 31)
		v.Fill_(float64(i))
		if memory[1023] != float32(i) {
			return fmt.Errorf("a write to a tensor is not visible in the slice: got %v, expected %v", memory[1023], i)
		}
		if i%2 == 0 {
			_ = t.Close()
			_ = v.Close()
		}
	}
	return nil
}
