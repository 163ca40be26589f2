package models_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/compilefail"
	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
	"github.com/gotorch/gotorch/transformers/kvcache"
	"github.com/gotorch/gotorch/transformers/models"
	"github.com/gotorch/gotorch/transformers/models/gpt2"
	"github.com/gotorch/gotorch/transformers/models/llama"
)

// module is what the tests need of a model, with and without a head.
type module interface {
	nn.Module
	Forward(ids *torch.Tensor, opts ...models.ForwardOption) *torch.Tensor
}

// TestOptions tests each option of the constructors and of the forward passes alone, after
// another value, and next to a nil option.
func TestOptions(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	l, err := llama.ParseConfig([]byte(`{"model_type": "llama", "vocab_size": 8, "hidden_size": 8,
		"intermediate_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2}`))
	require.NoError(t, err)
	g := gpt2.DefaultConfig()
	g.VocabSize, g.Positions, g.Embd, g.Layers, g.Heads = 8, 16, 8, 1, 2
	for name, make := range map[string]func(opts ...models.NewOption) (module, error){
		"llama.ForCausalLM": func(opts ...models.NewOption) (module, error) { return llama.NewForCausalLM(l, opts...) },
		"llama.Model":       func(opts ...models.NewOption) (module, error) { return llama.NewModel(l, opts...) },
		"gpt2.ForCausalLM":  func(opts ...models.NewOption) (module, error) { return gpt2.NewForCausalLM(g, opts...) },
		"gpt2.Model":        func(opts ...models.NewOption) (module, error) { return gpt2.NewModel(g, opts...) },
	} {
		t.Run(name, func(t *testing.T) {
			newRow(t, make).Check(t)
			torch.ManualSeed(1)
			m, err := make()
			require.NoError(t, err)
			m.ModuleBase().Eval()
			defer func() { require.NoError(t, m.ModuleBase().Close()) }()
			_, headed := m.(models.CausalLM)
			torch.NoGrad(func() { forwardRow(t, m, headed).Check(t) })
		})
	}
}

func newRow(t *testing.T, make func(opts ...models.NewOption) (module, error)) optiontest.Row {
	t.Helper()
	return optiontest.For(func(opts ...models.NewOption) optiontest.Outcome {
		m, err := make(opts...)
		require.NoError(t, err)
		defer func() { require.NoError(t, m.ModuleBase().Close()) }()
		out := ""
		for _, p := range m.ModuleBase().NamedParameters() {
			out += fmt.Sprintln(p.Name, p.Tensor.DType(), p.Tensor.Device())
		}
		return optiontest.Outcome{"parameters": out}
	},
		optiontest.Values(models.Device(torch.Meta), models.Device(torch.CPU)),
		optiontest.Values(models.Device(torch.Meta), models.Device(0)),
		optiontest.Values(models.DType(torch.BFloat16), models.DType(torch.Float64)),
		optiontest.Values(models.DType(torch.BFloat16), models.DType(0)))
}

func forwardRow(t *testing.T, m module, headed bool) optiontest.Row {
	t.Helper()
	tensors := func(values ...int64) *torch.Tensor { return torch.FromSlice(values, 1, 4) }
	mask := func(values ...int64) func() any {
		return func() any { return models.AttentionMask(tensors(values...)) }
	}
	at := func(values ...int64) func() any { return func() any { return models.PositionIDs(tensors(values...)) } }
	spec := kvcache.Uniform(1, kvcache.Layer{Heads: 2, HeadDim: 4}, torch.Float32)
	ids := torch.Disown(tensors(1, 2, 3, 4))
	t.Cleanup(func() { _ = ids.Close() })
	var cache *kvcache.Contiguous // the newest one
	cached := func() any {
		cache = kvcache.New(spec)
		return models.UseCache(cache)
	}
	pairs := []optiontest.Pair{
		optiontest.Values(mask(0, 1, 1, 1), mask(1, 1, 0, 1)),
		optiontest.Values(mask(0, 1, 1, 1), models.AttentionMask(nil)),
		optiontest.Values(at(0, 2, 4, 6), at(0, 1, 3, 3)), optiontest.Values(at(0, 2, 4, 6), models.PositionIDs(nil)),
		optiontest.Refused(models.LogitsToKeep(-1)),
	}
	if headed {
		pairs = append(pairs,
			optiontest.Values(models.LogitsToKeep(1), models.LogitsToKeep(2)),
			optiontest.Values(models.LogitsToKeep(1), models.LogitsToKeep(0)),
			optiontest.Values(models.LogitsAt{1}, models.LogitsAt{0, 2}),
			optiontest.Values(models.LogitsAt{1}, models.LogitsAt(nil)))
	} else {
		pairs = append(pairs, optiontest.Refused(models.LogitsToKeep(1)), optiontest.Refused(models.LogitsAt{1}))
	}
	for i := range pairs {
		pairs[i] = pairs[i].Hides("cached", "it is no cache")
	}
	pairs = append(pairs, optiontest.Values(cached, models.UseCache(nil)).Hides("result", "the cache is empty"))
	return optiontest.For(func(opts ...models.ForwardOption) optiontest.Outcome {
		y := m.Forward(ids, opts...)
		out := optiontest.Outcome{"result": fmt.Sprint(y.Shape(), y.Reshape(-1).Float32s()), "cached": "0"}
		if cache != nil {
			out["cached"] = fmt.Sprint(cache.Len())
			_ = cache.Close()
			cache = nil
		}
		return out
	}, pairs...)
}

// Arguments that do not fit panic with a typed error.
func TestForwardErrors(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	g := gpt2.DefaultConfig()
	g.VocabSize, g.Positions, g.Embd, g.Layers, g.Heads = 8, 16, 8, 1, 2
	m, err := gpt2.NewForCausalLM(g)
	require.NoError(t, err)
	defer func() { require.NoError(t, m.Close()) }()
	torch.Scope(func() {
		x := torch.FromSlice([]int64{1, 2, 3, 4}, 1, 4)
		for name, bad := range map[string]struct {
			want error
			ids  *torch.Tensor
			opt  models.ForwardOption
		}{
			"no ids":         {torch.ErrNil, nil, models.LogitsToKeep(0)},
			"one dimension":  {torch.ErrShape, x.Squeeze(0), models.LogitsToKeep(0)},
			"no tokens":      {torch.ErrShape, x.Narrow(1, 0, 0), models.LogitsToKeep(0)},
			"floats":         {torch.ErrDType, x.Float(), models.LogitsToKeep(0)},
			"vocabulary":     {torch.ErrIndex, x.AddScalar(6), models.LogitsToKeep(0)},
			"mask":           {torch.ErrShape, x, models.AttentionMask(torch.Ones(torch.Shape{1, 5}))},
			"rows of mask":   {torch.ErrShape, x, models.AttentionMask(torch.Ones(torch.Shape{2, 4}))},
			"positions":      {torch.ErrShape, x, models.PositionIDs(x.Narrow(1, 0, 3))},
			"large position": {torch.ErrIndex, x, models.PositionIDs(x.AddScalar(13))},
			"logit 4":        {torch.ErrIndex, x, models.LogitsAt{4}},
			"logit -1":       {torch.ErrIndex, x, models.LogitsAt{-1}},
		} {
			assert.ErrorIs(t, torch.Try(func() { m.Forward(bad.ids, bad.opt) }), bad.want, name)
		}
	})
}

func TestForeignOptions(t *testing.T) {
	s := compilefail.Scope{Imports: []string{
		"github.com/gotorch/gotorch/torch", "github.com/gotorch/gotorch/transformers/models",
		"github.com/gotorch/gotorch/transformers/models/llama",
	}, Decls: "var c llama.Config\nvar m models.CausalLM\nvar x *torch.Tensor"}
	s.Accepts(t, "llama.NewForCausalLM(c, models.Device(torch.CPU))", "m.Forward(x, models.LogitsToKeep(1))")
	s.Rejects(t, "llama.NewForCausalLM(c, models.LogitsToKeep(1))", "m.Forward(x, models.DType(torch.Float32))",
		"llama.NewForCausalLM(c, torch.CPU)")
}
