package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
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
	"github.com/gotorch/gotorch/torch/checkpoint"
	"github.com/gotorch/gotorch/torchtest"
)

// small returns the settings of a training run with two epochs of 7 steps.
func small() config {
	c := defaults
	c.epochs, c.batch, c.accumulate, c.warmup, c.examples, c.threads, c.seed, c.quiet = 2, 32, 3, 5, 640, 1, 3, true
	return c
}

// losses trains, and returns the losses of all batches and the number of steps.
func losses(t *testing.T, c config) (all []float64, steps int) {
	t.Helper()
	require.NoError(t, run(t.Context(), c, func(t *trainer) { all, steps = t.losses, t.Step }))
	return all, steps
}

// The losses equal reference.py's. The first steps have low learning rates, so the losses
// differ only because processors round differently (see examples/fashionmnist). In mixed
// precision the relative rounding error is 2^-8.
func TestLossesArePythons(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	text, err := os.ReadFile("testdata/losses.json")
	require.NoError(t, err)
	var golden struct {
		Losses []float64
		AMP    []float64 `json:"amp_losses"`
	}
	require.NoError(t, json.Unmarshal(text, &golden))
	compare(t, golden.Losses, small(), 1e-4)
	c := small()
	c.amp = true
	compare(t, golden.AMP, c, 1./256)
}

// compare trains and compares the losses with want. The first twenty may differ by
// tolerance. Later losses may differ more, because rounding errors grow.
func compare(t *testing.T, want []float64, c config, tolerance float64) {
	t.Helper()
	got, steps := losses(t, c)
	assert.Equal(t, 14, steps)
	require.Len(t, got, len(want))
	require.Len(t, got, 40)
	for i, w := range want {
		if i == 20 {
			tolerance = 3e-2
		}
		require.InEpsilon(t, w, got[i], tolerance, "batch %d", i)
	}
}

// The losses equal Python's on the same machine, where both round in the same way.
func TestLossesArePythonsHere(t *testing.T) {
	python := pythontest.Interpreter(t, "torch")
	file := filepath.Join(t.TempDir(), "losses")
	pythontest.Run(t, python, "", "reference.py", "--losses", file, "--epochs=2", "--batch=32",
		"--accumulate=3", "--warmup=5", "--examples=640", "--threads=1", "--seed=3")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var want []float64
	for line := range strings.Lines(string(text)) {
		v, err := strconv.ParseFloat(strings.Fields(line)[1], 64)
		require.NoError(t, err)
		want = append(want, v)
	}
	compare(t, want, small(), 1e-4)
}

// With -graph the losses are the same as without. The short last batch and the last step
// of an epoch have their own captured graphs.
func TestGraph(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for name, amp := range map[string]bool{"plain": false, "mixed precision": true} {
		t.Run(name, func(t *testing.T) {
			c := small()
			c.amp, c.epochs, c.examples = amp, 4, 650
			want, _ := losses(t, c)
			c.graph = true
			got, _ := losses(t, c)
			assert.Equal(t, want, got)
		})
	}
}

func TestWorkers(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	plain, _ := losses(t, small())
	c := small()
	c.workers = 2
	loaded, _ := losses(t, c)
	assert.Equal(t, plain, loaded)
}

// After Ctrl-C in the middle of an epoch, the resumed training run has bitwise the same
// losses as an undisturbed one, and the same metrics.
func TestInterruptedAndResumed(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	c := small()
	undisturbed := t.TempDir()
	c.out = undisturbed
	whole, _ := losses(t, c)

	for at, workers := range map[int]int{3: 0, 7: 1, 9: 2} { // the epoch ends after step 7
		c.out, c.resume, c.workers = t.TempDir(), false, workers
		ctx, cancel := context.WithCancel(t.Context())
		var first []float64
		err := run(ctx, c, func(t *trainer) {
			first = t.losses
			if t.Step == at {
				cancel()
			}
		})
		require.ErrorIs(t, err, errInterrupted)
		assert.ErrorContains(t, err, "saved after step "+strconv.Itoa(at))
		assert.Equal(t, 130, report(err))
		c.resume = true
		second, steps := losses(t, c)
		assert.Equal(t, whole, append(first, second...), at)
		assert.Equal(t, 14, steps)
		for _, name := range []string{"metrics.csv", "metrics.jsonl"} {
			want, err := os.ReadFile(filepath.Join(undisturbed, name))
			require.NoError(t, err)
			got, err := os.ReadFile(filepath.Join(c.out, name))
			require.NoError(t, err)
			assert.Equal(t, string(want), string(got), name)
		}
	}
}

// A damaged state is skipped and reported. The training continues from the state before it,
// and ends with the same losses.
func TestDamagedState(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	c := small()
	c.steps = 9
	whole, _ := losses(t, c)
	c.out = t.TempDir()
	for _, at := range []int{3, 6} {
		ctx, cancel := context.WithCancel(t.Context())
		err := run(ctx, c, func(t *trainer) {
			if t.Step == at {
				cancel()
			}
		})
		require.ErrorIs(t, err, errInterrupted)
		c.resume = true
	}
	states, err := checkpoint.List(filepath.Join(c.out, "checkpoints"))
	require.NoError(t, err)
	require.Len(t, states, 2)
	require.NoError(t, os.Truncate(states[1].Path, states[1].Size-1000))
	rest, steps := losses(t, c)
	assert.Equal(t, 9, steps)
	assert.Equal(t, whole[len(whole)-len(rest):], rest)
	assert.Len(t, rest, len(whole)-3*c.accumulate, "from step 3 on")
}

func TestInterruptedWithoutAFolder(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := run(ctx, small(), nil)
	require.ErrorIs(t, err, errInterrupted)
	assert.ErrorContains(t, err, "without -out nothing is saved")
}

// A killed process may have written metrics for steps that it did not save. When the
// training resumes, those lines are removed.
func TestMetrics(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	c := small()
	c.out = t.TempDir()
	all, _ := losses(t, c)
	read := func() ([][]string, []record) {
		f, err := os.Open(filepath.Join(c.out, "metrics.csv"))
		require.NoError(t, err)
		defer f.Close()
		rows, err := csv.NewReader(f).ReadAll()
		require.NoError(t, err)
		text, err := os.ReadFile(filepath.Join(c.out, "metrics.jsonl"))
		require.NoError(t, err)
		var records []record
		for line := range strings.Lines(string(text)) {
			var r record
			require.NoError(t, json.Unmarshal([]byte(line), &r))
			records = append(records, r)
		}
		return rows, records
	}
	rows, records := read()
	require.Len(t, rows, 1+14)
	require.Len(t, records, 14)
	assert.Equal(t, []string{"step", "epoch", "loss", "lr", "norm"}, rows[0])
	assert.Equal(t, []string{"8", "2"}, rows[8][:2])
	assert.Equal(t, record{Step: 8, Epoch: 2, Loss: all[22], LR: records[7].LR, Norm: records[7].Norm}, records[7])
	assert.InDelta(t, c.lr*0.01, records[0].LR, 1e-12, "the warm-up's beginning")
	assert.Less(t, records[13].LR, records[6].LR, "the cosine falls")
	boards, err := filepath.Glob(filepath.Join(c.out, "events.out.tfevents.*"))
	require.NoError(t, err)
	assert.Len(t, boards, 1)

	f, err := os.OpenFile(filepath.Join(c.out, "metrics.csv"), os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString("15,3,1,1,1\n16,3,")
	require.NoError(t, errors.Join(err, f.Close()))
	c.resume, c.epochs = true, 2
	require.NoError(t, run(t.Context(), c, nil))
	again, _ := read()
	assert.Equal(t, rows, again)
}

// The best weights are from the best epoch. The training stops after -patience epochs
// without a better validation result.
func TestEarlyStopping(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	c := small()
	c.epochs, c.patience, c.lr = 9, 2, 0 // with a learning rate of 0 the weights do not change
	var last int
	require.NoError(t, run(t.Context(), c, func(t *trainer) { last = t.Epoch + 1 }))
	assert.Equal(t, 3, last, "the first epoch is the best, and two are no better")
}

func TestPlot(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	c := small()
	c.plot, c.steps = filepath.Join(t.TempDir(), "out.png"), 4
	_, steps := losses(t, c)
	assert.Equal(t, 4, steps)
	tilestest.PNG(t, c.plot)
}

func TestProfile(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	c := small()
	c.profile, c.epochs = filepath.Join(t.TempDir(), "trace.json"), 1
	require.NoError(t, run(t.Context(), c, nil))
	text, err := os.ReadFile(c.profile)
	require.NoError(t, err)
	assert.True(t, json.Valid(text))
	assert.Contains(t, string(text), "aten::conv2d")

	c.profile = filepath.Join(t.TempDir(), "no", "trace.json")
	require.ErrorIs(t, run(t.Context(), c, nil), os.ErrNotExist)
}

func TestMistakes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for name, c := range map[string]struct {
		change func(*config)
		want   error
	}{
		"no data":       {func(c *config) { c.data = t.TempDir() }, os.ErrNotExist},
		"no threads":    {func(c *config) { c.threads = 0 }, torch.ErrValue},
		"no device":     {func(c *config) { c.device = "abacus" }, torch.ErrValue},
		"nothing saved": {func(c *config) { c.resume, c.out = true, t.TempDir() }, os.ErrNotExist},
		"no folder":     {func(c *config) { c.out = filepath.Join("main.go", "x") }, nil},
		"no batch":      {func(c *config) { c.batch = 0 }, nil},
		"no examples":   {func(c *config) { c.examples = 0 }, nil},
		"a norm below":  {func(c *config) { c.clip = -1 }, torch.ErrValue},
		"no images": {func(c *config) {
			c.data = t.TempDir()
			require.NoError(t,
				os.WriteFile(filepath.Join(c.data, "train-images-idx3-ubyte"), []byte("not images"), 0o600))
		}, torch.ErrFormat},
		"another state": {func(c *config) {
			c.resume, c.out = true, t.TempDir()
			states := filepath.Join(c.out, "checkpoints")
			require.NoError(t, os.Mkdir(states, 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(states, "000001-step-3.pt"), []byte("not a state"), 0o600))
		}, torch.ErrFormat},
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
