package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/examples/internal/tiles/tilestest"
	"github.com/gotorch/gotorch/internal/sanitized"
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// small returns the settings of the short run that testdata/make_losses.py records.
func small() config {
	c := defaults
	c.samples, c.every, c.size, c.radius, c.seed, c.threads = 400, 20, 64, 6, 3, 1
	return c
}

// tiny returns settings for memory tests. Each sample takes less than a millisecond.
func tiny() config {
	c := small()
	c.size, c.radius = 32, 4
	return c
}

var numbers = regexp.MustCompile(`\d+(\.\d+)?(e[-+]\d+)?`)

// The printed text and numbers equal reference.py's. All steps descend to the same
// minimum, so rounding differences do not grow: the losses of 400 steps differ by about
// 1e-5 between kernels with AVX-512 and without AVX.
func TestOutputIsPythons(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	golden, err := os.ReadFile(filepath.Join("testdata", "losses.txt"))
	require.NoError(t, err)
	var out strings.Builder
	require.NoError(t, run(small(), &out))
	assert.Equal(t, numbers.ReplaceAllString(string(golden), "#"), numbers.ReplaceAllString(out.String(), "#"))
	want, got := numbers.FindAllString(string(golden), -1), numbers.FindAllString(out.String(), -1)
	require.Len(t, got, len(want))
	require.Greater(t, len(want), 3*20)
	for i := range want {
		w, err := strconv.ParseFloat(want[i], 64)
		require.NoError(t, err)
		g, err := strconv.ParseFloat(got[i], 64)
		require.NoError(t, err)
		assert.InEpsilon(t, w, g, 1e-3, "number %d of\n%s", i, out.String())
	}
}

// Once the history of measurements is full, the same number of native bytes is in use
// after every sample. Drawing figures in between does not change that.
func TestMemoryIsFlat(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	c := tiny()
	c.samples, c.every, c.leak = sanitized.Or(2000, 600), 500, none
	g, err := watch(c)
	require.NoError(t, err)
	require.Len(t, g.bytes, c.samples)
	for n := c.history; n <= c.samples; n++ {
		require.InDelta(t, g.bytes[499], g.bytes[n-1], 0, "native bytes after sample %d and after 500", n)
	}
	assert.True(t, g.left.None(), "%v", g.left)
}

// lineOf returns the file and the number of the only line that contains text, in the format
// of the leak tools.
func lineOf(t *testing.T, file, text string) string {
	t.Helper()
	source, err := os.ReadFile(file)
	require.NoError(t, err)
	at := 0
	for i, line := range strings.Split(string(source), "\n") {
		if strings.Contains(line, text) {
			require.Zero(t, at, "%q is in two lines of %s", text, file)
			at = i + 1
		}
	}
	require.NotZero(t, at, "%q is not in %s", text, file)
	return fmt.Sprintf("%s:%d ", filepath.Base(file), at)
}

// begins checks that the first entries of list are for the given lines, in this order.
func begins(t *testing.T, list []memory.Growth, with []string) {
	t.Helper()
	require.GreaterOrEqual(t, len(list), len(with))
	for i, line := range with {
		assert.Contains(t, list[i].String(), line, "entry %d", i)
	}
}

// In each of the three leaking variants memory grows, and the leak tools name the line that
// leaks.
func TestLeaksAreNamed(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	loss, image := lineOf(t, "main.go", "return F.MSELoss("), lineOf(t, "aperture/aperture.go", "fft.IFFT2(light")
	mask, seen := lineOf(t, "aperture/aperture.go", ".LeScalar("), lineOf(t, "aperture/aperture.go", ".ClampMin(0)")
	shown := lineOf(t, "figure/figure.go", ".Clone()")
	for _, of := range []struct {
		leak           leak
		every          int      // memory grows once per this many samples
		tensors, bytes []string // the first lines in the reports about tensors and about bytes
	}{
		{leakMeasurements, 1, []string{mask, seen}, []string{mask, seen}},
		{leakLosses, 1, []string{loss}, []string{image}},
		{leakFigures, drawEvery, []string{shown}, []string{shown}},
	} {
		t.Run(string(of.leak), func(t *testing.T) {
			c := tiny()
			c.samples, c.leak = sanitized.Or(50, 40), of.leak
			c.every = c.samples // drawing is slow
			if of.leak == leakFigures {
				c.every = drawEvery
			}
			g, err := watch(c)
			require.NoError(t, err)
			for n := 20; n < c.samples; n += of.every {
				require.Greater(t, g.bytes[n+of.every-1], g.bytes[n-1], "native bytes after sample %d", n+of.every)
			}
			assert.Contains(t, g.left.String(), "more tensors are open")
			begins(t, g.left.Lines, of.tensors)
			begins(t, g.left.Blocks, of.bytes)
			if of.leak == leakLosses {
				require.NotNil(t, g.left.Graph)
				assert.Contains(t, g.left.String(), "their graphs have")
			}
		})
	}
}

func TestStudy(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	c := tiny()
	c.samples, c.memory = sanitized.Or(30, 15), filepath.Join(t.TempDir(), "memory.png")
	var out strings.Builder
	require.NoError(t, run(c, &out))
	parts := strings.Split(strings.TrimSpace(out.String()), "\n\n")
	require.Len(t, parts, 4)
	assert.Regexp(t,
		fmt.Sprintf(`^as it is: \d+ native bytes after %d samples, \d+ after %d\nnothing is left$`, c.samples/4,
			c.samples), parts[0])
	for i, l := range []leak{leakMeasurements, leakLosses, leakFigures} {
		assert.True(t, strings.HasPrefix(parts[i+1], string(l)+": "), parts[i+1])
		assert.Contains(t, parts[i+1], "more tensors are open")
	}
	tilestest.PNG(t, c.memory)
}

func TestPictures(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	folder := t.TempDir()
	c := tiny()
	c.samples, c.every, c.figures, c.plot, c.bench = 4, 2, folder, filepath.Join(folder, "end.png"), true
	var out strings.Builder
	require.NoError(t, run(c, &out))
	assert.Regexp(t, `\nbench steps_per_s=\d+\.\d\d peak_bytes=\d+\n$`, out.String())
	for _, name := range []string{"sample_00002.png", "sample_00004.png", "end.png"} {
		tilestest.PNG(t, filepath.Join(folder, name))
	}
}

func TestMistakes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	gone := filepath.Join(t.TempDir(), "no", "folder")
	for name, c := range map[string]struct {
		change  func(*config)
		kind    error
		message string
	}{
		"no samples":     {func(c *config) { c.samples = 0 }, nil, "-samples"},
		"no interval":    {func(c *config) { c.every = 0 }, nil, "-every"},
		"no history":     {func(c *config) { c.history = -1 }, nil, "-history"},
		"no pixels":      {func(c *config) { c.size = 1 }, nil, "-size"},
		"too many":       {func(c *config) { c.size = 129 }, nil, "-size"},
		"no threads":     {func(c *config) { c.threads = 0 }, torch.ErrValue, ""},
		"no folder":      {func(c *config) { c.figures, c.every = gone, 1 }, os.ErrNotExist, ""},
		"no plot":        {func(c *config) { c.plot, c.samples = gone, 2 }, os.ErrNotExist, ""},
		"no memory plot": {func(c *config) { c.memory, c.samples = gone, 12 }, os.ErrNotExist, ""},
	} {
		bad := tiny()
		c.change(&bad)
		err := run(bad, io.Discard)
		require.Error(t, err, name)
		assert.ErrorContains(t, err, c.message, name)
		if c.kind != nil {
			require.ErrorIs(t, err, c.kind, name)
		}
	}
}
