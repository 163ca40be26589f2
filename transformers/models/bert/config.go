package bert

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers/models"
)

// A Config describes a model: the fields of config.json for the model types bert, roberta,
// xlm-roberta and camembert. [ParseConfig] fills in the defaults of the type.
type Config struct {
	ModelType         string   `json:"model_type"`
	VocabSize         int64    `json:"vocab_size"`
	HiddenSize        int64    `json:"hidden_size"`
	HiddenLayers      int      `json:"num_hidden_layers"`
	AttentionHeads    int64    `json:"num_attention_heads"`
	IntermediateSize  int64    `json:"intermediate_size"`
	HiddenAct         string   `json:"hidden_act"`
	HiddenDropout     float64  `json:"hidden_dropout_prob"`
	AttentionDropout  float64  `json:"attention_probs_dropout_prob"`
	MaxPositions      int64    `json:"max_position_embeddings"`
	TypeVocabSize     int64    `json:"type_vocab_size"`
	InitializerRange  float64  `json:"initializer_range"`
	LayerNormEps      float64  `json:"layer_norm_eps"`
	PadTokenID        *int64   `json:"pad_token_id"`
	ClassifierDropout *float64 `json:"classifier_dropout"` // nil means HiddenDropout
	TieWordEmbedding  bool     `json:"tie_word_embeddings"`

	Labels          models.Labels `json:"-"` // of classifiers
	AddPoolingLayer bool          `json:"-"` // whether a [Model] has a Pooler
}

// DefaultConfig returns transformers' defaults for a model type of [Config]. The sizes are
// those of bert-base for "bert".
func DefaultConfig(kind string) Config {
	c := Config{
		ModelType: kind, VocabSize: 30522, HiddenSize: 768, HiddenLayers: 12, AttentionHeads: 12,
		IntermediateSize: 3072, HiddenAct: "gelu", HiddenDropout: 0.1, AttentionDropout: 0.1,
		MaxPositions: 512, TypeVocabSize: 2, InitializerRange: 0.02, LayerNormEps: 1e-12, PadTokenID: new(int64(0)),
		TieWordEmbedding: true, Labels: models.Labels{Names: []string{"LABEL_0", "LABEL_1"}}, AddPoolingLayer: true,
	}
	if kind == "roberta" {
		c.VocabSize = 50265
	}
	if c.isRoberta() {
		c.PadTokenID = new(int64(1))
	}
	return c
}

// kinds are the model types, with the prefixes of the type names that models print.
var kinds = map[string]string{
	"bert": "Bert", "roberta": "Roberta", "xlm-roberta": "XLMRoberta", "camembert": "Camembert",
}

// ParseConfig reads a config.json of one of the model types of [Config]. Absent fields have
// the defaults of transformers. The error names the field that is wrong or not supported.
func ParseConfig(b []byte) (Config, error) {
	var other struct {
		ModelType         string `json:"model_type"`
		IsDecoder         bool   `json:"is_decoder"`
		AddCrossAttention bool   `json:"add_cross_attention"`
		PositionType      string `json:"position_embedding_type"`
	}
	if err := json.Unmarshal(b, &other); err != nil {
		return Config{}, fmt.Errorf("bert.ParseConfig: %w: %w", torch.ErrFormat, err)
	}
	refuse := func(format string, args ...any) (Config, error) {
		return Config{}, fmt.Errorf("bert.ParseConfig: %w: "+format, append([]any{torch.ErrUnsupported}, args...)...)
	}
	switch {
	case kinds[other.ModelType] == "":
		return refuse("model_type %q is not one of bert, roberta, xlm-roberta, camembert", other.ModelType)
	case other.IsDecoder:
		return refuse("is_decoder")
	case other.AddCrossAttention:
		return refuse("add_cross_attention")
	case other.PositionType != "" && other.PositionType != "absolute":
		return refuse("position_embedding_type %q", other.PositionType)
	}
	c := DefaultConfig(other.ModelType)
	err := json.Unmarshal(b, &c)
	if err == nil {
		c.Labels, err = models.ParseLabels(b)
	}
	if err == nil {
		err = c.check()
	}
	if err != nil {
		return Config{}, fmt.Errorf("bert.ParseConfig: %w: %w", torch.ErrFormat, err)
	}
	return c, nil
}

// check reports a field that is wrong.
func (c *Config) check() error {
	if c.ModelType == "" {
		c.ModelType = "bert"
	}
	if kinds[c.ModelType] == "" {
		return fmt.Errorf("model_type: %q is unknown", c.ModelType)
	}
	if err := models.CheckSizes("vocab_size hidden_size num_hidden_layers num_attention_heads intermediate_size "+
		"max_position_embeddings type_vocab_size", c.VocabSize, c.HiddenSize, int64(c.HiddenLayers), c.AttentionHeads,
		c.IntermediateSize, c.MaxPositions, c.TypeVocabSize); err != nil {
		return err
	}
	if c.HiddenSize%c.AttentionHeads != 0 {
		return fmt.Errorf("hidden_size: %d is not a multiple of the %d heads", c.HiddenSize, c.AttentionHeads)
	}
	if c.isRoberta() && (c.PadTokenID == nil || *c.PadTokenID < 0 || *c.PadTokenID >= c.MaxPositions-1) {
		return fmt.Errorf("pad_token_id: %s counts positions from it, so it must be from 0 to %d", c.ModelType,
			c.MaxPositions-2)
	}
	if err := models.CheckProbabilities("hidden_dropout_prob attention_probs_dropout_prob classifier_dropout",
		c.HiddenDropout, c.AttentionDropout, c.classifierDropout()); err != nil {
		return err
	}
	if err := c.Labels.Check(); err != nil {
		return err
	}
	_, err := models.Activation(c.HiddenAct)
	return err
}

// isRoberta reports whether the model counts positions from its padding token, and has the
// heads of RoBERTa.
func (c *Config) isRoberta() bool { return c.ModelType != "bert" && c.ModelType != "" }

// prefix is the name of the body in a model with a head.
func (c *Config) prefix() string {
	if c.isRoberta() {
		return "roberta"
	}
	return "bert"
}

func (c *Config) classifierDropout() float64 {
	if c.ClassifierDropout != nil {
		return *c.ClassifierDropout
	}
	return c.HiddenDropout
}

// longest returns the largest number of tokens of a text.
func (c *Config) longest() int64 {
	if c.isRoberta() {
		return c.MaxPositions - *c.PadTokenID - 1
	}
	return c.MaxPositions
}

// clone returns a copy that shares nothing with c.
func (c Config) clone() Config {
	c.Labels.Names = slices.Clone(c.Labels.Names)
	return c
}
