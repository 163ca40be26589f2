package transformers_test

import (
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
	"github.com/gotorch/gotorch/transformers"
	"github.com/gotorch/gotorch/transformers/models"
	"github.com/gotorch/gotorch/transformers/models/bert"
	"github.com/gotorch/gotorch/transformers/models/clip"
	"github.com/gotorch/gotorch/transformers/models/t5"
	"github.com/gotorch/gotorch/transformers/models/vit"
	"github.com/gotorch/gotorch/transformers/models/whisper"
)

// Settings that the models do not have, and invalid ones, are refused by name.
func TestRefusedConfigs(t *testing.T) {
	parsers := map[string]func(string) error{
		"bert":      func(s string) error { _, err := bert.ParseConfig([]byte(s)); return err },
		"vit":       func(s string) error { _, err := vit.ParseConfig([]byte(s)); return err },
		"clip":      func(s string) error { _, err := clip.ParseConfig([]byte(s)); return err },
		"text":      func(s string) error { _, err := clip.ParseTextConfig([]byte(s)); return err },
		"vision":    func(s string) error { _, err := clip.ParseVisionConfig([]byte(s)); return err },
		"t5":        func(s string) error { _, err := t5.ParseConfig([]byte(s)); return err },
		"encoder":   func(s string) error { _, err := t5.ParseEncoderConfig([]byte(s)); return err },
		"whisper":   func(s string) error { _, err := whisper.ParseConfig([]byte(s)); return err },
		"extractor": func(s string) error { _, err := whisper.ParseFeatureExtractor([]byte(s)); return err },
	}
	for _, c := range []struct {
		parser, config string
		kind           error
		says           string // "" if the configuration is valid
	}{
		{"bert", `{"model_type": "bert"}`, nil, ""},
		{"bert", `{"model_type": "bart"}`, torch.ErrUnsupported, "bart"},
		{"bert", `{"model_type": "bert", "is_decoder": true}`, torch.ErrUnsupported, "is_decoder"},
		{"bert", `{"model_type": "bert", "add_cross_attention": true}`, torch.ErrUnsupported, "add_cross_attention"},
		{
			"bert", `{"model_type": "bert", "position_embedding_type": "relative_key"}`,
			torch.ErrUnsupported, "relative_key",
		},
		{"bert", `{"model_type": "bert", "hidden_size": 50}`, torch.ErrFormat, "hidden_size"},
		{"bert", `{"model_type": "bert", "hidden_act": "mish"}`, torch.ErrFormat, "mish"},
		{"bert", `{"model_type": "bert", "hidden_dropout_prob": 2}`, torch.ErrFormat, "hidden_dropout_prob"},
		{"bert", `{"model_type": "bert", "id2label": {"1": "yes"}}`, torch.ErrFormat, "id2label"},
		{"bert", `{"model_type": "bert", "problem_type": "none"}`, torch.ErrFormat, "problem_type"},
		{"bert", `{"model_type": "roberta", "pad_token_id": null}`, torch.ErrFormat, "pad_token_id"},
		{"bert", `[]`, torch.ErrFormat, ""},
		{"vit", `{"model_type": "vit", "image_size": [32, 64]}`, nil, ""},
		{"vit", `{"model_type": "deit"}`, torch.ErrUnsupported, "deit"},
		{"vit", `{"model_type": "vit", "patch_size": 300}`, torch.ErrFormat, "patch_size"},
		{"vit", `{"model_type": "vit", "image_size": [1, 2, 3]}`, torch.ErrFormat, "two"},
		{"clip", `{"model_type": "clip"}`, nil, ""},
		{"clip", `{"model_type": "siglip"}`, torch.ErrUnsupported, "clip"},
		{"clip", `{"model_type": "clip", "text_config": {"vocab_size": 0}}`, torch.ErrFormat, "vocab_size"},
		{
			"clip", `{"model_type": "clip", "vision_config": {"num_attention_heads": 7}}`,
			torch.ErrFormat, "vision_config",
		},
		{"clip", `{"model_type": "clip", "projection_dim": -1}`, torch.ErrFormat, "projection_dim"},
		{"text", `{"model_type": "clip_vision_model"}`, torch.ErrFormat, "model_type"},
		{"vision", `{"model_type": "clip_vision_model", "image_size": 0}`, torch.ErrFormat, "image_size"},
		{"t5", `{"model_type": "t5"}`, nil, ""},
		{"t5", `{"model_type": "umt5"}`, torch.ErrUnsupported, "umt5"},
		{"t5", `{"model_type": "t5", "is_encoder_decoder": false}`, torch.ErrUnsupported, "is_encoder_decoder"},
		{"encoder", `{"model_type": "t5", "is_encoder_decoder": false}`, nil, ""},
		{"encoder", `{"model_type": "t5", "is_decoder": true}`, torch.ErrUnsupported, "is_decoder"},
		{
			"t5", `{"model_type": "t5", "relative_attention_num_buckets": 2}`,
			torch.ErrFormat, "relative_attention_num_buckets",
		},
		{"t5", `{"model_type": "t5", "feed_forward_proj": "gated-mish"}`, torch.ErrFormat, "mish"},
		{"whisper", `{"model_type": "whisper"}`, nil, ""},
		{
			"whisper", `{"model_type": "whisper", "apply_spec_augment": true}`,
			torch.ErrUnsupported, "apply_spec_augment",
		},
		{"whisper", `{"model_type": "whisper", "encoder_layerdrop": 0.1}`, torch.ErrUnsupported, "layerdrop"},
		{"whisper", `{"model_type": "whisper", "d_model": 385}`, torch.ErrFormat, "d_model"},
		{"extractor", `{}`, nil, ""},
		{"extractor", `{"dither": 0.1}`, torch.ErrUnsupported, "dither"},
		{"extractor", `{"do_normalize": true}`, torch.ErrUnsupported, "do_normalize"},
		{"extractor", `{"feature_extractor_type": "ASTFeatureExtractor"}`, torch.ErrUnsupported, "ASTFeatureExtractor"},
		{"extractor", `{"n_fft": 0}`, torch.ErrFormat, "n_fft"},
	} {
		err := parsers[c.parser](c.config)
		if c.kind == nil {
			assert.NoError(t, err, c.config)
			continue
		}
		if assert.ErrorIs(t, err, c.kind, c.config) {
			assert.ErrorContains(t, err, c.says, c.config)
		}
	}
}

// Loaders name the folder's model type if they do not know it, and fail without files.
func TestRefusedFolders(t *testing.T) {
	dir := t.TempDir()
	_, err := transformers.LoadModel(dir)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "config.json"), []byte(`{"model_type": "vit"}`), 0o600))
	_, err = transformers.LoadMaskedLM(dir)
	require.ErrorIs(t, err, torch.ErrUnsupported)
	require.ErrorContains(t, err, `"vit" is not one of bert, camembert, roberta, xlm-roberta`)
	_, err = transformers.LoadImageClassification(dir)
	require.ErrorIs(t, err, os.ErrNotExist)
}

// Invalid arguments panic with the kind of the mistake, and leave nothing behind.
func TestInvalidInputs(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		c := bert.DefaultConfig("bert")
		c.VocabSize, c.HiddenSize, c.AttentionHeads = 20, 8, 2
		c.HiddenLayers, c.IntermediateSize, c.MaxPositions = 1, 8, 6
		m, err := bert.NewModel(c)
		require.NoError(t, err)
		ids, short := torch.Ones(torch.Shape{2, 4}, torch.Int64), torch.Ones(torch.Shape{2, 3}, torch.Int64)
		image, err := vit.NewModel(vit.Config{
			HiddenSize: 8, HiddenLayers: 1, AttentionHeads: 2, IntermediateSize: 8, HiddenAct: "gelu",
			PoolerAct: "tanh", LayerNormEps: 1e-5, ImageSize: models.Size2D{8, 16}, PatchSize: models.Size2D{4, 4},
			Channels: 1, QKVBias: true,
		})
		require.NoError(t, err)
		text, err := clip.NewTextModel(clip.TextConfig{
			VocabSize: 20, HiddenSize: 8, IntermediateSize: 8, HiddenLayers: 1, AttentionHeads: 2, MaxPositions: 6,
			HiddenAct: "gelu", LayerNormEps: 1e-5, Factor: 1,
		})
		require.NoError(t, err)
		for name, c := range map[string]struct {
			kind error
			fn   func()
		}{
			"no tokens":     {torch.ErrNil, func() { m.Forward(nil) }},
			"one dimension": {torch.ErrShape, func() { m.Forward(torch.Ones(torch.Shape{4}, torch.Int64)) }},
			"too long":      {torch.ErrShape, func() { m.Forward(torch.Ones(torch.Shape{1, 7}, torch.Int64)) }},
			"mask":          {torch.ErrShape, func() { m.Forward(ids, models.AttentionMask(short)) }},
			"types":         {torch.ErrShape, func() { m.Forward(ids, models.TokenTypeIDs(short)) }},
			"positions":     {torch.ErrShape, func() { m.Forward(ids, models.PositionIDs(short)) }},
			"nil option":    {torch.ErrNil, func() { m.Forward(ids, nil) }},
			"types of CLIP": {torch.ErrValue, func() { text.Forward(ids, models.TokenTypeIDs(ids)) }},
			"no pixels":     {torch.ErrNil, func() { image.Forward(nil) }},
			"size":          {torch.ErrShape, func() { image.Forward(torch.Ones(torch.Shape{1, 1, 16, 16})) }},
			"channels":      {torch.ErrShape, func() { image.Forward(torch.Ones(torch.Shape{1, 3, 8, 16})) }},
			"no sounds":     {torch.ErrValue, func() { whisper.DefaultFeatureExtractor().Extract(nil) }},
			"no settings":   {torch.ErrValue, func() { whisper.FeatureExtractor{}.Extract([][]float32{{0}}) }},
			"not interpolated": {torch.ErrValue, func() {
				image.Forward(torch.Ones(torch.Shape{1, 1, 16, 16}), models.InterpolatePosEncoding(true))
			}},
		} {
			assert.ErrorIs(t, torch.Try(c.fn), c.kind, name)
		}
		require.NoError(t, m.Close())
		require.NoError(t, image.Close())
		require.NoError(t, text.Close())
	})
}

// The files of a model's folder are regular files, and its layers are no more than its tensors.
func TestHostileFolders(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	tokenizer, err := filepath.Abs("tokenizers/testdata/llama2.json")
	require.NoError(t, err)
	for name, link := range map[string]string{
		"config.json": "/dev/zero", "tokenizer.json": "/dev/zero", "generation_config.json": "/dev/zero",
		"tokenizer_config.json": "/dev/zero", "chat_template.jinja": "/dev/zero",
	} {
		dir := t.TempDir()
		require.NoError(t, os.Symlink(link, filepath.Join(dir, name)))
		if name != "tokenizer.json" {
			require.NoError(t, os.Symlink(tokenizer, filepath.Join(dir, "tokenizer.json")))
		}
		if name == "chat_template.jinja" {
			require.NoError(t, os.WriteFile(filepath.Join(dir, "tokenizer_config.json"), []byte("{}"), 0o600))
		}
		_, err := transformers.Load(dir)
		require.ErrorContains(t, err, "expected a file, got a device", name)
	}
	dir := t.TempDir()
	require.NoError(t, os.Symlink("/dev/zero", filepath.Join(dir, "modules.json")))
	_, err = transformers.LoadSentenceTransformer(dir)
	require.ErrorContains(t, err, "expected a file, got a device")
	for _, config := range []string{
		`{"model_type": "llama", "num_hidden_layers": 65536, "hidden_size": 8, "num_attention_heads": 2}`,
		`{"model_type": "gpt2", "n_layer": 65536, "n_embd": 8, "n_head": 2}`,
		`{"model_type": "clip", "vision_config": {"num_hidden_layers": 65536}}`,
		`{"model_type": "t5", "num_decoder_layers": 65536}`,
	} {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "config.json"), []byte(config), 0o600))
		torch.Scope(func() {
			one := map[string]*torch.Tensor{"w": torch.Zeros(torch.Shape{1})}
			require.NoError(t, safetensors.SaveFile(one, filepath.Join(dir, "model.safetensors")))
		})
		load := transformers.LoadModel
		if strings.Contains(config, "llama") || strings.Contains(config, "gpt2") {
			load = func(dir string, opts ...models.NewOption) (nn.Module, error) {
				return transformers.LoadCausalLM(dir, opts...)
			}
		}
		_, err := load(dir)
		require.ErrorContains(t, err, "the files have only 1 tensors", config)
		require.ErrorIs(t, err, torch.ErrFormat)
	}
}
