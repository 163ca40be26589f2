package t5

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers/models"
)

// A Config describes a model: the fields of config.json for the model type t5.
type Config struct {
	VocabSize         int64   `json:"vocab_size"`
	Model             int64   `json:"d_model"`
	KeyValue          int64   `json:"d_kv"`
	FeedForward       int64   `json:"d_ff"`
	Layers            int     `json:"num_layers"`
	DecoderLayers     int     `json:"num_decoder_layers"` // 0 means Layers
	Heads             int64   `json:"num_heads"`
	Buckets           int64   `json:"relative_attention_num_buckets"`
	MaxDistance       int64   `json:"relative_attention_max_distance"`
	DropoutRate       float64 `json:"dropout_rate"`
	LayerNormEpsilon  float64 `json:"layer_norm_epsilon"`
	InitializerFactor float64 `json:"initializer_factor"`
	FeedForwardProj   string  `json:"feed_forward_proj"` // an activation, or "gated-" and an activation
	PadTokenID        int64   `json:"pad_token_id"`

	// DecoderStartTokenID is the token that the decoder begins with; nil means PadTokenID.
	DecoderStartTokenID *int64 `json:"decoder_start_token_id"`

	// TieWordEmbedding says whether the head has the weights of the embedding.
	TieWordEmbedding bool `json:"tie_word_embeddings"`
	// ScaleDecoderOutputs says whether the head's input is divided by the root of Model, as
	// in the first T5. ParseConfig sets it as transformers does.
	ScaleDecoderOutputs bool `json:"scale_decoder_outputs"`
}

// DefaultConfig returns the configuration of t5-small: the defaults of transformers.
func DefaultConfig() Config {
	return Config{
		VocabSize: 32128, Model: 512, KeyValue: 64, FeedForward: 2048, Layers: 6, DecoderLayers: 6, Heads: 8,
		Buckets: 32, MaxDistance: 128, DropoutRate: 0.1, LayerNormEpsilon: 1e-6, InitializerFactor: 1,
		FeedForwardProj: "relu", TieWordEmbedding: true, ScaleDecoderOutputs: true,
	}
}

// ParseConfig reads a config.json. Absent fields have the values of [DefaultConfig]. The
// error names the field that is wrong or not supported.
func ParseConfig(b []byte) (Config, error) { return parse("t5.ParseConfig", b, false) }

// ParseEncoderConfig is [ParseConfig] for an [EncoderModel]. Its is_encoder_decoder may be false,
// as transformers writes it for one.
func ParseEncoderConfig(b []byte) (Config, error) { return parse("t5.ParseEncoderConfig", b, true) }

func parse(op string, b []byte, encoder bool) (Config, error) {
	c := DefaultConfig()
	c.DecoderLayers = 0
	var other struct {
		ModelType        string `json:"model_type"`
		IsEncoderDecoder *bool  `json:"is_encoder_decoder"`
		IsDecoder        bool   `json:"is_decoder"`
		Tie              *bool  `json:"tie_word_embeddings"`
		Scale            *bool  `json:"scale_decoder_outputs"`
	}
	for _, to := range []any{&c, &other} {
		if err := json.Unmarshal(b, to); err != nil {
			return Config{}, fmt.Errorf("%s: %w: %w", op, torch.ErrFormat, err)
		}
	}
	switch {
	case other.ModelType != "t5":
		return Config{}, fmt.Errorf("%s: %w: model_type is %q", op, torch.ErrUnsupported, other.ModelType)
	case other.IsDecoder, other.IsEncoderDecoder != nil && !*other.IsEncoderDecoder && !encoder:
		return Config{}, fmt.Errorf("%s: %w: is_decoder and is_encoder_decoder", op, torch.ErrUnsupported)
	}
	if other.Scale == nil {
		c.ScaleDecoderOutputs = other.Tie == nil || *other.Tie
	}
	if err := c.check(); err != nil {
		return Config{}, fmt.Errorf("%s: %w: %w", op, torch.ErrFormat, err)
	}
	return c, nil
}

// ForFile returns the configuration for a file with these names. Whether a file has the
// weights of a head counts more than tie_word_embeddings, which version 5 of transformers
// always writes as true.
func (c Config) ForFile(names []string) Config {
	c.TieWordEmbedding = c.ScaleDecoderOutputs || !slices.Contains(names, "lm_head.weight")
	return c
}

// check reports a field that is wrong.
func (c *Config) check() error {
	if c.DecoderLayers == 0 {
		c.DecoderLayers = c.Layers
	}
	if err := models.CheckSizes("vocab_size d_model d_kv d_ff num_layers num_decoder_layers num_heads "+
		"relative_attention_num_buckets relative_attention_max_distance", c.VocabSize, c.Model, c.KeyValue,
		c.FeedForward, int64(c.Layers), int64(c.DecoderLayers), c.Heads, c.Buckets, c.MaxDistance); err != nil {
		return err
	}
	if c.Buckets < 4 || c.MaxDistance <= c.Buckets/2 {
		return fmt.Errorf("relative_attention_num_buckets: %d do not fit a relative_attention_max_distance of %d",
			c.Buckets, c.MaxDistance)
	}
	if err := models.CheckProbabilities("dropout_rate", c.DropoutRate); err != nil {
		return err
	}
	_, name := c.activation()
	_, err := models.Activation(name)
	return err
}

// activation returns the activation of the feed-forward networks, and whether they are
// gated.
func (c *Config) activation() (gated bool, name string) {
	name, gated = strings.CutPrefix(c.FeedForwardProj, "gated-")
	if gated && name == "gelu" {
		name = "gelu_new" // as in transformers
	}
	return gated, name
}

func (c *Config) startToken() int64 {
	if c.DecoderStartTokenID != nil {
		return *c.DecoderStartTokenID
	}
	return c.PadTokenID
}
