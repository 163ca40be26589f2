package whisper

import (
	"encoding/json"
	"fmt"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers/models"
)

// A Config describes a model: the fields of config.json for the model type whisper.
type Config struct {
	VocabSize           int64   `json:"vocab_size"`
	MelBins             int64   `json:"num_mel_bins"`
	Model               int64   `json:"d_model"`
	EncoderLayers       int     `json:"encoder_layers"`
	EncoderHeads        int64   `json:"encoder_attention_heads"`
	EncoderFeedForward  int64   `json:"encoder_ffn_dim"`
	DecoderLayers       int     `json:"decoder_layers"`
	DecoderHeads        int64   `json:"decoder_attention_heads"`
	DecoderFeedForward  int64   `json:"decoder_ffn_dim"`
	MaxSourcePositions  int64   `json:"max_source_positions"` // half the frames of an input
	MaxTargetPositions  int64   `json:"max_target_positions"`
	ActivationFunction  string  `json:"activation_function"`
	Dropout             float64 `json:"dropout"`
	AttentionDropout    float64 `json:"attention_dropout"`
	ActivationDropout   float64 `json:"activation_dropout"`
	InitStd             float64 `json:"init_std"`
	PadTokenID          int64   `json:"pad_token_id"`
	DecoderStartTokenID int64   `json:"decoder_start_token_id"`
	TieWordEmbedding    bool    `json:"tie_word_embeddings"`
}

// DefaultConfig returns the configuration of whisper-tiny: the defaults of transformers.
func DefaultConfig() Config {
	return Config{
		VocabSize: 51865, MelBins: 80, Model: 384, EncoderLayers: 4, EncoderHeads: 6, EncoderFeedForward: 1536,
		DecoderLayers: 4, DecoderHeads: 6, DecoderFeedForward: 1536, MaxSourcePositions: 1500, MaxTargetPositions: 448,
		ActivationFunction: "gelu", InitStd: 0.02, PadTokenID: 50256, DecoderStartTokenID: 50257,
		TieWordEmbedding: true,
	}
}

// ParseConfig reads a config.json. Absent fields have the values of [DefaultConfig]. The
// error names the field that is wrong or not supported.
func ParseConfig(b []byte) (Config, error) {
	const op = "whisper.ParseConfig"
	c := DefaultConfig()
	var other struct {
		ModelType        string  `json:"model_type"`
		IsEncoderDecoder *bool   `json:"is_encoder_decoder"`
		EncoderLayerDrop float64 `json:"encoder_layerdrop"`
		DecoderLayerDrop float64 `json:"decoder_layerdrop"`
		SpecAugment      bool    `json:"apply_spec_augment"`
	}
	for _, to := range []any{&c, &other} {
		if err := json.Unmarshal(b, to); err != nil {
			return Config{}, fmt.Errorf("%s: %w: %w", op, torch.ErrFormat, err)
		}
	}
	refused := ""
	switch {
	case other.ModelType != "whisper":
		refused = fmt.Sprintf("model_type is %q", other.ModelType)
	case other.IsEncoderDecoder != nil && !*other.IsEncoderDecoder:
		refused = "is_encoder_decoder is false"
	case other.EncoderLayerDrop != 0, other.DecoderLayerDrop != 0:
		refused = "encoder_layerdrop and decoder_layerdrop"
	case other.SpecAugment:
		refused = "apply_spec_augment"
	}
	if refused != "" {
		return Config{}, fmt.Errorf("%s: %w: %s", op, torch.ErrUnsupported, refused)
	}
	if err := c.check(); err != nil {
		return Config{}, fmt.Errorf("%s: %w: %w", op, torch.ErrFormat, err)
	}
	return c, nil
}

// check reports a field that is wrong.
func (c *Config) check() error {
	if err := models.CheckSizes("vocab_size num_mel_bins d_model encoder_layers encoder_attention_heads "+
		"encoder_ffn_dim decoder_layers decoder_attention_heads decoder_ffn_dim max_source_positions "+
		"max_target_positions", c.VocabSize, c.MelBins, c.Model, int64(c.EncoderLayers), c.EncoderHeads,
		c.EncoderFeedForward, int64(c.DecoderLayers), c.DecoderHeads, c.DecoderFeedForward, c.MaxSourcePositions,
		c.MaxTargetPositions); err != nil {
		return err
	}
	if c.Model%c.EncoderHeads != 0 || c.Model%c.DecoderHeads != 0 || c.Model%2 != 0 || c.Model < 4 {
		return fmt.Errorf("d_model: %d is not a multiple of 2, of the %d heads of the encoder and of the %d of the "+
			"decoder", c.Model, c.EncoderHeads, c.DecoderHeads)
	}
	if err := models.CheckProbabilities("dropout attention_dropout activation_dropout", c.Dropout, c.AttentionDropout,
		c.ActivationDropout); err != nil {
		return err
	}
	_, err := models.Activation(c.ActivationFunction)
	return err
}
