// Package viz draws memory snapshots as one HTML page that needs nothing else:
// no server, no network, no other file. The page shows the timeline of allocated
// bytes with the stack of each block, that of reserved bytes, the segments and their
// blocks at any moment, what each package holds, what changed between two snapshots,
// where the process's resident memory was, and the allocators' settings.
//
// Allocations are paired with frees here; the page gets columns of numbers,
// compressed, which it draws pixel by pixel. That keeps a million events fluent.
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

// Write writes the page of one snapshot, or of two with their difference. The
// error is that of w, or says that there are no snapshots or more than two.
func Write(w io.Writer, inputs ...Input) error {
	if len(inputs) == 0 || len(inputs) > 2 {
		return fmt.Errorf("viz: one snapshot or two, not %d", len(inputs))
	}
	names := make([]string, len(inputs))
	for i, in := range inputs {
		if in.Snapshot == nil {
			return errors.New("viz: a snapshot is nil")
		}
		names[i] = in.Name
	}
	return htmlpage.Write(w, pageHTML, strings.Join(names, " and "), []string{dataJS, timelineJS, layersJS, pointerJS, cachedJS, segmentsJS, tablesJS, residentJS, settingsJS, mainJS},
		func(w io.Writer) error { return writePayload(w, build(inputs)) })
}
