// Package viz draws memory snapshots as one self-contained HTML page. The page shows a
// timeline of allocated and reserved bytes with the stack of each block, the segments and
// their blocks at any moment, and the memory of each package. It also shows the
// difference between two snapshots, the resident memory of the process, and the
// allocators' settings.
//
// The package pairs allocations with frees, and writes the result into the page as
// compressed columns of numbers. The page draws each pixel itself, which is fast enough
// for a million events.
package viz

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/gotorch/gotorch/internal/htmlpage"
	"github.com/gotorch/gotorch/memory"
)

// Input is a snapshot to draw.
type Input struct {
	Name     string // the file's name, shown in the page
	Snapshot *memory.SnapshotData
}

//go:embed page/page.html
var pageHTML string

//go:embed page/data.js
var dataJS string

//go:embed page/timeline.js
var timelineJS string

//go:embed page/layers.js
var layersJS string

//go:embed page/pointer.js
var pointerJS string

//go:embed page/cached.js
var cachedJS string

//go:embed page/settings.js
var settingsJS string

//go:embed page/resident.js
var residentJS string

//go:embed page/segments.js
var segmentsJS string

//go:embed page/tables.js
var tablesJS string

//go:embed page/main.js
var mainJS string

// Write writes the page for one snapshot, or for two snapshots and their difference. It
// returns the error of w. It also returns an error if a snapshot is nil, or if there are
// no snapshots or more than two.
func Write(w io.Writer, inputs ...Input) error {
	if len(inputs) == 0 || len(inputs) > 2 {
		return fmt.Errorf("viz: expected one or two snapshots, got %d", len(inputs))
	}
	names := make([]string, len(inputs))
	for i, in := range inputs {
		if in.Snapshot == nil {
			return errors.New("viz: a snapshot is nil")
		}
		names[i] = in.Name
	}
	m := build(inputs)
	if m.full {
		return errors.New("viz: the stacks have more calls than a page can hold")
	}
	return htmlpage.Write(w, pageHTML, strings.Join(names, " and "),
		[]string{
			dataJS, timelineJS, layersJS, pointerJS, cachedJS, segmentsJS, tablesJS, residentJS, settingsJS,
			mainJS,
		},
		func(w io.Writer) error { return writePayload(w, m) })
}
