package profiler_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/htmlpage/browser"
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/profiler"
)

func TestMemoryTimeline(t *testing.T) {
	memory.StartLeakCheck().Stop() // so that memory left by other tests does not count
	p, err := profiler.Run(func(*profiler.Profile) {
		x := torch.Empty(torch.Shape{1000})
		require.NoError(t, x.Close())
	}, profiler.ProfileMemory(true))
	require.NoError(t, err)
	points := p.MemoryTimeline()
	require.Len(t, points, 2)
	assert.EqualValues(t, 4000, points[0].Bytes)
	assert.EqualValues(t, -4000, points[1].Bytes)
	assert.EqualValues(t, 4000, points[0].Allocated-points[1].Allocated)
	assert.Equal(t, points, p.MemoryTimeline(profiler.Device(torch.CPU)))
	assert.Equal(t, points, p.MemoryTimeline(profiler.Device(torch.CUDA.At(0)), profiler.Device(0)),
		"the last counts, 0 is not given")
	assert.Empty(t, p.MemoryTimeline(profiler.Device(torch.CUDA.At(0))))
	kind(t, torch.Try(func() { p.MemoryTimeline(profiler.Device(torch.Meta)) }), torch.ErrDevice, "meta")
	kind(t, torch.Try(func() { p.MemoryTimeline(nil) }), torch.ErrNil, "MemoryTimeline")
	kind(t, p.ExportMemoryTimeline(filepath.Join(t.TempDir(), "m.png")), torch.ErrValue, "m.png")
	without, err := profiler.Run(func(*profiler.Profile) {})
	require.NoError(t, err)
	kind(t, torch.Try(func() { without.MemoryTimeline() }), torch.ErrValue, "ProfileMemory")
	assert.Equal(t, "PARAMETER UNKNOWN Category(8)",
		fmt.Sprint(profiler.CategoryParameter, profiler.CategoryUnknown, profiler.Category(8)))
}

const inner, outer, rows = 32, 16, 8

// trained returns a profile of two steps of a network whose tensors all have different sizes.
func trained(t *testing.T) *profiler.Profile {
	t.Helper()
	model := nn.NewSequential(nn.NewLinear(outer, inner), nn.NewReLU(), nn.NewLinear(inner, 1))
	opt := optim.NewSGD(model.Parameters(), optim.LR(0.1), optim.Momentum(0.9))
	x := torch.Randn(torch.Shape{rows, outer})
	y := torch.Randn(torch.Shape{rows, 1})
	t.Cleanup(func() {
		for _, c := range append(model.Parameters(), x, y) {
			_ = c.Close()
		}
		_ = opt.Close()
	})
	p, err := profiler.Run(func(*profiler.Profile) {
		for range 2 {
			torch.Scope(func() {
				opt.ZeroGrad()
				in := x.Clone()
				F.MSELoss(model.Forward(in), y).Backward()
				opt.Step()
			})
		}
		opt.ZeroGrad()
	}, profiler.ProfileMemory(true), profiler.WithStack(true), profiler.RecordShapes(true))
	require.NoError(t, err)
	return p
}

// Each thread records separately. A thread may free memory that another thread allocated,
// even if the profile has no operators.
func TestMemoryOfSeveralThreads(t *testing.T) {
	points := profiler.BlocksOf([4]int64{30, -8, 64, 0}, [4]int64{40, 16, 64, 0},
		[4]int64{20, 8, 64, 1}).MemoryTimeline()
	require.Len(t, points, 3)
	for i, want := range []profiler.MemoryPoint{
		{TimeNs: 20, Bytes: 8, Allocated: 8},
		{TimeNs: 30, Bytes: -8},
		{TimeNs: 40, Bytes: 16, Allocated: 16},
	} {
		want.Category = profiler.CategoryUnknown
		assert.Equal(t, want, points[i])
	}
}

// Categories equal Python's for each block, with two exceptions. Python classifies
// scalars, such as the first gradient, by data flow. Inputs that existed before the
// recording and were not passed to a module differ too.
func TestMemoryCategoriesAreThoseOfPython(t *testing.T) {
	const scalar = 8
	var python map[string]map[string]int
	readJSON(t, "memory.json", &python)
	delete(python, "PREEXISTING INPUT")
	for _, sizes := range python {
		delete(sizes, "4")
		delete(sizes, fmt.Sprint(scalar))
	}
	ours := map[string]map[string]int{}
	for _, pt := range trained(t).MemoryTimeline() {
		action := "CREATE"
		switch {
		case pt.Bytes < 0 || pt.Bytes <= scalar:
			continue
		case pt.Preexisting:
			action = "PREEXISTING"
		}
		key := fmt.Sprint(action, " ", pt.Category)
		if ours[key] == nil {
			ours[key] = map[string]int{}
		}
		ours[key][fmt.Sprint(pt.Bytes)]++
	}
	assert.Equal(t, python, ours)
	assert.Len(t, ours, 7)
}

// ExportMemoryTimeline writes files in Python's format, and the sizes add up to the allocated memory.
func TestMemoryTimelineFiles(t *testing.T) {
	p := trained(t)
	points := p.MemoryTimeline()
	dir := t.TempDir()
	read := func(name string, to any) {
		require.NoError(t, p.ExportMemoryTimeline(filepath.Join(dir, name)))
		text, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, to))
	}
	var data [2]json.RawMessage
	read("m.json", &data)
	var times []int64
	var sizes [][]int64
	require.NoError(t, json.Unmarshal(data[0], &times))
	require.NoError(t, json.Unmarshal(data[1], &sizes))
	require.Len(t, sizes, len(times))
	sum := func(row []int64) (n int64) {
		for _, v := range row {
			n += v
		}
		return n
	}
	for i, row := range sizes {
		require.Len(t, row, 9)
		assert.Zero(t, row[0])
		assert.LessOrEqual(t, times[max(i, 1)-1], times[i])
	}
	last := points[len(points)-1]
	assert.Equal(t, last.Allocated, sum(sizes[len(sizes)-1]))
	assert.Equal(t, last.TimeNs/1000, times[len(times)-1])

	var raw [][4]int64
	read("m.raw.json", &raw)
	require.Len(t, raw, len(points))
	actions := map[int64]int{}
	for i, r := range raw {
		actions[r[1]]++
		assert.Equal(t, points[i].Bytes, r[2])
		assert.EqualValues(t, points[i].Category, r[3])
		assert.Equal(t, points[i].Preexisting, r[0] == -1 && r[1] == 1)
		assert.Equal(t, r[2] < 0, r[1] == 4)
	}
	assert.Len(t, actions, 3)
	require.NoError(t, p.ExportMemoryTimeline(filepath.Join(dir, "m.raw.json.gz")))
	require.NoError(t, p.ExportMemoryTimeline(filepath.Join(dir, "m.html.gz")))
}

func TestMemoryPageInBrowser(t *testing.T) {
	p := trained(t)
	var most int64
	for _, pt := range p.MemoryTimeline() {
		most = max(most, pt.Allocated)
	}
	path := filepath.Join(t.TempDir(), "memory.html")
	require.NoError(t, p.ExportMemoryTimeline(path))
	b := browser.Start(t)
	for _, dark := range []bool{false, true} {
		t.Run(fmt.Sprintf("dark=%v", dark), func(t *testing.T) {
			b.In(t, 1200, 640, dark)
			b.Open(path)
			b.Settle()
			b.Screenshot("memory-timeline-" + map[bool]string{true: "dark", false: "light"}[dark])
			assert.InDelta(t, float64(most), browser.Eval[float64](b, `Math.max(...app.total)`), 0)
			assert.Equal(t, "cpu", browser.Eval[string](b, `document.querySelector("#figure-device dd").textContent`))
			for k := range 8 {
				if profiler.Category(k) == profiler.CategoryUnknown {
					continue
				}
				assert.Positive(t, browser.Eval[float64](b, fmt.Sprintf("app.heights[%d]", k)), "%v",
					profiler.Category(k))
			}
			// If a category is hidden, the chart is lower. Hovering shows the sizes.
			browser.Eval[bool](b, `(document.getElementById("category-0").click(), true)`)
			assert.Zero(t, browser.Eval[float64](b, "app.heights[0]"))
			type point struct{ X, Y float64 }
			at := browser.Eval[point](b,
				`(() => { const r = app.canvas.getBoundingClientRect(); `+
					`return { X: r.x + app.left + app.width - 1, Y: r.y + 100 }; })()`)
			b.Mouse("mouseMoved", at.X, at.Y)
			assert.NotEmpty(t, browser.Eval[string](b, `document.querySelector("#all").textContent`))
		})
	}
}
