package main

import (
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"github.com/gotorch/gotorch/examples/internal/tiles"
	"github.com/gotorch/gotorch/examples/internal/tiles/tilestest"
	"github.com/gotorch/gotorch/examples/kinematics/robot"
	"github.com/gotorch/gotorch/examples/kinematics/urdf"
	"github.com/gotorch/gotorch/internal/sanitized"
	"github.com/gotorch/gotorch/internal/thorough"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

var memoryFlag = flag.Int("memory", solves(), "number of solves in the test of memory")

func solves() int {
	if thorough.Asked() {
		return sanitized.Or(200, 10)
	}
	return sanitized.Or(50, 10)
}

// small returns the settings of a run with few targets.
func small() config {
	c := defaults
	c.problems, c.retries, c.threads, c.seed = 50, 8, 1, 3
	return c
}

// The output equals reference.py's, which testdata/make_outputs.py recorded.
func TestOutputIsPythons(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, name := range []string{"arm6", "arm7"} {
		want, err := os.ReadFile(filepath.Join("testdata", name+".txt"))
		require.NoError(t, err)
		c := small()
		c.robot = name
		var out strings.Builder
		require.NoError(t, run(c, &out))
		assert.Equal(t, string(want), out.String())
	}
}

// With scopes and Clear, the native bytes are the same before and after each solve, and
// the peak is far lower than without cleanup. The program's flag -memory 1000 runs the
// full study.
func TestMemory(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	c := small()
	c.problems, c.retries, c.memory = 100, 4, *memoryFlag
	description, err := load(c)
	require.NoError(t, err)
	chain, err := robot.NewSerialChain(description, c.end, "", torch.Float64, torch.CPU)
	require.NoError(t, err)
	defer chain.Close()
	torch.SetNumThreads(1)
	s := compare(c, chain)
	require.NoError(t, s.check())
	require.ErrorContains(t, study{changed: 2}.check(), "differed after 2 of the solves")
	assert.LessOrEqual(t, float64(s.tidy.peak), 0.6*float64(s.careless.peak))
	t.Logf("%d solves: peak %.2f and %.2f MiB, time %v and %v", c.memory, mib(s.tidy.peak), mib(s.careless.peak),
		s.tidy.took, s.careless.took)
}

func TestMemoryReport(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	c := small()
	c.problems, c.retries, c.memory = 2, 2, 3
	var out strings.Builder
	require.NoError(t, run(c, &out))
	assert.Contains(t, out.String(), "solves after which other bytes were alive than before: 0\n")
}

func TestPicture(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	c := small()
	c.plot = filepath.Join(t.TempDir(), "arm.png")
	require.NoError(t, run(c, io.Discard))
	tilestest.PNG(t, c.plot)
	c.plot = filepath.Join(t.TempDir(), "no", "arm.png")
	require.ErrorIs(t, run(c, io.Discard), os.ErrNotExist)
}

// An attempt with error 0 is drawn on the logarithmic axis.
func TestConvergenceToZero(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	r := &recorder{problems: 1}
	torch.Scope(func() {
		r.observe(0, torch.Ones(torch.Shape{2}), nil)
		r.observe(1, torch.Zeros(torch.Shape{2}), nil)
	})
	p, err := convergence(r)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "errors.png")
	require.NoError(t, tiles.Save(path, vg.Inch, vg.Inch, []*plot.Plot{p}))
	tilestest.PNG(t, path)
}

func TestBench(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	c := small()
	c.problems, c.retries, c.bench = 2, 2, true
	var out strings.Builder
	require.NoError(t, run(c, &out))
	assert.Regexp(t, `^bench fk=\d+ ik=\d+ iterations=\d+\n$`, out.String())
}

func TestMistakes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	file := filepath.Join(t.TempDir(), "bad.urdf")
	require.NoError(t, os.WriteFile(file, []byte("<robot>\n<link/></robot>"), 0o600))
	for name, c := range map[string]struct {
		change  func(*config)
		kind    error
		message string
	}{
		"no robot":       {func(c *config) { c.robot = "r2d2" }, os.ErrNotExist, ""},
		"no file":        {func(c *config) { c.urdf = file + "x" }, os.ErrNotExist, ""},
		"a bad file":     {func(c *config) { c.urdf = file }, urdf.ErrElement, "bad.urdf: urdf: line 2: <link>"},
		"no link":        {func(c *config) { c.end = "hook" }, nil, `no link "hook"`},
		"bench, no link": {func(c *config) { c.end, c.bench = "hook", true }, nil, `no link "hook"`},
		"no threads":     {func(c *config) { c.threads = 0 }, torch.ErrValue, ""},
		"no problems":    {func(c *config) { c.problems = 0 }, nil, "-problems"},
		"no retries":     {func(c *config) { c.retries = 0 }, nil, "-retries"},
	} {
		bad := small()
		c.change(&bad)
		err := run(bad, io.Discard)
		require.Error(t, err, name)
		assert.ErrorContains(t, err, c.message, name)
		if c.kind != nil {
			require.ErrorIs(t, err, c.kind, name)
		}
	}
}
