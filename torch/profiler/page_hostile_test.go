package profiler_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/htmlpage/browser"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/profiler"
)

// No view of a page executes a name as HTML or JavaScript. Names of regions and metadata
// entries may come from an attacker.
func TestHostileNamesInPages(t *testing.T) {
	b := browser.Start(t)
	b.In(t, 1360, 820, false)
	p, err := profiler.Run(func(*profiler.Profile) {
		for _, name := range []string{
			`<script>window.hacked = 1</script>`, `</script><script>window.hacked = 1</script>`,
			`<img src=x onerror="hacked = 1">`,
			`"><svg onload="hacked = 1">`, `' onmouseover='hacked = 1`, `/*@data*/`, `/*@script*/`, "<!--<script>",
			"\u2028hacked = 1",
		} {
			profiler.RecordFunction(name, func() { torch.Scope(func() { torch.Ones(torch.Shape{2}).Exp() }) })
		}
	}, profiler.WithStack(true), profiler.ProfileMemory(true))
	require.NoError(t, err)
	page, timeline := filepath.Join(t.TempDir(), "profile.html"), filepath.Join(t.TempDir(), "memory.html")
	require.NoError(t, p.ExportHTML(page))
	require.NoError(t, p.ExportMemoryTimeline(timeline))
	for _, path := range []string{page, timeline} {
		b.Open(path)
		assert.Equal(t, 0, browser.Eval[int](b, `(() => {
			for (const tab of document.querySelectorAll("[role=tab]")) tab.click();
			return 0;
		})()`))
		b.Settle()
		assert.True(t,
			browser.Eval[bool](b,
				`window.hacked === undefined && `+
					`!document.querySelector("img, svg[onload], [onmouseover], [role=alert]")`), path)
	}
}
