package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/examples/internal/tiles/tilestest"
	"github.com/gotorch/gotorch/internal/pythontest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
	tv "github.com/gotorch/gotorch/vision/transforms"
)

// small returns the settings of a training run of one epoch with 12 steps.
func small() config {
	c := defaults
	c.epochs, c.images, c.tests, c.batch, c.warmup, c.threads, c.seed, c.quiet = 1, 48, 8, 4, 5, 1, 3, true
	return c
}

// losses trains, and returns the losses of all steps.
func losses(t *testing.T, c config) (all []float64) {
	t.Helper()
	require.NoError(t, run(t.Context(), c, func(t *trainer) { all = t.losses }))
	return all
}

// The first losses equal reference.py's. Processors round differently, and training amplifies
// the difference: between two processors it was 1e-7 in the first step, 1e-4 in the third and
// 0.1 in the twelfth. In mixed precision the relative rounding error is 2^-8.
// TestLossesArePythonsHere compares all losses on one processor.
func TestLossesArePythons(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	text, err := os.ReadFile("testdata/losses.json")
	require.NoError(t, err)
	var golden struct {
		Losses []float64
		AMP    []float64 `json:"amp_losses"`
	}
	require.NoError(t, json.Unmarshal(text, &golden))
	require.Len(t, golden.Losses, 12)
	const first = 3
	compare(t, golden.Losses[:first], losses(t, small())[:first], 1e-3)
	require.Len(t, golden.AMP, first)
	c := small()
	c.amp, c.steps = true, first
	compare(t, golden.AMP, losses(t, c), 1./128)
}

func compare(t *testing.T, want, got []float64, tolerance float64) {
	t.Helper()
	require.Len(t, got, len(want))
	for i, w := range want {
		require.InEpsilon(t, w, got[i], tolerance, "step %d", i)
	}
}

// The losses equal Python's on the same machine, where both round in the same way.
func TestLossesArePythonsHere(t *testing.T) {
	python := pythontest.Interpreter(t, "torchvision")
	file := filepath.Join(t.TempDir(), "losses")
	pythontest.Run(t, python, "", "reference.py", "--losses", file, "--epochs=1", "--images=48", "--tests=8",
		"--batch=4", "--warmup=5", "--threads=1", "--seed=3")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var want []float64
	for line := range strings.Lines(string(text)) {
		v, err := strconv.ParseFloat(strings.Fields(line)[1], 64)
		require.NoError(t, err)
		want = append(want, v)
	}
	compare(t, want, losses(t, small()), 1e-4)
}

// After each epoch, exactly as many native bytes are in use as before the first
// validation. The history of norms does not grow.
func TestMemory(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	c := small()
	c.epochs, c.images, c.tests = 4, 8, 4
	var left []int64
	var norms, losses int
	require.NoError(t, run(t.Context(), c, func(t *trainer) {
		if len(left) == 0 {
			t.norms = newHistory(3)
		}
		left = append(left, t.left)
		norms, losses = len(t.norms.values()), len(t.losses)
	}))
	assert.Equal(t, make([]int64, 4), left, "bytes that an epoch left")
	assert.Equal(t, 8, losses)
	assert.Equal(t, 3, norms)
}

// An image depends on its number alone, not on the goroutine that draws it.
func TestWorkers(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	set := shapes{seed: 1, n: 3, transform: tv.NewRandomHorizontalFlip(tv.P(0))}
	torch.Scope(func() {
		want := set.Get(2).Value.(tv.Sample)
		torch.Rand(torch.Shape{3}) // images have generators of their own
		got := set.Get(2).Value.(tv.Sample)
		assert.True(t, want.Image.Equal(got.Image))
		assert.Equal(t, want.Boxes.Tensor.Float32s(), got.Boxes.Tensor.Float32s())
	})
	c := small()
	c.images, c.workers = 8, 2
	assert.Len(t, losses(t, c), 2)
}

// Each shape has one color, and touches the four edges of its box.
func TestShapes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	seen := map[int64]bool{}
	for seed := range uint64(20) {
		torch.Scope(func() {
			s := draw(seed)
			n := s.Labels.Numel()
			require.Equal(t, torch.Shape{n, 4}, s.Boxes.Tensor.Shape())
			for i, label := range s.Labels.Int64s() {
				seen[label] = true
				b := s.Boxes.Tensor.Select(0, int64(i)).Long().Int64s()
				assert.GreaterOrEqual(t, min(b[0], b[1]), int64(0))
				assert.LessOrEqual(t, max(b[2], b[3]), int64(size))
				inside := s.Image.Select(2, (b[0]+b[2])/2).Select(1, (b[1]+b[3])/2).Reshape(3, 1, 1)
				same := s.Image.Eq(inside).All(torch.Dim(0))
				box := same.Narrow(0, b[1], b[3]-b[1]).Narrow(1, b[0], b[2]-b[0])
				for dim := range int64(2) {
					edges := box.Any(torch.Dim(1 - dim))
					assert.NotZero(t, edges.Select(0, 0).Item())
					assert.NotZero(t, edges.Select(0, edges.Size(0)-1).Item())
				}
			}
		})
	}
	assert.Equal(t, map[int64]bool{1: true, 2: true, 3: true}, seen)
}

func TestPictures(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	c := small()
	c.images, c.tests = 8, 3
	c.found, c.plot = filepath.Join(t.TempDir(), "found.png"), filepath.Join(t.TempDir(), "curves.png")
	assert.Len(t, losses(t, c), 2)
	tilestest.PNG(t, c.found)
	tilestest.PNG(t, c.plot)
	c.found = filepath.Join(t.TempDir(), "no", "found.png")
	assert.ErrorIs(t, run(t.Context(), c, nil), os.ErrNotExist)
}

func TestInterrupted(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	ctx, cancel := context.WithCancel(t.Context())
	c := small()
	c.epochs, c.images = 2, 8
	err := run(ctx, c, func(*trainer) { cancel() })
	require.ErrorIs(t, err, errInterrupted)
	assert.EqualError(t, err, "interrupted after step 2")
	assert.Equal(t, 130, report(err))
}

func TestMistakes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for name, c := range map[string]struct {
		change func(*config)
		want   error
	}{
		"no threads":     {func(c *config) { c.threads = 0 }, torch.ErrValue},
		"no device":      {func(c *config) { c.device = "abacus" }, torch.ErrValue},
		"a norm below":   {func(c *config) { c.clip = -1 }, torch.ErrValue},
		"no batch":       {func(c *config) { c.batch = 1 }, nil},
		"too few images": {func(c *config) { c.images = 3 }, nil},
		"no folder":      {func(c *config) { c.lossFile = filepath.Join("main.go", "x") }, nil},
	} {
		bad := small()
		c.change(&bad)
		err := run(t.Context(), bad, nil)
		require.Error(t, err, name)
		if c.want != nil {
			assert.ErrorIs(t, err, c.want, name)
		}
		assert.Equal(t, 1, report(err))
	}
	assert.Equal(t, 0, report(nil))
}

func TestHistory(t *testing.T) {
	h := newHistory(3)
	assert.Empty(t, h.values())
	for i := range 5 {
		h.add(float64(i))
	}
	assert.Equal(t, []float64{2, 3, 4}, h.values())
	assert.Equal(t, 3, cap(h.ring))
}
