package main

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/pythontest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
	"github.com/gotorch/gotorch/transformers"
	"github.com/gotorch/gotorch/transformers/chat"
	"github.com/gotorch/gotorch/transformers/generation"
	"github.com/gotorch/gotorch/transformers/models/llama"
)

// lossesOf returns the losses of the first steps of the pretraining.
func lossesOf(t *testing.T, c config) []float64 {
	t.Helper()
	c.lossFile = filepath.Join(t.TempDir(), "losses")
	c.stages = "tokenizer,pretrain"
	require.NoError(t, run(t.Context(), c, nil, new(strings.Builder)))
	return readLosses(t, c.lossFile)
}

func readLosses(t *testing.T, path string) (losses []float64) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) == 2 && fields[0] != "#" {
			v, err := strconv.ParseFloat(fields[1], 64)
			require.NoError(t, err)
			losses = append(losses, v)
		}
	}
	return losses
}

// The losses of twenty steps equal those of reference.py, which is transformers'
// LlamaForCausalLM with the same first weights. Each step amplifies rounding.
func TestLossesArePythons(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	c := small(t)
	c.steps = 20
	b, err := os.ReadFile(filepath.Join("testdata", "losses.json"))
	require.NoError(t, err)
	var want []float64
	require.NoError(t, json.Unmarshal(b, &want))
	assert.InDeltaSlice(t, want, lossesOf(t, c), 1e-4)
}

// reference.py computes the same losses on this machine. Python's transformers loads a
// folder of the program: it has the same tokens of a conversation, the same logits and the
// same answer. One process does both, because starting Python takes most of the time. If
// GOTORCH_WRITE_GOLDENS is set, the losses become those of testdata.
func TestPython(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	python := pythontest.Interpreter(t, "torch", "transformers")
	c := small(t)
	c.steps, c.export = 20, filepath.Join(t.TempDir(), "first")
	require.NoError(t, run(t.Context(), c, nil, new(strings.Builder)))
	first, path := c.export, filepath.Join(t.TempDir(), "python")
	c.export = ""
	losses := lossesOf(t, c)
	dir := filepath.Join(c.out, "pretrain")
	const script = `
import json, sys
sys.path.insert(0, ".")
dir = sys.argv.pop(1)
import reference
reference.main()
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer
tok = AutoTokenizer.from_pretrained(dir)
model = AutoModelForCausalLM.from_pretrained(dir, dtype=torch.float32)
messages = [dict(role="user", content="What is 3 + 4?"), dict(role="assistant", content="7"),
            dict(role="user", content="Why, é?")]
prompt = tok.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
ids = tok(prompt, add_special_tokens=False, return_tensors="pt").input_ids
with torch.no_grad():
    logits = model(ids).logits[0, -1].tolist()
    new = model.generate(ids, max_new_tokens=5, do_sample=False)[0, ids.shape[1]:].tolist()
json.dump(dict(prompt=prompt, ids=ids[0].tolist(), logits=logits, new=new), open(sys.argv[2] + "/result.json", "w"))
`
	t.Setenv("HF_HUB_OFFLINE", "1")
	pythontest.Script(t, python, "", script, dir, "--folder", first, "--steps", "20", "--batch", strconv.Itoa(c.batch),
		"--warmup", strconv.Itoa(c.warmup), "--threads", "2", "--losses", path)
	want := readLosses(t, path)
	assert.InDeltaSlice(t, want, losses, 1e-4)
	if os.Getenv("GOTORCH_WRITE_GOLDENS") != "" {
		b, err := json.Marshal(want)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join("testdata", "losses.json"), append(b, '\n'), 0o600))
	}
	b, err := os.ReadFile(filepath.Join(first, "result.json"))
	require.NoError(t, err)
	loadedAsPython(t, dir, b)
}

// loadedAsPython compares a model with the results of Python in JSON.
func loadedAsPython(t *testing.T, dir string, results []byte) {
	t.Helper()
	var want struct {
		Prompt   string
		IDs, New []int64
		Logits   []float64
	}
	require.NoError(t, json.Unmarshal(results, &want))
	lm, err := transformers.Load(dir)
	require.NoError(t, err)
	defer lm.Close()
	prompt, err := lm.Prompt([]chat.Message{
		{Role: "user", Content: "What is 3 + 4?"},
		{Role: "assistant", Content: "7"},
		{Role: "user", Content: "Why, é?"},
	})
	require.NoError(t, err)
	assert.Equal(t, want.Prompt, prompt)
	e, err := lm.Tokenizer.Encode(prompt)
	require.NoError(t, err)
	assert.Equal(t, want.IDs, e.IDs)
	torch.NoGrad(func() {
		torch.Scope(func() {
			logits := lm.Model.Forward(torch.FromSlice(e.IDs).Unsqueeze(0)).Select(1, -1).Flatten().Double()
			assert.InDeltaSlice(t, want.Logits, logits.Float64s(), 1e-5)
		})
	})
	texts, err := generation.Generate(t.Context(), lm.Model, [][]int64{e.IDs}, lm.Config, generation.MaxNewTokens(5))
	require.NoError(t, err)
	assert.Equal(t, want.New, texts[0][len(texts[0])-len(want.New):])
}

// The tokens of a conversation are those of its rendered template, and the labels are the
// tokens of the answers.
func TestDialogs(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	c := small(t)
	tok, err := trainTokenizer(&c, []string{"A text."})
	require.NoError(t, err)
	render, err := chat.Parse(template)
	require.NoError(t, err)
	for i := range 100 {
		d := newDialog(rowSource(1, 0, i))
		assert.Equal(t, d, newDialog(rowSource(1, 0, i)))
		ids, labels, err := d.encode(tok)
		require.NoError(t, err)
		text, err := render.Render(d.messages(), chat.Vars{"bos_token": bos})
		require.NoError(t, err)
		e, err := tok.Encode(text)
		require.NoError(t, err)
		assert.Equal(t, e.IDs, ids)
		var answers []string
		for _, q := range d {
			answers = append(answers, q.Answer+assistantEnd)
		}
		learned, err := tok.Decode(slices.DeleteFunc(labels, func(id int64) bool { return id == ignored }))
		require.NoError(t, err)
		assert.Equal(t, strings.ReplaceAll(strings.Join(answers, ""), assistantEnd, ""), learned)
	}
}

// No question of the evaluation is in a conversation of the training.
func TestQuestionsAreHeldOut(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for kind := range kinds {
		asked := map[string]bool{}
		for range 5000 {
			asked[draw(random, kind, false).Text] = true
		}
		for range 200 {
			q, answers := drawChoices(random, kind)
			assert.False(t, asked[q.Text], q.Text)
			assert.Equal(t, q.Answer, answers[0])
			slices.Sort(answers)
			assert.Len(t, slices.Compact(answers), 4)
		}
	}
}

// The plans have the right number of parameters, and those of GPUs fit 80 GB.
func TestPlan(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for name, p := range presets {
		assert.Less(t, p.onGPU(p.batch).total(), int64(80e9), name)
	}
	s := small(t).size
	m, err := llama.NewForCausalLM(s.llama())
	require.NoError(t, err)
	defer m.Close()
	n := int64(0)
	for _, p := range m.Parameters() {
		n += p.Numel()
	}
	assert.Equal(t, n, s.parameters())
	assert.Equal(t, s, sizeOf(m.Config))
	assert.Equal(t, m.CacheSpec().Bytes(2, 10), s.cache(2, 10))
	var out strings.Builder
	c := small(t)
	c.estimate, c.preset, c.size, c.batch = true, "d20", presets["d20"].size, presets["d20"].batch
	require.NoError(t, run(t.Context(), c, nil, &out))
	assert.Regexp(t, `^estimate for -preset d20: depth 20, width 1280, heads 10, context 2048, vocabulary 65536
  4\.78e\+08 parameters, 9\.56e\+09 tokens \(20 per parameter\), 3\.34e\+19 floating-point operations
`, out.String())
}
