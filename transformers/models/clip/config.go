package clip

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers/models"
)

// A Config describes a model: the fields of config.json for the model type clip.
type Config struct {
	Text          TextConfig
	Vision        VisionConfig
	ProjectionDim int64
	LogitScale    float64 // the initial value of the logarithm of the scale
	Factor        float64 // multiplies the initial weights of the projections

	Labels models.Labels // of classifiers
}

// A TextConfig describes the text model: the fields of config.json for the model type
// clip_text_model.
type TextConfig struct {
	VocabSize        int64   `json:"vocab_size"`
	HiddenSize       int64   `json:"hidden_size"`
	IntermediateSize int64   `json:"intermediate_size"`
	HiddenLayers     int     `json:"num_hidden_layers"`
	AttentionHeads   int64   `json:"num_attention_heads"`
	MaxPositions     int64   `json:"max_position_embeddings"`
	HiddenAct        string  `json:"hidden_act"`
	LayerNormEps     float64 `json:"layer_norm_eps"`
	AttentionDropout float64 `json:"attention_dropout"`
	Factor           float64 `json:"initializer_factor"`

	// EOSTokenID is the token whose feature is that of the text. 2 means the largest token
	// ID of the text, as in the files of OpenAI.
	EOSTokenID int64 `json:"eos_token_id"`
}

// A VisionConfig describes the vision model: the fields of config.json for the model type
// clip_vision_model.
type VisionConfig struct {
	HiddenSize       int64   `json:"hidden_size"`
	IntermediateSize int64   `json:"intermediate_size"`
	HiddenLayers     int     `json:"num_hidden_layers"`
	AttentionHeads   int64   `json:"num_attention_heads"`
	Channels         int64   `json:"num_channels"`
	ImageSize        int64   `json:"image_size"`
	PatchSize        int64   `json:"patch_size"`
	HiddenAct        string  `json:"hidden_act"`
	LayerNormEps     float64 `json:"layer_norm_eps"`
	AttentionDropout float64 `json:"attention_dropout"`
	InitializerRange float64 `json:"initializer_range"`
	Factor           float64 `json:"initializer_factor"`
}

// DefaultConfig returns the configuration of clip-vit-base-patch32: the defaults of
// transformers.
func DefaultConfig() Config {
	return Config{
		Text: DefaultTextConfig(), Vision: DefaultVisionConfig(), ProjectionDim: 512, LogitScale: 2.6592, Factor: 1,
		Labels: models.Labels{Names: []string{"LABEL_0", "LABEL_1"}},
	}
}

// DefaultTextConfig returns transformers' defaults of the text model.
func DefaultTextConfig() TextConfig {
	return TextConfig{
		VocabSize: 49408, HiddenSize: 512, IntermediateSize: 2048, HiddenLayers: 12, AttentionHeads: 8,
		MaxPositions: 77, HiddenAct: "quick_gelu", LayerNormEps: 1e-5, Factor: 1, EOSTokenID: 49407,
	}
}

// DefaultVisionConfig returns transformers' defaults of the vision model.
func DefaultVisionConfig() VisionConfig {
	return VisionConfig{
		HiddenSize: 768, IntermediateSize: 3072, HiddenLayers: 12, AttentionHeads: 12, Channels: 3, ImageSize: 224,
		PatchSize: 32, HiddenAct: "quick_gelu", LayerNormEps: 1e-5, InitializerRange: 0.02, Factor: 1,
	}
}

// ParseConfig reads a config.json. Absent fields have the values of [DefaultConfig]. The
// error names the field that is wrong or not supported.
func ParseConfig(b []byte) (Config, error) {
	const op = "clip.ParseConfig"
	c := DefaultConfig()
	file := struct {
		ModelType     *string         `json:"model_type"`
		ProjectionDim *int64          `json:"projection_dim"`
		LogitScale    *float64        `json:"logit_scale_init_value"`
		Factor        *float64        `json:"initializer_factor"`
		Text          json.RawMessage `json:"text_config"`
		OldText       json.RawMessage `json:"text_config_dict"`
		Vision        json.RawMessage `json:"vision_config"`
		OldVision     json.RawMessage `json:"vision_config_dict"`
	}{ModelType: new(string), ProjectionDim: &c.ProjectionDim, LogitScale: &c.LogitScale, Factor: &c.Factor}
	if err := json.Unmarshal(b, &file); err != nil {
		return Config{}, fmt.Errorf("%s: %w: %w", op, torch.ErrFormat, err)
	}
	if file.ModelType == nil || *file.ModelType != "clip" {
		return Config{}, fmt.Errorf("%s: %w: the model_type is not clip", op, torch.ErrUnsupported)
	}
	for _, part := range []struct {
		name     string
		old, now json.RawMessage
		to       any
	}{{"text_config", file.OldText, file.Text, &c.Text}, {"vision_config", file.OldVision, file.Vision, &c.Vision}} {
		from := part.old // as in transformers, it replaces the other one
		if from == nil || string(from) == "null" {
			from = part.now
		}
		if from == nil {
			continue
		}
		if err := json.Unmarshal(from, part.to); err != nil {
			return Config{}, fmt.Errorf("%s: %w: %s: %w", op, torch.ErrFormat, part.name, err)
		}
	}
	labels, err := models.ParseLabels(b)
	if err == nil {
		c.Labels = labels
		err = c.check()
	}
	if err != nil {
		return Config{}, fmt.Errorf("%s: %w: %w", op, torch.ErrFormat, err)
	}
	return c, nil
}

// ParseTextConfig reads a config.json of the model type clip_text_model.
func ParseTextConfig(b []byte) (TextConfig, error) {
	c := DefaultTextConfig()
	err := parsePart(b, "clip_text_model", &c)
	if err == nil {
		err = c.check()
	}
	if err != nil {
		return TextConfig{}, fmt.Errorf("clip.ParseTextConfig: %w: %w", torch.ErrFormat, err)
	}
	return c, nil
}

// ParseVisionConfig reads a config.json of the model type clip_vision_model.
func ParseVisionConfig(b []byte) (VisionConfig, error) {
	c := DefaultVisionConfig()
	err := parsePart(b, "clip_vision_model", &c)
	if err == nil {
		err = c.check()
	}
	if err != nil {
		return VisionConfig{}, fmt.Errorf("clip.ParseVisionConfig: %w: %w", torch.ErrFormat, err)
	}
	return c, nil
}

func parsePart(b []byte, kind string, to any) error {
	var file struct {
		ModelType string `json:"model_type"`
	}
	if err := json.Unmarshal(b, &file); err != nil {
		return err
	}
	if file.ModelType != kind {
		return fmt.Errorf("model_type is %q", file.ModelType)
	}
	return json.Unmarshal(b, to)
}

// check reports a field that is wrong.
func (c *Config) check() error {
	if err := c.Text.check(); err != nil {
		return fmt.Errorf("text_config: %w", err)
	}
	if err := c.Vision.check(); err != nil {
		return fmt.Errorf("vision_config: %w", err)
	}
	if err := c.Labels.Check(); err != nil {
		return err
	}
	return models.CheckSizes("projection_dim", c.ProjectionDim)
}

func (c *TextConfig) check() error {
	if err := models.CheckSizes("vocab_size max_position_embeddings", c.VocabSize, c.MaxPositions); err != nil {
		return err
	}
	s := c.stack()
	return s.check()
}

func (c *VisionConfig) check() error {
	if err := models.CheckSizes("num_channels", c.Channels); err != nil {
		return err
	}
	size, patch := c.sizes()
	if err := models.CheckPatches(size, patch); err != nil {
		return err
	}
	s := c.stack()
	return s.check()
}

func (c *VisionConfig) sizes() (image, patch models.Size2D) {
	return models.Size2D{c.ImageSize, c.ImageSize}, models.Size2D{c.PatchSize, c.PatchSize}
}

// clone returns a copy that shares nothing with c.
func (c Config) clone() Config {
	c.Labels.Names = slices.Clone(c.Labels.Names)
	return c
}

// stack describes the layers of one of the models.
type stack struct {
	hidden, intermediate, heads int64
	layers                      int
	act                         string
	eps, dropout, factor        float64
}

func (c *TextConfig) stack() stack {
	return stack{
		c.HiddenSize, c.IntermediateSize, c.AttentionHeads, c.HiddenLayers, c.HiddenAct, c.LayerNormEps,
		c.AttentionDropout, c.Factor,
	}
}

func (c *VisionConfig) stack() stack {
	return stack{
		c.HiddenSize, c.IntermediateSize, c.AttentionHeads, c.HiddenLayers, c.HiddenAct, c.LayerNormEps,
		c.AttentionDropout, c.Factor,
	}
}

func (s *stack) check() error {
	if err := models.CheckSizes("hidden_size intermediate_size num_hidden_layers num_attention_heads", s.hidden,
		s.intermediate, int64(s.layers), s.heads); err != nil {
		return err
	}
	if s.hidden%s.heads != 0 {
		return fmt.Errorf("hidden_size: %d is not a multiple of the %d heads", s.hidden, s.heads)
	}
	if err := models.CheckProbabilities("attention_dropout", s.dropout); err != nil {
		return err
	}
	_, err := models.Activation(s.act)
	return err
}
