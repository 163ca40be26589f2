package peft_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/pythontest"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/safetensors"
	"github.com/gotorch/gotorch/torchtest"
	"github.com/gotorch/gotorch/transformers"
	"github.com/gotorch/gotorch/transformers/models"
	"github.com/gotorch/gotorch/transformers/peft"
)

// settings are keyword arguments in Python.
type settings map[string]any

// row is a model with an adapter, in Python and in Go.
type row struct {
	Kind     string           `json:"kind"`
	Settings settings         `json:"settings"`
	LoRA     settings         `json:"lora"`
	DType    string           `json:"dtype"`
	opts     []peft.AddOption // the options that LoRA stands for
	noMerge  bool             // the weights are tied
}

func rows() map[string]row {
	qv, task := []string{"q_proj", "v_proj"}, peft.TaskType("CAUSAL_LM")
	return map[string]row{
		"llama": {
			Kind: "llama", LoRA: settings{"r": 8, "lora_alpha": 16, "target_modules": qv, "task_type": "CAUSAL_LM"},
			opts: []peft.AddOption{peft.Rank(8), peft.Alpha(16), peft.TargetModules("q_proj", "v_proj"), task},
		},
		"dropout": {
			Kind: "llama",
			LoRA: settings{"lora_alpha": 16, "lora_dropout": 0.25, "use_rslora": true, "target_modules": "all-linear"},
			opts: []peft.AddOption{
				peft.Alpha(16), peft.Dropout(0.25), peft.UseRSLoRA(true), peft.TargetModules(peft.AllLinear),
			},
		},
		"patterns": {
			Kind: "llama", Settings: settings{"tie_word_embeddings": false},
			LoRA: settings{
				"target_modules": `.*\.(up_proj|o_proj|embed_tokens)`,
				"rank_pattern":   settings{"layers.0.mlp.up_proj": 3},
				"alpha_pattern":  settings{"o_.*": 5}, "exclude_modules": `.*layers\.1\.self.*`,
			},
			opts: []peft.AddOption{
				peft.TargetRegexp(`.*\.(up_proj|o_proj|embed_tokens)`),
				peft.RankPattern{"layers.0.mlp.up_proj": 3},
				peft.AlphaPattern{"o_.*": 5},
				peft.ExcludeRegexp(`.*layers\.1\.self.*`),
			},
		},
		"bias": {
			Kind: "llama", Settings: settings{"attention_bias": true, "mlp_bias": true},
			LoRA: settings{
				"target_modules": qv, "layers_to_transform": []int{1}, "layers_pattern": "layers", "bias": "all",
				"lora_bias": true, "init_lora_weights": false,
			},
			opts: []peft.AddOption{
				peft.TargetModules("q_proj", "v_proj"),
				peft.LayersToTransform{1},
				peft.LayersPattern("layers"),
				peft.BiasAll, peft.LoRABias(true), peft.InitWeightsFalse,
			},
		},
		"saved": {
			Kind: "llama", Settings: settings{"tie_word_embeddings": true},
			LoRA: settings{
				"target_modules": qv, "exclude_modules": []string{"0.self_attn.v_proj"},
				"modules_to_save": []string{"norm", "lm_head"},
			},
			opts: []peft.AddOption{
				peft.TargetModules("q_proj", "v_proj"), peft.ModulesToSave("norm", "lm_head"),
				peft.ExcludeModules("0.self_attn.v_proj"),
			},
		},
		"tied": {
			Kind: "llama", Settings: settings{"tie_word_embeddings": true},
			LoRA:    settings{"target_modules": []string{"embed_tokens", "k_proj"}},
			opts:    []peft.AddOption{peft.TargetModules("embed_tokens", "k_proj")},
			noMerge: true,
		},
		"dora": {
			Kind: "llama", Settings: settings{"attention_bias": true},
			LoRA: settings{"target_modules": qv, "use_dora": true, "init_lora_weights": "gaussian"},
			opts: []peft.AddOption{
				peft.TargetModules("q_proj", "v_proj"), peft.UseDoRA(true), peft.InitWeightsGaussian,
			},
		},
		"dora_dropout": {
			Kind: "gpt2", LoRA: settings{"target_modules": []string{"c_attn"}, "use_dora": true, "lora_dropout": 0.5},
			opts: []peft.AddOption{peft.TargetModules("c_attn"), peft.UseDoRA(true), peft.Dropout(0.5)},
		},
		"bfloat16": {
			Kind: "llama", DType: "bfloat16", LoRA: settings{"target_modules": qv},
			opts: []peft.AddOption{peft.TargetModules("q_proj", "v_proj")},
		},
		"gpt2": { // the gradients of the biases of keys, in c_attn, would be rounding errors
			Kind: "gpt2", LoRA: settings{
				"target_modules": []string{"c_fc", "c_proj", "wpe"}, "bias": "lora_only", "fan_in_fan_out": true,
			},
			opts: []peft.AddOption{peft.TargetModules("c_fc", "c_proj", "wpe"), peft.BiasLoRAOnly},
		},
	}
}

func (r row) dtype() torch.DType {
	if r.DType == "bfloat16" {
		return torch.BFloat16
	}
	return torch.Float32
}

// inPython runs the rows in Python and returns the folder with the results.
func inPython(t *testing.T, rows map[string]row) string {
	t.Helper()
	python := pythontest.Interpreter(t, "torch", "transformers", "peft")
	dir := t.TempDir()
	for name, r := range rows {
		if r.DType == "" {
			r.DType = "float32"
		}
		if r.Settings == nil {
			r.Settings = settings{}
		}
		rows[name] = r
	}
	b, err := json.Marshal(rows)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "cases.json")
	require.NoError(t, os.WriteFile(path, b, 0o600))
	pythontest.Run(t, python, ".", filepath.Join("testdata", "lora.py"), path, dir)
	return dir
}

func loadModel(t *testing.T, dir string, dtype torch.DType) models.CausalLM {
	t.Helper()
	m, err := transformers.LoadCausalLM(dir, models.DType(dtype))
	require.NoError(t, err)
	return m
}

func readAll(t *testing.T, path string) map[string]*torch.Tensor {
	t.Helper()
	all, err := safetensors.LoadFile(path)
	require.NoError(t, err)
	return all
}

func logits(m models.CausalLM, ids *torch.Tensor) (y *torch.Tensor) {
	m.Eval()
	torch.NoGrad(func() { y = m.Forward(ids).Float() })
	return y
}

// saved returns the tensors that a.Save writes.
func saved(t *testing.T, a *peft.Adapters) map[string]*torch.Tensor {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, a.Save(dir))
	return readAll(t, filepath.Join(dir, "adapter_model.safetensors"))
}

// hasTensors compares the tensors whose names start with prefix.
func hasTensors(
	t *testing.T, want map[string]*torch.Tensor, prefix string, got map[string]*torch.Tensor,
	tol ...torchtest.CloseOption,
) {
	t.Helper()
	count := 0
	for name, x := range want {
		short, ok := strings.CutPrefix(name, prefix)
		if !ok {
			continue
		}
		count++
		if assert.Contains(t, got, short) {
			torchtest.AllClose(t, x, got[short], tol...)
		}
	}
	assert.Len(t, got, count)
}

func TestEqualsPython(t *testing.T) {
	all := rows()
	dir := inPython(t, all)
	t.Run("training", func(t *testing.T) { testTraining(t, all, dir) })
	t.Run("files", func(t *testing.T) { testFiles(t, all, dir) })
	t.Run("conv", func(t *testing.T) { testConv(t, filepath.Join(dir, "conv", "cases.safetensors")) })
}

// Initial values, logits and the losses of ten steps equal Python's, and so do the merged
// weights.
func testTraining(t *testing.T, all map[string]row, dir string) {
	t.Helper()
	for name, r := range all {
		t.Run(name, func(t *testing.T) {
			defer torchtest.CheckLeaks(t)()
			torch.Scope(func() {
				folder := filepath.Join(dir, name)
				want := readAll(t, filepath.Join(folder, "cases.safetensors"))
				tol := []torchtest.CloseOption{torchtest.ATol(2e-5), torchtest.RTol(1e-4)}
				if r.DType == "bfloat16" {
					tol = []torchtest.CloseOption{torchtest.ATol(2e-2), torchtest.RTol(2e-2)}
				}
				m := loadModel(t, folder, r.dtype())
				defer func() { require.NoError(t, m.ModuleBase().Close()) }()
				torch.ManualSeed(7)
				a, err := peft.Add(m, r.opts...)
				require.NoError(t, err)
				hasTensors(t, want, "init.", saved(t, a), torchtest.ATol(0), torchtest.RTol(0))
				torchtest.AllClose(t, want["first"], logits(m, want["ids"]), tol...)
				train(t, m, a, want["ids"], want["losses"].Float32s(), r.DType)
				torchtest.AllClose(t, want["trained"], logits(m, want["ids"]), tol...)
				hasTensors(t, want, "state.", saved(t, a), torchtest.ATol(2e-4), torchtest.RTol(1e-2))
				a.Disable(func() { torchtest.AllClose(t, want["disabled"], logits(m, want["ids"]), tol...) })
				if r.noMerge {
					assert.ErrorIs(t, a.Merge(), torch.ErrUnsupported)
					return
				}
				require.NoError(t, a.Merge())
				torchtest.AllClose(t, want["merged"], logits(m, want["ids"]), tol...)
				a.Unmerge()
				torchtest.AllClose(t, want["unmerged"], logits(m, want["ids"]), tol...)
				require.NoError(t, a.Merge())
				a.Unload()
				hasTensors(t, want, "weights.", m.ModuleBase().StateDict().Map(), torchtest.ATol(2e-4),
					torchtest.RTol(1e-2))
			})
		})
	}
}

// train makes ten steps and compares the losses.
func train(t *testing.T, m models.CausalLM, a *peft.Adapters, ids *torch.Tensor, losses []float32, dtype string) {
	t.Helper()
	opt := optim.NewAdamW(a.Parameters(), optim.LR(1e-2))
	defer opt.Close()
	m.Train()
	torch.ManualSeed(11)
	delta := 2e-6
	if dtype == "bfloat16" {
		delta = 5e-3
	}
	exact := 0
	for i, want := range losses {
		torch.Scope(func() {
			loss := models.CausalLoss(m.Forward(ids), ids)
			opt.ZeroGrad()
			loss.Backward()
			opt.Step()
			got := loss.Item()
			assert.InDelta(t, want, got, delta, "step %d", i)
			if float32(got) == want {
				exact++
			}
		})
	}
	t.Logf("%d of %d losses have the same bits", exact, len(losses))
}

// Adapters that Python saved give Python's logits, and Python reads what Go saves.
func testFiles(t *testing.T, all map[string]row, dir string) {
	t.Helper()
	again := t.TempDir()
	for name, r := range all {
		t.Run(name, func(t *testing.T) {
			defer torchtest.CheckLeaks(t)()
			torch.Scope(func() {
				folder := filepath.Join(dir, name)
				want := readAll(t, filepath.Join(folder, "cases.safetensors"))
				m := loadModel(t, folder, r.dtype())
				defer func() { require.NoError(t, m.ModuleBase().Close()) }()
				a, err := peft.Load(m, filepath.Join(folder, "adapter"))
				require.NoError(t, err)
				assert.Empty(t, a.Parameters())
				tol := []torchtest.CloseOption{torchtest.ATol(2e-6), torchtest.RTol(1e-5)}
				if r.DType == "bfloat16" {
					tol = []torchtest.CloseOption{torchtest.ATol(0), torchtest.RTol(0)}
				}
				torchtest.AllClose(t, want["trained"], logits(m, want["ids"]), tol...)
				hasTensors(t, want, "state.", saved(t, a), torchtest.ATol(0), torchtest.RTol(0))
				require.NoError(t, a.Save(filepath.Join(again, name, "saved")))
			})
		})
		for _, file := range []string{"config.json", "model.safetensors", "cases.safetensors"} {
			require.NoError(t, os.MkdirAll(filepath.Join(again, name), 0o700))
			require.NoError(t, os.Link(filepath.Join(dir, name, file), filepath.Join(again, name, file)))
		}
	}
	pythontest.Run(t, pythontest.Interpreter(t, "torch", "transformers", "peft"), ".",
		filepath.Join("testdata", "load.py"), again)
	for name := range all {
		torch.Scope(func() {
			want := readAll(t, filepath.Join(dir, name, "cases.safetensors"))
			got := readAll(t, filepath.Join(again, name, "logits.safetensors"))
			torchtest.AllClose(t, want["trained"], got["logits"], torchtest.ATol(2e-6), torchtest.RTol(1e-5))
			delete(got, "logits")
			state := map[string]*torch.Tensor{}
			for k, x := range got {
				state[strings.TrimPrefix(k, "state.")] = x
			}
			hasTensors(t, want, "state.", state, torchtest.ATol(0), torchtest.RTol(0))
		})
	}
}

// Adapters of convolutions have Python's initial values, loss, gradients and merged weights.
func testConv(t *testing.T, path string) {
	t.Helper()
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		want := readAll(t, path)
		m := nn.NewSequential(nn.NewConv2d(3, 8, 3, nn.Stride(2), nn.Padding(1)), nn.NewReLU(), nn.NewConv2d(8, 8, 1),
			nn.NewReLU(), nn.NewConv2d(8, 4, []int64{3, 5}, nn.PaddingSame, nn.Bias(false)))
		defer func() { require.NoError(t, m.Close()) }()
		weights := map[string]*torch.Tensor{}
		for k, x := range want {
			if name, ok := strings.CutPrefix(k, "model."); ok {
				weights[name] = x
			}
		}
		require.NoError(t, m.LoadStateDict(nn.NewStateDict(weights)))
		torch.ManualSeed(7)
		a, err := peft.Add(m, peft.Rank(2), peft.TargetModules("0", "2", "4"), peft.InitWeightsFalse)
		require.NoError(t, err)
		hasTensors(t, want, "init.", saved(t, a), torchtest.ATol(0), torchtest.RTol(0))
		loss := m.Forward(want["x"]).Square().Mean()
		loss.Backward()
		torchtest.AllClose(t, want["loss"], loss)
		grads := map[string]*torch.Tensor{}
		for _, p := range m.NamedParameters() {
			if g := p.Tensor.Grad(); g != nil {
				grads[p.Name] = g
			}
		}
		hasTensors(t, want, "grad.", grads, torchtest.ATol(1e-6))
		require.NoError(t, a.Merge())
		a.Unload()
		torchtest.AllClose(t, want["merged"], m.Forward(want["x"]), torchtest.ATol(1e-6))
	})
}
