package plot

import (
	"io"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/memory/internal/viz"
)

// WriteSnapshot writes a page of HTML that shows a memory snapshot, as the command memory
// does with its subcommand viz: a timeline of the bytes with the stack of each block,
// segments and blocks, and what each package holds. The page needs nothing but a browser.
// name stands in its title. It returns w's error, or one that says that s is nil.
func WriteSnapshot(w io.Writer, name string, s *memory.SnapshotData) error {
	return viz.Write(w, viz.Input{Name: name, Snapshot: s})
}
