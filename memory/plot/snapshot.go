package plot

import (
	"io"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/memory/internal/viz"
	"github.com/gotorch/gotorch/torch"
)

// WriteSnapshot writes a self-contained HTML page that shows a memory snapshot, like the
// command "memory viz". The page shows a timeline of the bytes with the stack of each
// block, the segments with their blocks, and the memory of each package. Its title contains
// name. WriteSnapshot returns the error of w, or an error if w or s is nil.
func WriteSnapshot(w io.Writer, name string, s *memory.SnapshotData) error {
	if w == nil {
		return torch.NewError("plot.WriteSnapshot", torch.ErrNil, "w", "a nil writer")
	}
	return viz.Write(w, viz.Input{Name: name, Snapshot: s})
}
