package documentation_test

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/htmlpage/browser"
)

var folder = flag.String("pictures", "", "draw the measured pictures of docs/img into this folder")

// make generate MODE=pictures runs this test. It draws a training run's memory and time
// for docs/, with pages shown in Chromium.
func TestPictures(t *testing.T) {
	if *folder == "" {
		t.Skip("make generate MODE=pictures draws them")
	}
	pages := t.TempDir()
	out, err := exec.CommandContext(t.Context(), "go", "run", "./train", pages).CombinedOutput()
	require.NoError(t, err, "%s", out)
	save := func(name string, picture []byte) {
		require.NoError(t, os.WriteFile(filepath.Join(*folder, name), picture, 0o600))
	}
	for _, name := range []string{"graph.svg", "tracker.png"} {
		picture, err := os.ReadFile(filepath.Join(pages, name))
		require.NoError(t, err)
		save(name, picture)
	}

	b := browser.Start(t)
	b.In(t, 1360, 820, false)
	b.Open(filepath.Join(pages, "memory.html"))
	type point struct{ X, Y float64 }
	at := browser.Eval[point](b, `(() => { // the middle of the fourth block of the leak
		const t = viz.current, d = viz.device, box = t.canvas.getBoundingClientRect(), at = [];
		const keeps = i => d.size[i] === 262144 && viz.data.title(d.stack[i]).includes("keep");
		const block = [...d.stack.keys()].filter(keeps)[3];
		t.picks.forEach((p, k) => { if (p === block) at.push(k); });
		const k = at[at.length >> 1];
		return { X: box.x + (k % t.W + t.x0) / t.ratio, Y: box.y + (Math.floor(k / t.W) + t.lanes) / t.ratio };
	})()`)
	b.Mouse("mouseMoved", at.X, at.Y)
	b.Settle()
	assert.Contains(t, browser.Eval[string](b, `document.querySelector("#details").textContent`), "main.keep")
	save("memory-viz.png", b.Screenshot("memory-viz"))

	b.Open(filepath.Join(pages, "profile.html"))
	b.Settle()
	save("profiler.png", b.Screenshot("profiler"))
}
