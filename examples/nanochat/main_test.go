package main

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/ranks"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
	"github.com/gotorch/gotorch/torchtest"
)

func TestMain(m *testing.M) {
	ranks.Local()
	_ = os.Unsetenv("RANK") // a launcher may have started the tests
	os.Exit(m.Run())
}

// small returns the settings of a run that takes a few seconds.
func small(t *testing.T) config {
	c := defaults
	c.size = size{Depth: 2, Width: 32, Heads: 2, Context: 64, Vocab: 300}
	c.text, c.out = filepath.Join("..", "gpt", "testdata", "text.txt"), t.TempDir()
	c.steps, c.midSteps, c.sftSteps, c.batch, c.warmup = 6, 4, 4, 4, 2
	c.saveEvery, c.printEvery, c.questions, c.threads = 2, 2, 4, 2
	return c
}

// trained runs the first stages and returns their settings.
func trained(t *testing.T, names string) config {
	t.Helper()
	c := small(t)
	c.stages = names
	require.NoError(t, run(t.Context(), c, nil, new(strings.Builder)))
	return c
}

func TestAll(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	c := small(t)
	c.all, c.lossFile = true, filepath.Join(t.TempDir(), "losses")
	var out strings.Builder
	require.NoError(t, run(t.Context(), c, nil, &out))
	text := out.String()
	assert.Regexp(t, `^tokenizer: 300 tokens from 0\.00 MB of text, \d\.\d\d bytes of the held-out text per token
tokenizer: \d+\.\d s

memory plan of pretraining: \d+ parameters, batches of 4 texts with 64 tokens
  parameters +0\.\d\d MB
  gradients +0\.\d\d MB
  optimizer state +0\.\d\d MB
  activations +\d\.\d\d MB
  logits and loss +\d\.\d\d MB
  tokens of the text +0\.\d\d MB
  peak +\d\.\d\d MB
step 2 of 6: loss 5\.\d{4}, \d+ tokens/s
step 4 of 6: loss 5\.\d{4}, \d+ tokens/s
step 6 of 6: loss 5\.\d{4}, \d+ tokens/s
  measured peak +\d\.\d\d MB, \d\.\d\d times the plan
pretrain: \d+\.\d s
`, text)
	assert.Regexp(t, `(?s)memory plan of mid-training.*memory plan of fine-tuning.*memory plan of evaluating sft`, text)
	assert.Regexp(t, `pretrain +\d\.\d{3}( +\d+%){6}\nmid +\d\.\d{3}( +\d+%){6}\nsft +\d\.\d{3}( +\d+%){6}\neval`, text)
	assert.Contains(t, text, "estimate for -preset d20")
	plans := regexp.MustCompile(`, (\d\.\d\d) times the plan`).FindAllStringSubmatch(text, -1)
	assert.Len(t, plans, 6)
	for i, m := range plans {
		share, err := strconv.ParseFloat(m[1], 64)
		require.NoError(t, err)
		assert.Less(t, share, 1.1, "measured memory, as a part of the plan")
		if i < 3 { // the evaluation of a short text has no full batch
			assert.Greater(t, share, 0.9)
		}
	}
	losses, err := os.ReadFile(c.lossFile)
	require.NoError(t, err)
	assert.Equal(t, c.sftSteps+1, strings.Count(string(losses), "\n"), "the losses of the last stage")
	assert.NoDirExists(t, filepath.Join(c.out, "sft", "checkpoints"))

	out.Reset()
	require.NoError(t, run(t.Context(), c, nil, &out))
	assert.Equal(t, 4, strings.Count(out.String(), "finished before"))
	assert.NotContains(t, out.String(), "step ")

	out.Reset()
	c.ask = "What is 3 + 4?"
	require.NoError(t, run(t.Context(), c, nil, &out))
	assert.NotEmpty(t, out.String())
	out.Reset()
	c.ask, c.chat, c.temperature = "", true, 1
	require.NoError(t, run(t.Context(), c, strings.NewReader("Hello?\n\nWhat is 3 + 4?\n"), &out))
	assert.Equal(t, 4, strings.Count(out.String(), "you: "))
	out.Reset()
	require.NoError(t, run(t.Context(), c, strings.NewReader(strings.Repeat("What is 3 + 4? ", 10)), &out))
	assert.Contains(t, out.String(), "too long for the model")
}

// Ctrl-C saves the state, and the same command continues. The result is that of a run
// without interruption, bit for bit.
func TestInterrupted(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	straight := trained(t, "tokenizer,pretrain,mid,sft")
	c := small(t)
	for _, name := range []string{"tokenizer,pretrain", "mid", "sft"} {
		ctx, cancel := context.WithCancel(t.Context())
		var out strings.Builder
		c.stages = name
		err := run(ctx, c, nil, writer(func(p []byte) (int, error) {
			if strings.HasPrefix(string(p), "step 2") {
				cancel()
			}
			return out.Write(p)
		}))
		cancel()
		require.ErrorIs(t, err, errInterrupted)
		require.ErrorContains(t, err, "after step 2")
		assert.Equal(t, 130, report(err))
		require.NoError(t, run(t.Context(), c, nil, &out))
		assert.Contains(t, out.String(), "continues after step 2\n")
	}
	for _, stage := range []string{"pretrain", "mid", "sft"} {
		want, err := os.ReadFile(filepath.Join(straight.out, stage, "model.safetensors"))
		require.NoError(t, err)
		got, err := os.ReadFile(filepath.Join(c.out, stage, "model.safetensors"))
		require.NoError(t, err)
		assert.True(t, bytes.Equal(want, got), "%s: other weights", stage)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c.stages = "eval"
	assert.ErrorIs(t, run(ctx, c, nil, new(strings.Builder)), errInterrupted)
	c.stages, c.ask = "", "Hello?"
	assert.ErrorIs(t, run(ctx, c, nil, new(strings.Builder)), errInterrupted)
	c.ask, c.chat = "", true
	assert.ErrorIs(t, run(ctx, c, strings.NewReader(""), new(strings.Builder)), errInterrupted)
	assert.Zero(t, report(nil))
	assert.Equal(t, 1, report(context.Canceled))
}

type writer func(p []byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

// Two processes with half of the batch each learn the same as one process. The gradients
// are sums in another order, and AdamW divides them by their size, so that rounding changes
// parameters whose gradient is almost 0.
func TestTwoProcesses(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	c := trained(t, "tokenizer,pretrain")
	two := c
	two.out = t.TempDir()
	require.NoError(t, os.CopyFS(two.out, os.DirFS(c.out)))
	c.stages = "mid"
	require.NoError(t, run(t.Context(), c, nil, new(strings.Builder)))
	two.batch /= 2
	outs := make([]strings.Builder, 2)
	ranks.AllWell(t, 2, func(g *distributed.ProcessGroup) error {
		p := &program{config: two, out: &outs[g.Rank()], group: g, dev: torch.CPU}
		return p.runStages(t.Context(), []string{"mid"})
	})
	assert.Contains(t, outs[0].String(), "step 4 of 4")
	assert.Empty(t, outs[1].String())
	a, err := readModel(filepath.Join(c.out, "mid"))
	require.NoError(t, err)
	defer a.Close()
	b, err := readModel(filepath.Join(two.out, "mid"))
	require.NoError(t, err)
	defer b.Close()
	torch.Scope(func() {
		for i, p := range a.Parameters() {
			assert.Less(t, p.Sub(b.Parameters()[i]).Abs().Mean().Item(), 1e-5, "parameter %d", i)
		}
	})
}

func TestMistakes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for want, change := range map[string]func(c *config){
		"no such file":            func(c *config) { c.text = filepath.Join(t.TempDir(), "missing") },
		"a multiple of twice":     func(c *config) { c.Heads = 3 },
		"-context must be":        func(c *config) { c.Context = 32 },
		"-vocab at least 261":     func(c *config) { c.Vocab = 260 },
		"-batch at least 2":       func(c *config) { c.batch = 1 },
		"-questions at least 1":   func(c *config) { c.questions = 0 },
		"abacus":                  func(c *config) { c.device = "abacus" },
		"too few for -context":    func(c *config) { c.Context = 1 << 20 },
		`got "sleep"`:             func(c *config) { c.stages = "sleep" },
		"-stages tokenizer first": func(c *config) { c.stages = "pretrain" },
		"-stages mid first":       func(c *config) { c.stages = "tokenizer,sft" },
		"there is no model":       func(c *config) { c.stages = "eval" },
		"run -all first":          func(c *config) { c.ask = "Hello?" },
		"is a directory":          func(c *config) { c.lossFile = t.TempDir() },
	} {
		c := small(t)
		c.stages = "tokenizer,pretrain"
		change(&c)
		assert.ErrorContains(t, run(t.Context(), c, nil, new(strings.Builder)), want)
	}
	c := small(t)
	c.text = filepath.Join(t.TempDir(), "short.txt")
	require.NoError(t, os.WriteFile(c.text, []byte("Hello."), 0o600))
	c.stages = "tokenizer"
	assert.ErrorContains(t, run(t.Context(), c, nil, new(strings.Builder)), "too few")
}

func TestFlags(t *testing.T) {
	read := func(args ...string) (c config, err error) {
		c = defaults
		f := flag.NewFlagSet("nanochat", flag.ContinueOnError)
		c.register(f)
		require.NoError(t, f.Parse(args))
		return c, c.usePreset(f)
	}
	c, err := read()
	require.NoError(t, err)
	assert.Equal(t, defaults, c)
	assert.False(t, c.asksForSomething())
	c, err = read("-preset", "d20", "-width", "640", "-batch", "3", "-estimate")
	require.NoError(t, err)
	assert.Equal(t, size{Depth: 20, Width: 640, Heads: 10, Context: 2048, Vocab: 65536}, c.size)
	assert.Equal(t, 3, c.batch)
	assert.True(t, c.asksForSomething())
	c, err = read("-depth", "1", "-heads", "1", "-context", "64", "-vocab", "512", "-width", "64")
	require.NoError(t, err)
	assert.Equal(t, size{Depth: 1, Width: 64, Heads: 1, Context: 64, Vocab: 512}, c.size)
	_, err = read("-preset", "d1")
	assert.ErrorContains(t, err, `got "d1"`)
}
