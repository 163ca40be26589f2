package show_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/htmlpage/browser"
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/memory/plot"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/notebooks/show"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/profiler"
)

// notebook shows outputs in a page. It waits for the given number of messages from
// scripts in the outputs, and returns the messages.
func notebook(t *testing.T, b *browser.Browser, messages int, outputs ...string) []string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "notebook.html")
	page := `<!DOCTYPE html><meta charset="utf-8"><title>clean</title>
<link rel="icon" href="data:,">
<script>hacked = 0; heard = []; addEventListener("message", e => heard.push(String(e.data)))</script>
<div>` + strings.Join(outputs, "</div><div>") + "</div>"
	require.NoError(t, os.WriteFile(path, []byte(page), 0o600))
	b.Load("file://" + path)
	return browser.Eval[[]string](b, fmt.Sprintf(`new Promise(done => {
		const look = () => heard.length >= %d ? done(heard) : setTimeout(look, 10);
		look();
	})`, messages))
}

func TestFrameIsASandbox(t *testing.T) {
	b := browser.Start(t)
	b.In(t, 1000, 800, false)
	// Each attempt sends a message that tells whether it succeeded.
	attempts := []string{
		`parent.document.title = "changed"`, `parent.document.body.innerHTML = ""`, `parent.hacked = 1`, `top.hacked`,
		`localStorage.x = 1`, `document.cookie = "a=b"`, `top.location.href = "about:blank"`,
		`if (!open("about:blank")) throw 0`,
		`frameElement.remove()`,
	}
	var script strings.Builder
	for i, a := range attempts {
		fmt.Fprintf(&script,
			"try { %s; parent.postMessage('%d got through', '*') } catch { parent.postMessage('%d', '*') }\n", a, i, i)
	}
	var want []string
	for i := range attempts {
		want = append(want, fmt.Sprint(i))
	}
	frame := show.Frame("<script>"+script.String()+"</script>", 100)[show.HTML].(string)
	assert.Equal(t, want, notebook(t, b, len(attempts), frame))
	assert.Equal(t, "clean", browser.Eval[string](b, "document.title"))
	assert.Equal(t, 0, browser.Eval[int](b, "hacked"))
	assert.Equal(t, 1, browser.Eval[int](b, "document.querySelectorAll('iframe').length"))
}

// The HTML pages of this library work in a sandboxed frame.
func TestPagesWorkInFrames(t *testing.T) {
	b := browser.Start(t)
	b.In(t, 1000, 800, false)
	report := `<script>(() => {
		const look = () => document.body.dataset.ready || document.querySelector("[role=alert]")
			? parent.postMessage(document.querySelector("[role=alert]")?.textContent ||
				document.querySelectorAll("[role=tab]").length + " views", "*")
			: setTimeout(look, 10);
		look();
	})()</script>`
	var pages []string
	s := &memory.SnapshotData{}
	var text strings.Builder
	require.NoError(t, plot.WriteSnapshot(&text, "snapshot", s))
	pages = append(pages, text.String())
	p, err := profiler.Run(func(*profiler.Profile) { torch.Scope(func() { torch.Ones(torch.Shape{2}).Exp() }) })
	require.NoError(t, err)
	text.Reset()
	require.NoError(t, p.WriteHTML(&text))
	pages = append(pages, text.String())
	for _, page := range pages {
		frame := show.Frame(strings.Replace(page, "</body>", report+"</body>", 1), 400)[show.HTML].(string)
		assert.Regexp(t, "^[1-9] views$", notebook(t, b, 1, frame)[0])
	}
}

// Module names are escaped, because they may come from an untrusted file.
func TestHostileNames(t *testing.T) {
	b := browser.Start(t)
	b.In(t, 1000, 800, false)
	for _, name := range []string{
		`<script>hacked = 1</script>`, `</script><script>hacked = 1</script>`, `<img src=x onerror="hacked = 1">`,
		`"><svg onload="hacked = 1">`, `' onmouseover='hacked = 1`,
		`</pre></td><iframe srcdoc="<script>parent&period;hacked = 1</script>">`,
		"]]><script>hacked = 1</script>", "<!--<script>hacked = 1//", `&lt;script&gt;hacked = 1&lt;/script&gt;`,
	} {
		m := nn.NewSequential().Add(name, nn.NewLinear(1, 1))
		m.SetExtraRepr(name)
		m.SetTypeName(name)
		x := torch.Disown(torch.Ones(torch.Shape{1}))
		defer func() { _, _ = m.Close(), x.Close() }()
		p, err := profiler.Run(func(*profiler.Profile) { profiler.RecordFunction(name, func() {}) })
		require.NoError(t, err)
		s := &memory.SnapshotData{AllocatorSettings: map[string]any{name: name}}
		var outputs []string
		for _, v := range []any{
			m, m.NamedParameters(), m.StateDict(), nn.NewStateDict(map[string]*torch.Tensor{name: x}), p, p.Events(),
			p.KeyAverages(), s,
			show.Plot(name, plot.Panel{Label: name, Lines: []plot.Line{{Label: name, Y: []float64{1, 2}}}}),
		} {
			c := show.Render(v)
			require.NotNil(t, c)
			for _, form := range []string{show.HTML, show.SVG} {
				if text, ok := c[form].(string); ok {
					outputs = append(outputs, text)
				}
			}
		}
		notebook(t, b, 0, outputs...)
		assert.Equal(t, 0, browser.Eval[int](b, `document.querySelectorAll("[onmouseover]").length + hacked`), name)
		assert.Empty(t,
			browser.Eval[string](b,
				`[...document.querySelectorAll("iframe")].filter(f => f.sandbox != "allow-scripts").join()`), name)
	}
}
