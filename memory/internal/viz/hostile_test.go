package viz_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/internal/htmlpage/browser"
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/memory/internal/viz"
)

// No view of the page executes text of a snapshot, which may be an untrusted file.
func TestHostileTextsInBrowser(t *testing.T) {
	b := browser.Start(t)
	b.In(t, 1360, 820, false)
	for _, text := range []string{
		`<script>window.hacked = 1</script>`, `</script><script>window.hacked = 1</script>`,
		`<img src=x onerror="hacked = 1">`,
		`"><svg onload="hacked = 1">`, `' onmouseover='hacked = 1`, `/*@data*/`, `/*@script*/`, "<!--<script>",
		"\u2028hacked = 1",
	} {
		s := &memory.SnapshotData{
			Devices:           []string{text},
			AllocatorSettings: map[string]any{text: text},
			DeviceTraces: [][]memory.TraceEntry{{
				{
					Action: memory.ActionAlloc, Addr: 1, Size: 1 << 20, TimeUs: 1,
					Frames: []memory.Frame{{Name: text, Filename: text, Line: 1}},
				},
				{Action: memory.ActionFreeCompleted, Addr: 1, Size: 1 << 20, TimeUs: 2},
			}},
		}
		for _, inputs := range [][]viz.Input{
			{{Name: text, Snapshot: s}},
			{{Name: text, Snapshot: s}, {Name: text + "2", Snapshot: s}},
		} {
			b.Open(writePage(t, inputs...))
			browser.Eval[int](b, `(() => {
				for (const tab of document.querySelectorAll("[role=tab]")) tab.click();
				return 0;
			})()`)
			b.Settle()
			assert.True(t,
				browser.Eval[bool](b,
					`window.hacked === undefined && !document.querySelector("img, svg[onload], [onmouseover], [role=alert]")`), text)
		}
	}
}
