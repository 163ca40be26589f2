// Package viz draws memory snapshots as one HTML page that needs nothing else:
// no server, no network, no other file. The page shows the timeline of allocated
// bytes with the stack of each block, that of reserved bytes, the segments and their
// blocks at any moment, what each package holds, what changed between two snapshots,
// and the allocators' settings.
//
// Allocations are paired with frees here; the page gets columns of numbers,
// compressed, which it draws pixel by pixel. That keeps a million events fluent.
package viz

import (
	"bufio"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/gotorch/gotorch/memory"
)

// Input is a snapshot to draw.
type Input struct {
	Name     string // the file's name, shown in the page
	Snapshot *memory.SnapshotData
}

//go:embed page/page.html
var pageHTML string

//go:embed page/page.css
var pageCSS string

//go:embed page/data.js
var dataJS string

//go:embed page/format.js
var formatJS string

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
	b := bufio.NewWriterSize(w, 1<<16)
	parts := map[string]func() error{
		"title":  text(b, html.EscapeString(strings.Join(names, " and "))),
		"style":  text(b, pageCSS),
		"script": text(b, strings.Join([]string{formatJS, dataJS, timelineJS, layersJS, pointerJS, cachedJS, segmentsJS, tablesJS, settingsJS, mainJS}, "\n")),
		"data": func() error {
			enc := base64.NewEncoder(base64.StdEncoding, b)
			if err := writePayload(enc, build(inputs)); err != nil {
				return err
			}
			return enc.Close()
		},
	}
	rest := pageHTML
	for {
		before, after, found := strings.Cut(rest, "/*@")
		if _, err := b.WriteString(before); err != nil {
			return err
		}
		if !found {
			return b.Flush()
		}
		name, tail, _ := strings.Cut(after, "*/")
		if err := parts[name](); err != nil {
			return err
		}
		rest = tail
	}
}

func text(w io.StringWriter, s string) func() error {
	return func() error {
		_, err := w.WriteString(s)
		return err
	}
}
