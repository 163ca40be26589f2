package peft_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/safetensors"
	"github.com/gotorch/gotorch/torchtest"
	"github.com/gotorch/gotorch/transformers/gguf"
	"github.com/gotorch/gotorch/transformers/models"
	"github.com/gotorch/gotorch/transformers/models/llama"
	"github.com/gotorch/gotorch/transformers/peft"
	"github.com/gotorch/gotorch/transformers/quant"
)

// smallLlama returns a model with random weights.
func smallLlama(t *testing.T, tied bool) *llama.ForCausalLM {
	t.Helper()
	torch.ManualSeed(1)
	m, err := llama.NewForCausalLM(llama.Config{
		ModelType: "llama", VocabSize: 61, HiddenSize: 64, IntermediateSize: 96, HiddenLayers: 2, AttentionHeads: 4,
		KeyValueHeads: 2, HiddenAct: "silu", MaxPositions: 64, InitializerRange: 0.1, RMSNormEps: 1e-6,
		TieWordEmbedding: tied, Rope: models.Rope{Type: "default", Theta: 10000},
	})
	require.NoError(t, err)
	m.Eval()
	return m
}

func ids() *torch.Tensor { return torch.FromSlice([]int64{5, 9, 33, 12, 7, 41, 3, 17, 17, 18}, 1, 10) }

// names returns the names of the parameters that are trained.
func names(m nn.Module) (out []string) {
	for _, p := range m.ModuleBase().NamedParameters() {
		if p.Tensor.RequiresGrad() {
			out = append(out, p.Name)
		}
	}
	return out
}

// scoped runs fn with a model that is closed afterwards, and checks that nothing leaks.
func scoped(t *testing.T, tied bool, fn func(m *llama.ForCausalLM)) {
	t.Helper()
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		m := smallLlama(t, tied)
		defer func() { require.NoError(t, m.Close()) }()
		fn(m)
	})
}

// random returns options of an adapter that changes results.
func random(opts ...peft.AddOption) []peft.AddOption {
	all := []peft.AddOption{peft.Rank(4), peft.TargetModules("q_proj", "v_proj"), peft.InitWeightsFalse}
	return append(all, opts...)
}

// Several adapters are chosen by name, added up, disabled and deleted.
func TestSeveralAdapters(t *testing.T) {
	scoped(t, false, func(m *llama.ForCausalLM) {
		base := logits(m, ids())
		a, err := peft.Add(m, random(peft.LayersToTransform{0})...)
		require.NoError(t, err)
		one := logits(m, ids())
		assert.False(t, base.Equal(one))
		require.NoError(t, a.Add(random(peft.Name("other"), peft.ModulesToSave("model.norm"))...))
		assert.Equal(t, []string{"default", "other"}, a.Names())
		assert.Equal(t, []string{"default"}, a.Active())
		assert.True(t, one.Equal(logits(m, ids())))
		assert.Len(t, names(m), 4)

		a.SetActive("other")
		two := logits(m, ids())
		assert.False(t, one.Equal(two))
		assert.Len(t, names(m), 9)
		for _, n := range names(m) {
			assert.Contains(t, n, ".other.")
		}
		a.SetActive("default", "other")
		both := logits(m, ids())
		assert.Len(t, names(m), 13)
		require.NoError(t, a.Merge())
		torchtest.AllClose(t, both, logits(m, ids()), torchtest.ATol(1e-5))
		a.Unmerge()
		torchtest.AllClose(t, both, logits(m, ids()), torchtest.ATol(1e-5))
		a.SetActive()
		torchtest.AllClose(t, base, logits(m, ids()), torchtest.ATol(1e-5))
		a.SetActive("other")
		a.Disable(func() { torchtest.AllClose(t, base, logits(m, ids()), torchtest.ATol(1e-5)) })
		torchtest.AllClose(t, two, logits(m, ids()), torchtest.ATol(1e-5))
		a.Delete("other")
		assert.Equal(t, []string{"default"}, a.Active())
		torchtest.AllClose(t, one, logits(m, ids()), torchtest.ATol(1e-5))
		a.Unload()
		torchtest.AllClose(t, base, logits(m, ids()), torchtest.ATol(1e-5))
		assert.Equal(t, "Linear", m.Get("model.layers.0.self_attn.q_proj").ModuleBase().TypeName())
		assert.ErrorIs(t, torch.Try(func() { a.Names() }), torch.ErrClosed)
	})
}

// Each adapter has its folder, and a model loads several.
func TestSaveSeveral(t *testing.T) {
	dir := t.TempDir()
	var want [2]*torch.Tensor
	scoped(t, false, func(m *llama.ForCausalLM) {
		a, err := peft.Add(m, random()...)
		require.NoError(t, err)
		require.NoError(t, a.Add(random(peft.Name("other"), peft.ModulesToSave("lm_head"))...))
		want[0] = torch.Disown(logits(m, ids()))
		a.SetActive("other")
		want[1] = torch.Disown(logits(m, ids()))
		require.NoError(t, a.Save(dir))
		require.NoError(t, m.Close())

		m = smallLlama(t, false)
		a, err = peft.Load(m, filepath.Join(dir, "other"), peft.Name("x"), peft.IsTrainable(true))
		require.NoError(t, err)
		assert.True(t, want[1].Equal(logits(m, ids())))
		require.NoError(t, a.Load(dir))
		assert.Len(t, names(m), 9)
		a.SetActive("default")
		assert.True(t, want[0].Equal(logits(m, ids())))
		require.NoError(t, m.Close())
		for _, x := range want {
			require.NoError(t, x.Close())
		}
	})
}

// An adapter of quantised layers is trained as one of the unpacked layers.
func TestQuantised(t *testing.T) {
	scoped(t, true, func(m *llama.ForCausalLM) {
		n, err := quant.Quantize(m, gguf.TypeQ8_0)
		require.NoError(t, err)
		assert.Equal(t, 14, n)
		twin := smallLlama(t, true)
		defer func() { require.NoError(t, twin.Close()) }()
		torch.NoGrad(func() {
			for _, c := range nn.NamedModules(m) {
				if q, ok := c.Module.(*quant.Linear); ok {
					twin.GetParameter(c.Name + ".weight").Copy_(q.Dequantize())
				}
			}
		})
		x := torch.RandInt(0, 61, torch.Shape{3, 20}) // with many rows, quantised layers are exact
		var grads [2][]*torch.Tensor
		for i, m := range []*llama.ForCausalLM{m, twin} {
			torch.ManualSeed(2)
			a, err := peft.Add(m, peft.TargetModules(peft.AllLinear), peft.InitWeightsFalse)
			require.NoError(t, err)
			assert.Len(t, a.Parameters(), 28)
			m.Forward(x).Square().Mean().Backward()
			for _, p := range a.Parameters() {
				grads[i] = append(grads[i], p.Grad())
			}
			if i == 0 {
				err := a.Merge()
				require.ErrorIs(t, err, torch.ErrUnsupported)
				assert.ErrorContains(t, err, "quant.Dequantize")
				assert.ErrorContains(t, err, "; and 13 more layers")
			}
		}
		for i := range grads[0] {
			torchtest.AllClose(t, grads[1][i], grads[0][i], torchtest.ATol(1e-5), torchtest.RTol(1e-3))
		}
	})
}

// An adapter that was trained on quantised layers is merged into the dequantised ones.
func TestMergeDequantised(t *testing.T) {
	scoped(t, true, func(m *llama.ForCausalLM) {
		_, err := quant.Quantize(m, gguf.TypeQ8_0)
		require.NoError(t, err)
		x := torch.RandInt(0, 61, torch.Shape{3, 20}) // with many rows, quantised layers are exact
		a, err := peft.Add(m, peft.TargetModules(peft.AllLinear), peft.InitWeightsFalse)
		require.NoError(t, err)
		m.Eval()
		want, dir := m.Forward(x), t.TempDir()
		require.NoError(t, a.Save(dir))
		a.Unload()
		assert.Equal(t, 14, quant.Dequantize(m))
		a, err = peft.Load(m, dir)
		require.NoError(t, err)
		require.NoError(t, a.Merge())
		a.Unload()
		torchtest.AllClose(t, want, m.Forward(x), torchtest.ATol(1e-5), torchtest.RTol(1e-3))
	})
}

// A wrong configuration is an error that leaves the model as it was.
func TestConfigurationErrors(t *testing.T) {
	target := peft.TargetModules("q_proj")
	for name, c := range map[string]struct {
		kind error
		text string
		opts []peft.AddOption
	}{
		"no target":   {torch.ErrValue, "target_modules", nil},
		"no match":    {torch.ErrValue, "no layer matches", []peft.AddOption{peft.TargetModules("query")}},
		"wrong layer": {torch.ErrUnsupported, "a RMSNorm", []peft.AddOption{peft.TargetModules("model.norm")}},
		"rank":        {torch.ErrValue, "r: ", []peft.AddOption{target, peft.Rank(0)}},
		"dropout":     {torch.ErrValue, "lora_dropout", []peft.AddOption{target, peft.Dropout(1.5)}},
		"bias":        {torch.ErrValue, "bias", []peft.AddOption{target, peft.Bias("some")}},
		"name":        {torch.ErrValue, "name", []peft.AddOption{target, peft.Name("a.b")}},
		"regexp":      {torch.ErrUnsupported, "target_modules", []peft.AddOption{peft.TargetRegexp("(?=q)")}},
		"init":        {torch.ErrUnsupported, "init_lora_weights", []peft.AddOption{target, peft.InitWeights("pissa")}},
		"layers": {torch.ErrValue, "layers_to_transform", []peft.AddOption{
			peft.TargetRegexp(".*q_proj"), peft.LayersToTransform{0},
		}},
		"rank pattern": {torch.ErrValue, "rank_pattern", []peft.AddOption{target, peft.RankPattern{"q": 0}}},
		"lora bias": {torch.ErrValue, "lora_bias", []peft.AddOption{
			target, peft.LoRABias(true), peft.UseDoRA(true),
		}},
		"dora embedding": {torch.ErrUnsupported, "use_dora", []peft.AddOption{
			peft.TargetModules("embed_tokens"), peft.UseDoRA(true),
		}},
		"no forward": {torch.ErrUnsupported, "0.self_attn", []peft.AddOption{
			target, peft.ModulesToSave("0.self_attn"),
		}},
	} {
		t.Run(name, func(t *testing.T) {
			scoped(t, false, func(m *llama.ForCausalLM) {
				before := m.String()
				trained := names(m)
				_, err := peft.Add(m, c.opts...)
				require.ErrorIs(t, err, c.kind)
				assert.ErrorContains(t, err, c.text)
				assert.Equal(t, before, m.String())
				assert.Equal(t, trained, names(m))
			})
		})
	}
}

// Misuse panics with a typed error.
func TestMisuse(t *testing.T) {
	scoped(t, false, func(m *llama.ForCausalLM) {
		assert.ErrorIs(t, torch.Try(func() { _, _ = peft.Add(nil) }), torch.ErrNil)
		assert.ErrorIs(t, torch.Try(func() { _, _ = peft.Add(m, nil) }), torch.ErrNil)
		assert.ErrorIs(t, torch.Try(func() { _, _ = peft.Load(m, "", nil) }), torch.ErrNil)
		assert.ErrorIs(t, torch.Try(func() { new(peft.Adapters).Active() }), torch.ErrNil)
		a, err := peft.Add(m, random(peft.ModulesToSave("lm_head"))...)
		require.NoError(t, err)
		_, err = peft.Add(m, random()...)
		require.ErrorIs(t, err, torch.ErrValue)
		require.ErrorIs(t, a.Add(random()...), torch.ErrValue)
		require.NoError(t, a.Add(random(peft.Name("other"), peft.ModulesToSave("lm_head"))...))
		assert.ErrorIs(t, torch.Try(func() { a.SetActive("third") }), torch.ErrIndex)
		assert.ErrorIs(t, torch.Try(func() { a.SetActive("default", "other") }), torch.ErrValue)
		assert.ErrorIs(t, torch.Try(func() { a.Delete("third") }), torch.ErrIndex)
		assert.ErrorIs(t, torch.Try(func() { a.Disable(nil) }), torch.ErrNil)
	})
}

// A folder that does not fit is an error that leaves the model as it was.
func TestFileErrors(t *testing.T) {
	good := t.TempDir()
	scoped(t, false, func(m *llama.ForCausalLM) {
		a, err := peft.Add(m, random()...)
		require.NoError(t, err)
		require.NoError(t, a.Save(good))
	})
	config, err := os.ReadFile(filepath.Join(good, "adapter_config.json"))
	require.NoError(t, err)
	for name, c := range map[string]struct {
		kind     error
		old, new string // a change of adapter_config.json
		change   func(all map[string]*torch.Tensor)
	}{
		"no folder":  {kind: fs.ErrNotExist, old: string(config)},
		"no JSON":    {kind: torch.ErrFormat, old: "{", new: "["},
		"wrong type": {kind: torch.ErrFormat, old: `"r": 4`, new: `"r": "4"`},
		"method":     {kind: torch.ErrUnsupported, old: "LORA", new: "IA3"},
		"extension":  {kind: torch.ErrUnsupported, old: `"r": 4`, new: `"r": 4, "layer_replication": [[0, 1]]`},
		"init": {
			kind: torch.ErrUnsupported, old: `"init_lora_weights": false`, new: `"init_lora_weights": "pissa"`,
		},
		"other rank":  {kind: torch.ErrMismatch, old: `"r": 4`, new: `"r": 5`},
		"other model": {kind: torch.ErrValue, old: "_proj", new: "_other"},
		"too many": {kind: torch.ErrMismatch, change: func(all map[string]*torch.Tensor) {
			all["base_model.model.x.lora_A.weight"] = torch.Zeros(torch.Shape{1})
		}},
		"too few": {kind: torch.ErrNotFound, change: func(all map[string]*torch.Tensor) {
			delete(all, "base_model.model.model.layers.1.self_attn.v_proj.lora_B.weight")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			scoped(t, false, func(m *llama.ForCausalLM) {
				dir := t.TempDir()
				text := strings.ReplaceAll(string(config), c.old, c.new)
				if c.old == "" {
					text = string(config)
				}
				if text != "" {
					require.NoError(t, os.WriteFile(filepath.Join(dir, "adapter_config.json"), []byte(text), 0o600))
				}
				all := readAll(t, filepath.Join(good, "adapter_model.safetensors"))
				if c.change != nil {
					c.change(all)
				}
				require.NoError(t, safetensors.SaveFile(all, filepath.Join(dir, "adapter_model.safetensors")))
				before, trained := m.String(), names(m)
				_, err := peft.Load(m, dir)
				require.ErrorIs(t, err, c.kind)
				t.Log(err)
				assert.Equal(t, before, m.String())
				assert.Equal(t, trained, names(m))
			})
		})
	}
}
