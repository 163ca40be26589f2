package vit

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers/models"
)

// A Config describes a model: the fields of config.json for the model type vit.
type Config struct {
	HiddenSize       int64         `json:"hidden_size"`
	HiddenLayers     int           `json:"num_hidden_layers"`
	AttentionHeads   int64         `json:"num_attention_heads"`
	IntermediateSize int64         `json:"intermediate_size"`
	HiddenAct        string        `json:"hidden_act"`
	HiddenDropout    float64       `json:"hidden_dropout_prob"`
	AttentionDropout float64       `json:"attention_probs_dropout_prob"`
	InitializerRange float64       `json:"initializer_range"`
	LayerNormEps     float64       `json:"layer_norm_eps"`
	ImageSize        models.Size2D `json:"image_size"`
	PatchSize        models.Size2D `json:"patch_size"`
	Channels         int64         `json:"num_channels"`
	QKVBias          bool          `json:"qkv_bias"`
	PoolerOutputSize int64         `json:"pooler_output_size"` // 0 means HiddenSize
	PoolerAct        string        `json:"pooler_act"`

	Labels          models.Labels `json:"-"` // of classifiers
	AddPoolingLayer bool          `json:"-"` // whether a [Model] has a Pooler
}

// DefaultConfig returns the configuration of vit-base-patch16-224: the defaults of
// transformers.
func DefaultConfig() Config {
	return Config{
		HiddenSize: 768, HiddenLayers: 12, AttentionHeads: 12, IntermediateSize: 3072, HiddenAct: "gelu",
		InitializerRange: 0.02, LayerNormEps: 1e-12, ImageSize: models.Size2D{224, 224},
		PatchSize: models.Size2D{16, 16}, Channels: 3, QKVBias: true, PoolerAct: "tanh",
		Labels: models.Labels{Names: []string{"LABEL_0", "LABEL_1"}}, AddPoolingLayer: true,
	}
}

// ParseConfig reads a config.json. Absent fields have the values of [DefaultConfig]. The
// error names the field that is wrong or not supported.
func ParseConfig(b []byte) (Config, error) {
	c := DefaultConfig()
	var other struct {
		ModelType string `json:"model_type"`
	}
	for _, to := range []any{&c, &other} {
		if err := json.Unmarshal(b, to); err != nil {
			return Config{}, fmt.Errorf("vit.ParseConfig: %w: %w", torch.ErrFormat, err)
		}
	}
	if other.ModelType != "vit" {
		return Config{}, fmt.Errorf("vit.ParseConfig: %w: model_type is %q", torch.ErrUnsupported, other.ModelType)
	}
	labels, err := models.ParseLabels(b)
	if err == nil {
		c.Labels = labels
		err = c.check()
	}
	if err != nil {
		return Config{}, fmt.Errorf("vit.ParseConfig: %w: %w", torch.ErrFormat, err)
	}
	return c, nil
}

// check reports a field that is wrong.
func (c *Config) check() error {
	if c.PoolerOutputSize == 0 {
		c.PoolerOutputSize = c.HiddenSize
	}
	if err := models.CheckSizes("hidden_size num_hidden_layers num_attention_heads intermediate_size num_channels "+
		"pooler_output_size", c.HiddenSize, int64(c.HiddenLayers), c.AttentionHeads, c.IntermediateSize, c.Channels,
		c.PoolerOutputSize); err != nil {
		return err
	}
	if c.HiddenSize%c.AttentionHeads != 0 {
		return fmt.Errorf("hidden_size: %d is not a multiple of the %d heads", c.HiddenSize, c.AttentionHeads)
	}
	if err := models.CheckPatches(c.ImageSize, c.PatchSize); err != nil {
		return err
	}
	if err := models.CheckProbabilities("hidden_dropout_prob attention_probs_dropout_prob", c.HiddenDropout,
		c.AttentionDropout); err != nil {
		return err
	}
	if err := c.Labels.Check(); err != nil {
		return err
	}
	for _, name := range []string{c.HiddenAct, c.PoolerAct} {
		if _, err := models.Activation(name); err != nil {
			return err
		}
	}
	return nil
}

// clone returns a copy that shares nothing with c.
func (c Config) clone() Config {
	c.Labels.Names = slices.Clone(c.Labels.Names)
	return c
}
