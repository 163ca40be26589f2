package profiler_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/htmlpage/browser"
	"github.com/gotorch/gotorch/torch/profiler"
)

// steps returns a profile of a few steps of both programs.
func steps(t *testing.T) *profiler.Profile {
	t.Helper()
	work := programs()
	work["mlp"]()
	work["cnn"]()
	p := profiler.NewProfile(profiler.RecordShapes(true), profiler.ProfileMemory(true), profiler.WithStack(true),
		profiler.NewSchedule(profiler.Active(3)))
	require.NoError(t, p.Start())
	for i := range 3 {
		if i > 0 {
			require.NoError(t, p.Step())
		}
		work["cnn"]()
		work["mlp"]()
	}
	require.NoError(t, p.Stop())
	return p
}

func TestPageInBrowser(t *testing.T) {
	p := steps(t)
	path := filepath.Join(t.TempDir(), "profile.html")
	require.NoError(t, p.ExportHTML(path))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.NotRegexp(t, `https?://`, string(text), "the page asks for nothing")
	b := browser.Start(t)
	for _, dark := range []bool{false, true} {
		t.Run(fmt.Sprintf("dark=%v", dark), func(t *testing.T) {
			b.In(t, 1360, 820, dark)
			b.Open(path)
			lookAtPage(t, b, p, dark)
		})
	}
}

func lookAtPage(t *testing.T, b *browser.Browser, p *profiler.Profile, dark bool) {
	text := func(selector string) string {
		return browser.Eval[string](b, fmt.Sprintf("document.querySelector(%q).textContent", selector))
	}
	calls := 0
	for _, e := range p.Events().Events {
		if !e.IsUserAnnotation && e.Name != "[memory]" {
			calls++
		}
	}
	assert.InDelta(t, calls,
		browser.Eval[float64](b, `+document.querySelector("#figure-calls dd").textContent.replaceAll(",", "")`), 0)
	shot := map[bool]string{true: "dark", false: "light"}[dark]

	// The total of the flame graph equals the sum of the operators' self times.
	own := 0.0
	for _, e := range p.Events().Events {
		if !e.IsUserAnnotation {
			own += float64(e.SelfCPUTimeTotal()) / 1000
		}
	}
	assert.InEpsilon(t, own, browser.Eval[float64](b, `app.views[0][2].root.total`), 1e-6)
	b.Settle()
	b.Screenshot("profile-flame-" + shot)
	assert.True(t, browser.Eval[bool](b, `app.views[0][2].boxes.some(b => b.n.name.includes("functional.Conv2d"))`))
	// Hovering over a box shows its details, a click zooms in.
	type point struct{ X, Y float64 }
	at := browser.Eval[point](b, `(() => {
		const f = app.views[0][2], r = f.canvas.getBoundingClientRect();
		const o = f.boxes.find(b => b.n.name.includes("functional.Linear"));
		return { X: r.x + o.x + o.w / 2, Y: r.y + o.y + 8 };
	})()`)
	b.Mouse("mouseMoved", at.X, at.Y)
	assert.Contains(t, text("#details h2"), "functional.Linear")
	b.Mouse("mousePressed", at.X, at.Y)
	b.Mouse("mouseReleased", at.X, at.Y)
	assert.Contains(t, browser.Eval[string](b, `app.views[0][2].zoom.name`), "functional.Linear")
	b.Key("Escape")
	browser.Eval[bool](b,
		`(() => { const s = document.getElementById("by"); s.value = "operators"; `+
			`s.dispatchEvent(new Event("change")); return true; })()`)
	assert.True(t,
		browser.Eval[bool](b,
			`app.views[0][2].boxes.some(b =>
				b.n.name === "aten::mkldnn_convolution" || b.n.name === "aten::convolution")`))

	// Test the timeline.
	browser.Eval[bool](b, `(document.getElementById("tab-timeline").click(), true)`)
	b.Settle()
	b.Screenshot("profile-timeline-" + shot)
	assert.Equal(t, "goroutine 1", browser.Eval[string](b, `app.data.lanes[0]`))
	at = browser.Eval[point](b, `(() => {
		const f = app.views[1][2], r = f.canvas.getBoundingClientRect();
		const o = f.boxes.find(b => app.data.text(b.i) === "ProfilerStep#1");
		return { X: r.x + o.x + o.w / 2, Y: r.y + o.y + 8 };
	})()`)
	b.Mouse("mouseMoved", at.X, at.Y)
	assert.Equal(t, "ProfilerStep#1", text("#details h2"))
	before := browser.Eval[float64](b, `app.views[1][2].to - app.views[1][2].from`)
	browser.Eval[bool](b, `(document.getElementById("plot").focus(), true)`)
	b.Key("+")
	assert.Less(t, browser.Eval[float64](b, `app.views[1][2].to - app.views[1][2].from`), before)

	// Test the table with a filter.
	browser.Eval[bool](b, `(document.getElementById("tab-operators").click(), true)`)
	b.Settle()
	b.Screenshot("profile-operators-" + shot)
	browser.Eval[bool](b,
		`(() => { const f = document.getElementById("filter"); f.value = "addmm"; `+
			`f.dispatchEvent(new Event("input")); return true; })()`)
	assert.InDelta(t, 3, browser.Eval[float64](b, `document.querySelectorAll("tbody tr").length`), 0,
		"the operator and its nodes")
}

func TestPageOfNothing(t *testing.T) {
	p, err := profiler.Run(func(*profiler.Profile) {})
	require.NoError(t, err)
	var page bytes.Buffer
	require.NoError(t, p.WriteHTML(&page))
	require.ErrorIs(t, p.WriteHTML(brokenWriter{}), io.ErrClosedPipe)
	path := filepath.Join(t.TempDir(), "profile.html")
	require.NoError(t, os.WriteFile(path, page.Bytes(), 0o600))
	b := browser.Start(t)
	b.In(t, 800, 600, false)
	b.Open(path)
	assert.Equal(t, "0", browser.Eval[string](b, `document.querySelector("#figure-calls dd").textContent`))
	for _, tab := range []string{"flame", "timeline", "operators"} {
		browser.Eval[bool](b, `(document.getElementById("tab-`+tab+`").click(), true)`)
		b.Settle()
	}
}
