package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/examples/internal/tiles/tilestest"
	"github.com/gotorch/gotorch/internal/sanitized"
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torchtest"
)

// marked returns the line of the pattern's file that leaks, in the format of the tools, or
// "" if no line leaks.
func (p pattern) marked(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(p.name + ".go")
	require.NoError(t, err)
	for i, line := range strings.Split(string(text), "\n") {
		if strings.HasSuffix(line, "// leaks") {
			return fmt.Sprintf("%s.go:%d ", p.name, i+1)
		}
	}
	return ""
}

// all returns the reports about all patterns. It takes seconds.
var all = sync.OnceValue(func() (said []told) {
	for _, p := range gallery {
		said = append(said, p.tell())
	}
	return said
})

// The tools name the line of each leak first. With the fix, memory stays flat over 1,000
// steps.
func TestGallery(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for i, p := range gallery {
		t.Run(p.name, func(t *testing.T) {
			said := all()[i]
			if line := p.marked(t); line == "" {
				assert.Equal(t, "cycles", p.name, "the only one that does not leak")
				assert.Equal(t, "memory did not grow over 50 steps", said.leaky)
			} else {
				assert.Contains(t, said.first(), line, said.leaky)
			}
			if p.garbage {
				assert.Equal(t, "no more tensors are open after 50 steps", said.fixed)
			} else {
				assert.Equal(t, "memory did not grow over 50 steps", said.fixed)
			}
			step, end := p.fixed()
			assert.True(t, memory.AssertNoGrowth(t, sanitized.Or(1000, 100), step))
			end()
		})
	}
}

// -losses writes the curves of the plot. The curve of a leak rises within every ten
// steps. With the fix, the curve ends where it began.
func TestCurves(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	path := filepath.Join(t.TempDir(), "bytes")
	require.NoError(t, run(nil, config{losses: path}, io.Discard))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var bytes []int
	for _, line := range regexp.MustCompile(`(?m)^\d+\.\d{6} (\d+)$`).FindAllStringSubmatch(string(text), -1) {
		n, err := strconv.Atoi(line[1])
		require.NoError(t, err)
		bytes = append(bytes, n)
	}
	require.Len(t, bytes, steps*(2*len(gallery)-1))
	for _, p := range gallery {
		var leaky []int
		if p.garbage {
			for _, n := range p.curve(p.leaky) {
				leaky = append(leaky, int(n))
			}
		} else {
			leaky, bytes = bytes[:steps], bytes[steps:]
		}
		fixed := bytes[:steps]
		bytes = bytes[steps:]
		if p.name == "losses" {
			assert.Equal(t, 1028*steps, leaky[steps-1], "of each step 4 bytes, and 1024 in the graph")
		}
		assert.Equal(t, fixed[steps/2], fixed[steps-1], p.name)
		for n := 9; n < steps-10; n += 10 {
			if p.marked(t) != "" {
				assert.Greater(t, leaky[n+10], leaky[n], "%s, step %d", p.name, n+1)
			} else {
				assert.Equal(t, leaky[n], leaky[n+10], "%s, step %d", p.name, n+1)
			}
		}
	}
}

func TestRun(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	var out strings.Builder
	require.NoError(t, run(nil, config{}, &out))
	assert.Len(t, strings.Split(strings.TrimSpace(out.String()), "\n"), len(gallery))
	assert.ErrorContains(t, run([]string{"losses", "x"}, config{}, io.Discard), `"x"`)

	path := filepath.Join(t.TempDir(), "two.png")
	out.Reset()
	require.NoError(t, run([]string{"returns", "losses"}, config{plot: path}, &out))
	assert.Regexp(t, `^returns: Close .*\nleaky: after 50 steps, before a (?s:.*)\nlosses: losses kept .*\nleaky: memory grew `,
		out.String())
	tilestest.PNG(t, path)
	below := filepath.Join(path, "x")
	require.ErrorIs(t, run([]string{"losses"}, config{plot: below}, io.Discard), syscall.ENOTDIR)
	require.ErrorIs(t, run(nil, config{losses: below}, io.Discard), syscall.ENOTDIR)
	require.ErrorIs(t, run(nil, config{readme: below}, io.Discard), syscall.ENOTDIR)
}

// README.md has the text that -readme writes, and its pictures exist.
func TestREADME(t *testing.T) {
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	want, err := described(".", all())
	require.NoError(t, err)
	has := string(text)
	if !countsNodes(t) {
		has = unlisted.ReplaceAllString(has, "")
	}
	// In a test, functions have the package's name instead of main.
	assert.Contains(t, has, fromMark+strings.ReplaceAll(want, " leaks.", " main.")+toMark,
		"go run ./leaks -readme leaks")
	for _, p := range gallery {
		info, err := os.Stat(filepath.Join("curves", p.name+".png"))
		require.NoError(t, err)
		assert.Less(t, info.Size(), int64(30_000))
	}
}

// unlisted matches README.md's lines about graph nodes that no listed tensor holds.
var unlisted = regexp.MustCompile(`more objects .*\n\+\d+ graph nodes, .*: held by a tensor made before the check.*\n`)

// countsNodes reports whether this version of libtorch counts all graph nodes.
func countsNodes(t *testing.T) bool {
	t.Helper()
	w := weights()
	defer w.Close()
	y := w.Exp()
	defer y.Close()
	m, err := memory.NewMonitor(memory.MonitorOptions{})
	require.NoError(t, err)
	return m.Sample().Nodes > 0
}

func TestMarks(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "README.md"), []byte("# Leaks\n"+toMark+fromMark), 0o600))
	assert.ErrorContains(t, run(nil, config{readme: folder}, io.Discard), "README.md: no line")
}
