// Package browser drives a headless Chromium, for tests of HTML pages.
package browser

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Browser is a headless Chromium. It is controlled with the DevTools protocol over two
// pipes. Messages are JSON and end in a zero byte.
type Browser struct {
	t        *testing.T
	to       *os.File
	pipe     *os.File
	from     *bufio.Reader // of pipe
	last     int
	session  string
	problems []string // exceptions in pages, and errors on their consoles
	loads    int      // number of pages that were loaded with all their resources
	loaded   string   // address of the page that was loaded last

	// Requests are the addresses that the pages requested.
	Requests []string
}

type message struct {
	ID     int             `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// Start starts a browser that ends with the test. If there is no Chromium, it skips the
// test.
func Start(t *testing.T) *Browser {
	t.Helper()
	var path string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		t.Skip("no Chromium in PATH to test the page in (Debian: apt-get install chromium)")
	}
	toR, toW, err := os.Pipe()
	require.NoError(t, err)
	fromR, fromW, err := os.Pipe()
	require.NoError(t, err)
	dir := t.TempDir()
	cmd := exec.Command(path, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
		"--no-first-run",
		"--disable-background-networking", "--disable-extensions", "--remote-debugging-pipe",
		"--user-data-dir="+filepath.Join(dir, "profile"))
	cmd.ExtraFiles = []*os.File{toR, fromW}
	cmd.Env = append(os.Environ(), "HOME="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	require.NoError(t, cmd.Start())
	require.NoError(t, toR.Close())
	require.NoError(t, fromW.Close())
	b := &Browser{t: t, to: toW, pipe: fromR, from: bufio.NewReaderSize(fromR, 1<<20)}
	t.Cleanup(func() {
		// The browser and its child processes end when its pipe closes. Wait for that,
		// because they write to the directory that is about to be removed. Kill the
		// browser only if it hangs.
		_ = toW.Close()
		hung := time.AfterFunc(20*time.Second, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
		_ = cmd.Wait()
		hung.Stop()
		_ = fromR.Close()
	})
	var target struct{ TargetID, SessionID string }
	b.Call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	b.Call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &target)
	b.session = target.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		b.Call(domain+".enable", nil, nil)
	}
	b.Call("Page.setLifecycleEventsEnabled", map[string]any{"enabled": true}, nil)
	return b
}

// T returns the test that uses the browser.
func (b *Browser) T() *testing.T { return b.t }

// In makes the browser report to a subtest, and gives it a window of the given size in
// pixels.
func (b *Browser) In(t *testing.T, width, height int, dark bool) {
	t.Helper()
	outer := b.t
	b.t, b.problems = t, nil
	t.Cleanup(func() {
		assert.Empty(t, b.problems)
		b.t = outer
	})
	b.Call("Emulation.setDeviceMetricsOverride",
		map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}, nil)
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	b.Call("Emulation.setEmulatedMedia",
		map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
}

// Call calls a method of the DevTools protocol and waits for the method's result.
func (b *Browser) Call(method string, params map[string]any, result any) {
	b.t.Helper()
	b.last++
	text, err := json.Marshal(struct {
		ID      int            `json:"id"`
		Method  string         `json:"method"`
		Params  map[string]any `json:"params,omitempty"`
		Session string         `json:"sessionId,omitempty"`
	}{b.last, method, params, b.session})
	require.NoError(b.t, err)
	_, err = b.to.Write(append(text, 0))
	require.NoError(b.t, err, method)
	for {
		m := b.next(method)
		if m.ID != b.last {
			continue
		}
		require.Nil(b.t, m.Error, method)
		if result != nil {
			require.NoError(b.t, json.Unmarshal(m.Result, result))
		}
		return
	}
}

// next returns the browser's next message. It fails the test if the browser hangs.
func (b *Browser) next(waiting string) message {
	b.t.Helper()
	require.NoError(b.t, b.pipe.SetReadDeadline(time.Now().Add(60*time.Second)))
	text, err := b.from.ReadBytes(0)
	require.NoError(b.t, err, waiting)
	var m message
	require.NoError(b.t, json.Unmarshal(text[:len(text)-1], &m))
	b.note(m)
	return m
}

// note records the page's requests and errors.
func (b *Browser) note(m message) {
	switch m.Method {
	case "Page.loadEventFired":
		b.loads++
	case "Page.lifecycleEvent":
		var p struct{ Name, LoaderID string }
		require.NoError(b.t, json.Unmarshal(m.Params, &p))
		if p.Name == "load" {
			b.loaded = p.LoaderID
		}
	case "Network.requestWillBeSent":
		var p struct{ Request struct{ URL string } }
		require.NoError(b.t, json.Unmarshal(m.Params, &p))
		b.Requests = append(b.Requests, p.Request.URL)
	case "Runtime.exceptionThrown", "Log.entryAdded":
		b.problems = append(b.problems, string(m.Params))
	case "Runtime.consoleAPICalled":
		var p struct{ Type string }
		if json.Unmarshal(m.Params, &p) == nil && (p.Type == "error" || p.Type == "warning" || p.Type == "assert") {
			b.problems = append(b.problems, string(m.Params))
		}
	}
}

// Eval returns the value of a JavaScript expression. If the value is a promise, Eval
// waits for it.
func Eval[T any](b *Browser, expression string) T {
	b.t.Helper()
	var r struct {
		Result           struct{ Value T }
		ExceptionDetails json.RawMessage
	}
	b.Call("Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true},
		&r)
	require.Empty(b.t, string(r.ExceptionDetails), expression)
	return r.Result.Value
}

// Open loads the page in a file. It returns the milliseconds from the start of the page's
// script until the page was usable.
func (b *Browser) Open(file string) float64 {
	b.t.Helper()
	b.Call("Page.navigate", map[string]any{"url": "file://" + file}, nil)
	return Eval[float64](b, `new Promise(done => {
		const look = () => document.body && (document.body.dataset.ready || document.querySelector("[role=alert]"))
			? done(+document.body.dataset.ready) : setTimeout(look, 10);
		look();
	})`)
}

// Follow calls do, which must lead to a different page, and waits until that page is
// loaded with its images.
func (b *Browser) Follow(do func()) {
	b.t.Helper()
	loads := b.loads
	do()
	for b.loads == loads {
		b.next("loading")
	}
}

// Load loads a page with its images. If the previous page is still loading, Load does not
// mistake the end of that load for its own.
func (b *Browser) Load(url string) {
	b.t.Helper()
	var page struct{ LoaderID string }
	b.Call("Page.navigate", map[string]any{"url": url}, &page)
	require.NotEmpty(b.t, page.LoaderID, "%s is another page", url)
	for b.loaded != page.LoaderID {
		b.next("loading")
	}
}

// Mouse sends a mouse event, such as mouseMoved, at a position of the window.
func (b *Browser) Mouse(kind string, x, y float64) {
	b.t.Helper()
	b.Call("Input.dispatchMouseEvent",
		map[string]any{
			"type": kind, "x": x, "y": y,
			"button": map[bool]string{true: "none", false: "left"}[kind == "mouseMoved"], "clickCount": 1,
		}, nil)
}

// Key presses a key.
func (b *Browser) Key(name string) {
	b.t.Helper()
	b.Call("Input.dispatchKeyEvent", map[string]any{"type": "keyDown", "key": name}, nil)
	b.Call("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": name}, nil)
}

// Settle waits until the browser has drawn all changes that scripts have requested.
func (b *Browser) Settle() {
	b.t.Helper()
	Eval[bool](b, `new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`)
}

// Screenshot returns a PNG image of the page, and saves it in the directory named by the
// environment variable VIZ_SCREENSHOTS.
func (b *Browser) Screenshot(name string) []byte {
	b.t.Helper()
	var r struct{ Data string }
	b.Call("Page.captureScreenshot", map[string]any{"format": "png"}, &r)
	png, err := base64.StdEncoding.DecodeString(r.Data)
	require.NoError(b.t, err)
	if dir := os.Getenv("VIZ_SCREENSHOTS"); dir != "" {
		require.NoError(b.t, os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644))
	}
	return png
}
