package gpt2

import (
	"encoding/json"
	"fmt"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers/models"
)

// A Config describes a model: the fields of config.json for the model type gpt2.
type Config struct {
	VocabSize        int64   `json:"vocab_size"`
	Positions        int64   `json:"n_positions"`
	Embd             int64   `json:"n_embd"`
	Layers           int     `json:"n_layer"`
	Heads            int64   `json:"n_head"`
	Inner            int64   `json:"n_inner"` // 0 means 4 * Embd
	Activation       string  `json:"activation_function"`
	ResidPDrop       float64 `json:"resid_pdrop"`
	EmbdPDrop        float64 `json:"embd_pdrop"`
	AttnPDrop        float64 `json:"attn_pdrop"`
	LayerNormEpsilon float64 `json:"layer_norm_epsilon"`
	InitializerRange float64 `json:"initializer_range"`
	ScaleAttnWeights bool    `json:"scale_attn_weights"`
	ScaleByLayer     bool    `json:"scale_attn_by_inverse_layer_idx"`
	TieWordEmbedding bool    `json:"tie_word_embeddings"`
}

// DefaultConfig returns the configuration of the smallest GPT-2, with 124 million
// parameters: the defaults of transformers.
func DefaultConfig() Config {
	return Config{
		VocabSize: 50257, Positions: 1024, Embd: 768, Layers: 12, Heads: 12, Activation: "gelu_new", ResidPDrop: 0.1,
		EmbdPDrop: 0.1, AttnPDrop: 0.1, LayerNormEpsilon: 1e-5, InitializerRange: 0.02, ScaleAttnWeights: true,
		TieWordEmbedding: true,
	}
}

// ParseConfig reads a config.json. Absent fields have the values of [DefaultConfig]. The
// error names the field that is wrong or not supported.
func ParseConfig(b []byte) (Config, error) {
	c := DefaultConfig()
	var other struct {
		ModelType         string `json:"model_type"`
		AddCrossAttention bool   `json:"add_cross_attention"`
		Reorder           bool   `json:"reorder_and_upcast_attn"`
	}
	for _, to := range []any{&c, &other} {
		if err := json.Unmarshal(b, to); err != nil {
			return Config{}, fmt.Errorf("gpt2.ParseConfig: %w: %w", torch.ErrFormat, err)
		}
	}
	switch {
	case other.ModelType != "gpt2":
		return Config{}, fmt.Errorf("gpt2.ParseConfig: %w: model_type is %q", torch.ErrUnsupported, other.ModelType)
	case other.AddCrossAttention:
		return Config{}, fmt.Errorf("gpt2.ParseConfig: %w: add_cross_attention", torch.ErrUnsupported)
	case other.Reorder:
		return Config{}, fmt.Errorf("gpt2.ParseConfig: %w: reorder_and_upcast_attn", torch.ErrUnsupported)
	}
	if err := c.check(); err != nil {
		return Config{}, fmt.Errorf("gpt2.ParseConfig: %w: %w", torch.ErrFormat, err)
	}
	return c, nil
}

// check reports a field that is wrong.
func (c *Config) check() error {
	if c.Inner == 0 {
		c.Inner = 4 * c.Embd
	}
	if err := models.CheckSizes("vocab_size n_positions n_embd n_layer n_head n_inner", c.VocabSize, c.Positions,
		c.Embd, int64(c.Layers), c.Heads, c.Inner); err != nil {
		return err
	}
	if c.Embd%c.Heads != 0 {
		return fmt.Errorf("n_embd: %d is not a multiple of the %d heads", c.Embd, c.Heads)
	}
	if err := models.CheckProbabilities("resid_pdrop embd_pdrop attn_pdrop", c.ResidPDrop, c.EmbdPDrop,
		c.AttnPDrop); err != nil {
		return err
	}
	_, err := models.Activation(c.Activation)
	return err
}
