package viz_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/internal/htmlpage/browser"
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/memory/internal/viz"
)

// wide returns a snapshot with packages that have long names.
func wide() *memory.SnapshotData {
	s := &memory.SnapshotData{Devices: []string{"cpu"}, Segments: []memory.Segment{}}
	var trace []memory.TraceEntry
	for i := range 12 {
		name := fmt.Sprintf("example.com/organisation/recommendations/internal/representation%d.Train", i)
		trace = append(trace, memory.TraceEntry{
			Action: memory.ActionAlloc, Addr: uint64(0x100000 * (i + 1)), Size: int64(1024 * (12 - i)),
			TimeUs: int64(i),
			Frames: []memory.Frame{library[0], goCall(name, "train.go", 9)},
		})
	}
	s.DeviceTraces = [][]memory.TraceEntry{trace}
	return s
}

// A row of the segments always shows its address, however little space there is.
func TestSegmentsHaveAddresses(t *testing.T) {
	b := browser.Start(t)
	b.In(t, 500, 800, true)
	tr := training{steps: 5, layers: 6, leak: 1 << 20}
	s := tr.snapshot()
	s.Segments[0].SegmentType = "a kind with a long name that fills the row"
	b.Open(writePage(t, viz.Input{Name: "train.pickle", Snapshot: s}))
	browser.Eval[bool](b, "document.getElementById('tab-segments').click(), true")
	b.Settle()
	b.Screenshot("segments-narrow")
	rows := browser.Eval[[]string](b, `(() => {
		const g = viz.current.canvas.getContext('2d'), width = viz.current.label - 8;
		return viz.current.rows.map(r => viz.current.describe(...r, text => g.measureText(text).width < width));
	})()`)
	assert.NotEmpty(t, rows)
	for _, r := range rows {
		assert.Contains(t, r, "0x7f0a4")
	}
}

// All controls of the page can be used in a small window, in both color schemes.
func TestNarrowPage(t *testing.T) {
	b := browser.Start(t)
	for _, c := range []struct {
		name          string
		width, height int
		dark          bool
	}{{"narrow", 500, 800, false}, {"narrow-dark", 500, 500, true}, {"low", 1360, 500, true}} {
		t.Run(c.name, func(t *testing.T) {
			b.In(t, c.width, c.height, c.dark)
			b.Open(writePage(t, viz.Input{Name: "wide.pickle", Snapshot: wide()}))
			b.Settle()
			b.Screenshot(c.name)
			cut := browser.Eval[[]string](b, `(() => {
				const cut = [], panel = document.getElementById('panel');
				for (const e of document.querySelectorAll('#legend button')) {
					e.scrollIntoView();
					const r = e.getBoundingClientRect(), at = document.elementFromPoint(r.right - 3, r.bottom - 3);
					if (r.right > innerWidth || r.left < 0 || !e.contains(at)) cut.push(e.textContent);
				}
				return cut;
			})()`)
			assert.Empty(t, cut, "names in the legend")
			assert.LessOrEqual(t, browser.Eval[int](b, "document.documentElement.scrollWidth"), c.width,
				"no row goes beyond the window")
			assert.NotEqual(t, browser.Eval[string](b, "getComputedStyle(document.body).color"),
				browser.Eval[string](b, "getComputedStyle(document.body).backgroundColor"))
			b.Screenshot(c.name + "-end")
		})
	}
}
