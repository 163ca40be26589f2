package viz_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/htmlpage/browser"
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/memory/internal/viz"
)

func writePage(t *testing.T, inputs ...viz.Input) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "page.html")
	f, err := os.Create(path)
	require.NoError(t, err)
	require.NoError(t, viz.Write(f, inputs...))
	require.NoError(t, f.Close())
	return path
}

func text(b *browser.Browser, selector string) string {
	b.T().Helper()
	return browser.Eval[string](b, fmt.Sprintf("document.querySelector(%q).textContent", selector))
}

type point struct{ X, Y float64 }

// centre returns the center of the pixels that show the given block.
func centre(b *browser.Browser, block string) point {
	b.T().Helper()
	return browser.Eval[point](b, `(() => {
		const t = viz.current, box = t.canvas.getBoundingClientRect(), at = [], block = `+block+`;
		t.picks.forEach((p, k) => { if (p === block) at.push(k); });
		const k = at[at.length >> 1];
		return { X: box.x + (k % t.W + t.x0) / t.ratio, Y: box.y + (Math.floor(k / t.W) + t.lanes) / t.ratio };
	})()`)
}

func TestPageInBrowser(t *testing.T) {
	b := browser.Start(t)
	t.Run("snapshot", func(t *testing.T) { lookAtSnapshot(t, b) })
	t.Run("rows", func(t *testing.T) { lookAtRows(t, b) })
	t.Run("reserved", func(t *testing.T) { lookAtReserved(t, b) })
	t.Run("process", func(t *testing.T) { lookAtProcess(t, b) })
	t.Run("hundred thousand events", func(t *testing.T) { lookAtHundredThousand(t, b) })
	t.Run("settings", func(t *testing.T) { lookAtSettings(t, b) })
	t.Run("difference", func(t *testing.T) { lookAtDifference(t, b) })
	t.Run("Python", func(t *testing.T) { lookAtPythons(t, b) })
	t.Run("million events", func(t *testing.T) { lookAtMillion(t, b) })
}

func lookAtSnapshot(t *testing.T, b *browser.Browser) {
	b.In(t, 1360, 820, false)
	tr := training{steps: 20, layers: 12, leak: 1 << 20}
	s := tr.snapshot()
	b.Open(writePage(t, viz.Input{Name: "train.pickle", Snapshot: s}))

	t.Run("counts match", func(t *testing.T) {
		allocs := 0
		for _, e := range s.DeviceTraces[0] {
			if e.Action == memory.ActionAlloc {
				allocs++
			}
		}
		assert.Equal(t, fmt.Sprint(allocs), text(b, "#figure-blocks dd"))
		assert.Equal(t, len(s.DeviceTraces[0]), browser.Eval[int](b, "viz.device.events"))
		assert.Equal(t, len(s.Live()), browser.Eval[int](b,
			"(() => { let n = 0; viz.device.eachHeld(viz.device.events, () => n++); return n; })()"))
		var live int64
		for _, block := range s.Live() {
			live += block.RequestedSize
		}
		assert.Equal(t, live, browser.Eval[int64](b, "viz.device.total[viz.device.events]"))
		assert.Equal(t, "1 time", text(b, "#figure-out-of-memory dd"))
	})

	t.Run("hover shows the stack", func(t *testing.T) {
		b.Screenshot("timeline")
		// Point at a block of the metric, whose memory grows.
		p := centre(b, "[...viz.device.stack.keys()].find(i => "+
			"viz.data.title(viz.device.stack[i]).includes('History'))")
		b.Mouse("mouseMoved", p.X, p.Y)
		b.Settle()
		assert.Contains(t, text(b, "#details"), "example.com/metrics.(*History).Add")
		assert.Contains(t, text(b, "#details .where"), "linalg.go:88")
		assert.Contains(t, text(b, "#details dl"), "1,048,576 bytes")
		b.Screenshot("hover")
		b.Mouse("mouseMoved", 5, 5)
		b.Settle()
		assert.Contains(t, text(b, "#details"), "Point at a block")
	})

	t.Run("keyboard", func(t *testing.T) {
		browser.Eval[bool](b, "document.getElementById('plot').focus(), true")
		before := browser.Eval[int](b, "viz.moment")
		b.Key("ArrowLeft")
		assert.Less(t, browser.Eval[int](b, "viz.moment"), before)
		b.Key("ArrowUp")
		assert.NotEmpty(t, text(b, "#details .stack"))
		b.Key("+")
		b.Settle()
		assert.InDelta(t, 1/1.5, browser.Eval[float64](b, "(viz.current.hi - viz.current.lo) / viz.current.extent()"),
			0.01)
		b.Key("0")
		b.Settle()
		assert.InDelta(t, 1, browser.Eval[float64](b, "(viz.current.hi - viz.current.lo) / viz.current.extent()"), 0.01)
	})

	t.Run("views", func(t *testing.T) {
		browser.Eval[bool](b, "document.getElementById('tab-segments').click(), true")
		b.Settle()
		assert.Contains(t, text(b, "#state"), fmt.Sprintf("reserved in %d segments", len(s.Segments)))
		row := browser.Eval[string](b, "viz.current.describe(...viz.current.rows[0])")
		assert.Regexp(t, `^[\d.]+ MiB of 64\.0 MiB · large · [\d.]+ [mµ]?s · main\.go:12 · 0x7f0a40000000$`, row,
			"what is used, when and by whom it was needed, and where it is")
		assert.Regexp(t, `^[\d.]+ ms`, text(b, "#events li"), "when it was")
		b.Screenshot("segments")
		browser.Eval[bool](b, "document.getElementById('tab-packages').click(), true")
		assert.Contains(t, text(b, "tbody"), "example.com/metrics")
		b.Screenshot("packages")
		browser.Eval[bool](b, "document.getElementById('tab-stacks').click(), document.querySelector('tbody "+
			"tr').click(), true")
		assert.Contains(t, text(b, "tbody .stack"), "main.main")
		assert.Contains(t, text(b, "#panel"), "main.main · main.go:141.00 MiB",
			"the program's line, without the runtime's")
		b.Screenshot("stacks")
		browser.Eval[bool](b, "document.getElementById('tab-timeline').click(), true")
		browser.Eval[bool](b, "(e => { e.value = 'packages'; e.dispatchEvent(new Event('change')); return true; "+
			"})(document.getElementById('mode'))")
		b.Settle()
		b.Screenshot("bands")
	})
}

// If rows have the same title, they also show the calls in which they differ.
func lookAtRows(t *testing.T, b *browser.Browser) {
	b.In(t, 1200, 700, false)
	call := func(name string, line int) memory.Frame { return goCall(name, "main.go", line) }
	inner, main := []memory.Frame{library[0], call("main.step", 5)}, call("main.main", 90)
	stack := func(way ...memory.Frame) []memory.Frame { return append(append(slices.Clone(inner), way...), main) }
	s := &memory.SnapshotData{Devices: []string{"cpu"}, Segments: []memory.Segment{}}
	var trace []memory.TraceEntry
	for i, frames := range [][]memory.Frame{
		stack(call("main.fit", 10)), stack(call("main.fit", 20)),
		stack(call("main.fit", 20), call("main.again", 30)), inner,
	} {
		size := int64(1024 * (i + 1))
		for n := range int64(i + 1) {
			trace = append(trace, memory.TraceEntry{
				Action: memory.ActionAlloc,
				Addr:   uint64(0x1000*(10*(i+1)) + 0x100*int(n)), Size: size, TimeUs: 1000 * int64(len(trace)),
				Frames: frames,
			})
		}
	}
	through := []memory.Frame{
		goCall("github.com/gotorch/gotorch/nn/functional.ReLU", "activation.go", 18),
		goCall("github.com/gotorch/gotorch/nn.leaf", "call.go", 137), call("main.train", 57),
		goCall("github.com/gotorch/gotorch/torch.Scope", "scope.go", 42), main,
	}
	trace = append(trace, memory.TraceEntry{
		Action: memory.ActionAlloc, Addr: 0xa00000, Size: 512, TimeUs: 15000,
		Frames: through,
	})
	trace = append(trace, memory.TraceEntry{
		Action: memory.ActionAlloc, Addr: 0x900000, Size: 10240, TimeUs: 20000,
		Frames: inner,
	})
	s.DeviceTraces = [][]memory.TraceEntry{trace}
	b.Open(writePage(t, viz.Input{Name: "rows.pickle", Snapshot: s}))
	browser.Eval[bool](b, "document.getElementById('tab-stacks').click(), true")
	rows := browser.Eval[[]string](b, "[...document.querySelectorAll('tbody tr:not(.more)')].map(r => "+
		"[...r.children].map(c => c.textContent).join('|'))")
	assert.Equal(t, []string{
		"main.step · main.go:5|26.0 KiB|5|4.00 KiB to 10.0 KiB|6.000 ms to 20.00 ms",
		"main.step · main.go:5 … main.fit · main.go:20 … main.again · main.go:30|9.00 KiB|3|3.00 KiB|3.000 ms to " +
			"5.000 ms",
		"main.step · main.go:5 … main.fit · main.go:20 … main.main · main.go:90|4.00 KiB|2|2.00 KiB|1.000 ms to " +
			"2.000 ms",
		"main.step · main.go:5 … main.fit · main.go:10|1.00 KiB|1|1.00 KiB|0 µs",
		"functional.ReLU · activation.go:18 ← main.train · main.go:57|512 B|1|512 B|15.00 ms",
	}, rows)
	b.Screenshot("rows")
}

func lookAtReserved(t *testing.T, b *browser.Browser) {
	b.In(t, 1360, 820, false)
	frames := []memory.Frame{library[0], goCall("main.main", "main.go", 7)}
	event := func(action string, addr uint64, size, time int64) memory.TraceEntry {
		return memory.TraceEntry{Action: action, Addr: addr, Size: size, TimeUs: time, Frames: frames}
	}
	s := &memory.SnapshotData{
		Devices: []string{"cpu"},
		Segments: []memory.Segment{
			{
				Address: 0x10000000, TotalSize: 20 << 20, SegmentType: memory.SegmentLarge,
				Blocks: []memory.Block{{Address: 0x10000000, Size: 20 << 20, State: memory.BlockInactive}},
			},
			{
				Address: 0x50000000, TotalSize: 2 << 20, SegmentType: memory.SegmentSmall,
				Blocks: []memory.Block{{Address: 0x50000000, Size: 2 << 20, State: memory.BlockInactive}},
			},
		},
		DeviceTraces: [][]memory.TraceEntry{{
			event(memory.ActionSegmentAlloc, 0x10000000, 20<<20, 0),
			event(memory.ActionAlloc, 0x10000000, 5<<20, 10),
			event(memory.ActionSegmentAlloc, 0x30000000, 40<<20, 1000),
			event(memory.ActionAlloc, 0x30000000, 30<<20, 1010),
			event(memory.ActionFreeRequested, 0x30000000, 30<<20, 2000),
			event(memory.ActionFreeCompleted, 0x30000000, 30<<20, 2000),
			event(memory.ActionFreeRequested, 0x10000000, 5<<20, 2500),
			event(memory.ActionFreeCompleted, 0x10000000, 5<<20, 2500),
			event(memory.ActionSegmentFree, 0x30000000, 40<<20, 3000),
		}},
	}
	b.Open(writePage(t, viz.Input{Name: "reserved.pickle", Snapshot: s}))
	browser.Eval[bool](b, "document.getElementById('tab-reserved').click(), true")
	b.Settle()
	assert.Equal(t, []float64{2, 22, 22, 62, 62, 62, 62, 62, 62, 22},
		browser.Eval[[]float64](b, "[...viz.current.device.total].map(n => n / 2 ** 20)"))
	assert.Equal(t, browser.Eval[float64](b, "viz.device.reserved(4)"),
		browser.Eval[float64](b, "viz.current.device.total[4]"))
	assert.Equal(t, 35.0, browser.Eval[float64](b, "viz.device.total[viz.device.peak] / 2 ** 20"),
		"the blocks are as they were")
	p := centre(b, "viz.current.device.order.findIndex(r => viz.device.regions[r].address === '0x30000000')")
	b.Mouse("mouseMoved", p.X, p.Y)
	b.Settle()
	assert.Contains(t, text(b, "#details"), "Segment of 40.0 MiB")
	assert.Contains(t, text(b, "#details dl"), "41,943,040 bytes")
	assert.Contains(t, text(b, "#details dl"), "event 3, 1.000 ms")
	assert.Contains(t, text(b, "#details dl"), "event 9, 3.000 ms")
	assert.Contains(t, text(b, "#details .stack"), "main.main")
	assert.Contains(t, text(b, "#legend"), "main 60.0 MiB")
	b.Screenshot("reserved")
	b.Key("Escape")
}

func lookAtProcess(t *testing.T, b *browser.Browser) {
	b.In(t, 1200, 700, true)
	s := &memory.SnapshotData{
		Devices: []string{"cpu"}, Segments: []memory.Segment{},
		DeviceTraces: [][]memory.TraceEntry{{}}, Resident: []memory.ResidentPart{
			{Part: memory.PartTensors, Bytes: 60 << 20},
			{Part: memory.PartFiles, Bytes: 138 << 20, Detail: "<w>.safetensors"},
			{Part: memory.PartRest, Bytes: 2 << 20},
		},
	}
	b.Open(writePage(t, viz.Input{Name: "a.pickle", Snapshot: s}))
	browser.Eval[bool](b, "document.getElementById('tab-process').click(), true")
	assert.Equal(t, "200 MiB of resident memory when the snapshot was taken", text(b, "caption"))
	assert.Equal(t, []string{
		"mapped files|138 MiB|69.0 %|<w>.safetensors", "tensors|60.0 MiB|30.0 %|",
		"not explained|2.00 MiB|1.0 %|",
	},
		browser.Eval[[]string](b, "[...document.querySelectorAll('tbody tr')].map(r => [...r.children].map(c => "+
			"c.textContent).join('|'))"))
	widths := browser.Eval[[]float64](b, "[...document.querySelectorAll('.parts span')].map(e => "+
		"e.getBoundingClientRect().width / e.parentNode.getBoundingClientRect().width)")
	assert.InDeltaSlice(t, []float64{0.69, 0.3, 0.01}, widths, 0.005)
	b.Screenshot("process")
}

// A page with as many events as usual, a hundred thousand, loads quickly.
func lookAtHundredThousand(t *testing.T, b *browser.Browser) {
	b.In(t, 1360, 820, true)
	tr := training{steps: 277, layers: 40, leak: 1 << 18}
	s := tr.snapshot()
	require.Greater(t, len(s.DeviceTraces[0]), 100_000)
	path := writePage(t, viz.Input{Name: "train.pickle", Snapshot: s})
	start := time.Now()
	usable := b.Open(path)
	t.Logf("%d events: opened in %v, of which script %.0f ms", len(s.DeviceTraces[0]), time.Since(start), usable)
	assert.Less(t, usable, 15_000.0, "milliseconds until the page can be used: five times what it may take")
	b.Screenshot("hundred-thousand")
}

func lookAtSettings(t *testing.T, b *browser.Browser) {
	b.In(t, 1200, 700, false)
	snapshot := func(split int64) *memory.SnapshotData {
		return &memory.SnapshotData{
			Devices: []string{"cuda:0"}, Segments: []memory.Segment{}, DeviceTraces: [][]memory.TraceEntry{{}},
			AllocatorSettings: map[string]any{
				"expandable_segments": false, "max_split_size": split, "PYTORCH_CUDA_ALLOC_CONF": "",
				"roundup_power2_divisions": map[string]any{"1": int64(0), "256": int64(4)},
			},
		}
	}
	rows := "[...document.querySelectorAll('tbody tr')].map(r => [...r.children].map(c => c.textContent).join('|'))"
	b.Open(writePage(t, viz.Input{Name: "a.pickle", Snapshot: snapshot(-1)}))
	browser.Eval[bool](b, "document.getElementById('tab-settings').click(), true")
	assert.Equal(t, []string{
		"PYTORCH_CUDA_ALLOC_CONF|(empty)", "expandable_segments|false", "max_split_size|-1",
		"roundup_power2_divisions.1|0", "roundup_power2_divisions.256|4",
	}, browser.Eval[[]string](b, rows))
	b.Screenshot("settings")
	b.Open(writePage(t, viz.Input{Name: "a.pickle", Snapshot: snapshot(-1)},
		viz.Input{Name: "b.pickle", Snapshot: snapshot(1 << 20)}))
	browser.Eval[bool](b, "document.getElementById('tab-settings').click(), true")
	assert.Contains(t, browser.Eval[[]string](b, rows), "max_split_size|-1|1048576")
	assert.Equal(t, []string{"-1", "1048576"}, browser.Eval[[]string](b,
		"[...document.querySelectorAll('td.changed')].map(c => c.textContent)"))
	b.Open(writePage(t, viz.Input{Name: "none.pickle", Snapshot: &memory.SnapshotData{
		Devices:      []string{"cpu"},
		DeviceTraces: [][]memory.TraceEntry{{}},
	}}))
	browser.Eval[bool](b, "document.getElementById('tab-settings').click(), true")
	assert.Contains(t, text(b, "#panel"), "does not say")
}

func lookAtDifference(t *testing.T, b *browser.Browser) {
	b.In(t, 1200, 700, true)
	first, second := training{steps: 5, layers: 6, leak: 1 << 20}, training{steps: 9, layers: 6, leak: 1 << 20}
	b.Open(writePage(t, viz.Input{Name: "before.pickle", Snapshot: first.snapshot()},
		viz.Input{Name: "after.pickle", Snapshot: second.snapshot()}))
	assert.Equal(t, "On cpu: +4.00 MiB from before.pickle to after.pickle", text(b, "caption"))
	row := text(b, "tbody tr")
	assert.Contains(t, row, "History).Add")
	assert.Contains(t, row, "+4.00 MiB+45.00 MiB9.00 MiB")
	b.Screenshot("difference")
	browser.Eval[bool](b, "document.getElementById('tab-timeline').click(), true")
	b.Settle()
	b.Screenshot("dark")
}

func lookAtPythons(t *testing.T, b *browser.Browser) {
	b.In(t, 1200, 700, false)
	b.Open(writePage(t, load(t, "snapshot_p2.pickle")))
	assert.Equal(t, "1,052", text(b, "#figure-events dd"))
	browser.Eval[bool](b, "viz.current.pin(viz.device.blocks - 1, 0), true")
	assert.Contains(t, text(b, "#details .stack"), "model.py:17")
	b.Screenshot("python")
}

func lookAtMillion(t *testing.T, b *browser.Browser) {
	if testing.Short() {
		t.Skip("a page of some 12 MB")
	}
	b.In(t, 1360, 820, false)
	tr := training{steps: 2770, layers: 40, leak: 1 << 18}
	s := tr.snapshot()
	n := len(s.DeviceTraces[0])
	require.Greater(t, n, 1_000_000)
	start := time.Now()
	path := writePage(t, viz.Input{Name: "million.pickle", Snapshot: s})
	written := time.Since(start)
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Less(t, info.Size(), int64(40<<20))
	start = time.Now()
	usable := b.Open(path)
	opened := time.Since(start)
	assert.Equal(t, n, browser.Eval[int](b, "viz.device.events"))
	assert.Equal(t, browser.Eval[float64](b, "viz.device.total[viz.device.peak]"),
		browser.Eval[float64](b, "viz.current.max"), "the peak is drawn")
	b.Mouse("mouseMoved", 700, 690)
	b.Settle()
	assert.Contains(t, text(b, "#details"), "example.com/metrics", "blocks too small to be seen are a band")
	frame := browser.Eval[float64](b,
		`(() => { const t = performance.now(); viz.current.zoom(0.5); viz.current.draw(); return performance.now() - t; })()`)
	b.Screenshot("million")
	t.Logf("%d events: page of %d bytes written in %v, opened in %v, of which script %.0f ms; drawn in %.0f ms",
		n, info.Size(), written, opened, usable, frame)
}
