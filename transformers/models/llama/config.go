package llama

import (
	"encoding/json"
	"fmt"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers/models"
)

// A Config describes a model: the fields of config.json for the model types llama, mistral,
// qwen2, qwen3 and smollm3. [ParseConfig] fills in the defaults of the type.
type Config struct {
	ModelType        string  `json:"model_type"`
	VocabSize        int64   `json:"vocab_size"`
	HiddenSize       int64   `json:"hidden_size"`
	IntermediateSize int64   `json:"intermediate_size"`
	HiddenLayers     int     `json:"num_hidden_layers"`
	AttentionHeads   int64   `json:"num_attention_heads"`
	KeyValueHeads    int64   `json:"num_key_value_heads"`
	HeadDim          int64   `json:"head_dim"`
	HiddenAct        string  `json:"hidden_act"`
	MaxPositions     int64   `json:"max_position_embeddings"`
	InitializerRange float64 `json:"initializer_range"`
	RMSNormEps       float64 `json:"rms_norm_eps"`
	TieWordEmbedding bool    `json:"tie_word_embeddings"`
	AttentionDropout float64 `json:"attention_dropout"`
	PadTokenID       *int64  `json:"pad_token_id"`

	Rope models.Rope `json:"rope_parameters"`

	AttentionBias bool `json:"attention_bias"` // of the projections to queries, keys and values
	OutputBias    bool `json:"-"`              // of the projection of the attention's result
	MLPBias       bool `json:"mlp_bias"`
	QKNorm        bool `json:"-"` // queries and keys are normalized, as in qwen3

	// Windows has the number of tokens that a token of each layer sees, or 0 for all. nil
	// means that all layers see all tokens.
	Windows []int64 `json:"-"`
	// NoRope has the layers that do not rotate. nil means that all layers rotate.
	NoRope []bool `json:"-"`
}

// file has the fields of config.json that Config does not have as they are.
type file struct {
	RopeScaling      *models.Rope `json:"rope_scaling"`
	RopeParameters   *models.Rope `json:"rope_parameters"`
	RopeTheta        *float64     `json:"rope_theta"`
	SlidingWindow    *int64       `json:"sliding_window"`
	UseSlidingWindow *bool        `json:"use_sliding_window"`
	MaxWindowLayers  *int         `json:"max_window_layers"`
	LayerTypes       []string     `json:"layer_types"`
	NoRopeLayers     []int        `json:"no_rope_layers"`
	NoRopeInterval   int          `json:"no_rope_layer_interval"`
}

// ParseConfig reads a config.json of one of the model types of [Config]. Absent fields have
// the defaults of transformers. The error names the field that is wrong or not supported.
func ParseConfig(b []byte) (Config, error) {
	var kind struct {
		ModelType string `json:"model_type"`
	}
	if err := json.Unmarshal(b, &kind); err != nil {
		return Config{}, fmt.Errorf("llama.ParseConfig: %w: %w", torch.ErrFormat, err)
	}
	c, ok := defaults(kind.ModelType)
	if !ok {
		return Config{}, fmt.Errorf("llama.ParseConfig: %w: model_type %q; "+
			"llama, mistral, qwen2, qwen3 and smollm3 are supported",
			torch.ErrUnsupported, kind.ModelType)
	}
	heads := c.KeyValueHeads
	c.KeyValueHeads = -1
	var f file
	for _, to := range []any{&c, &f} {
		if err := json.Unmarshal(b, to); err != nil {
			return Config{}, fmt.Errorf("llama.ParseConfig: %w: %w", torch.ErrFormat, err)
		}
	}
	var given map[string]json.RawMessage
	_ = json.Unmarshal(b, &given) // it is valid: it was read above
	if v, ok := given["num_key_value_heads"]; ok && string(v) == "null" {
		c.KeyValueHeads = c.AttentionHeads
	} else if c.KeyValueHeads == -1 {
		if c.KeyValueHeads = heads; heads == 0 {
			c.KeyValueHeads = c.AttentionHeads
		}
	}
	c.readRope(f)
	if err := c.readLayers(f); err != nil {
		return Config{}, fmt.Errorf("llama.ParseConfig: %w: %w", torch.ErrUnsupported, err)
	}
	if c.ModelType == "llama" || c.ModelType == "qwen3" || c.ModelType == "smollm3" {
		c.OutputBias = c.AttentionBias
	}
	if err := c.complete(); err != nil {
		return Config{}, fmt.Errorf("llama.ParseConfig: %w: %w", torch.ErrFormat, err)
	}
	return c, nil
}

// defaults returns transformers' default configuration of a model type.
func defaults(kind string) (Config, bool) {
	c := Config{
		ModelType: kind, VocabSize: 32000, HiddenSize: 4096, IntermediateSize: 11008, HiddenLayers: 32,
		AttentionHeads: 32, HiddenAct: "silu", MaxPositions: 2048, InitializerRange: 0.02, RMSNormEps: 1e-6,
		Rope: models.Rope{Type: "default", Theta: 10000},
	}
	switch kind {
	case "llama":
	case "mistral":
		c.IntermediateSize, c.KeyValueHeads, c.MaxPositions = 14336, 8, 4096*32
	case "qwen2":
		c.VocabSize, c.IntermediateSize, c.MaxPositions = 151936, 22016, 32768
		c.KeyValueHeads, c.AttentionBias = 32, true
	case "qwen3":
		c.VocabSize, c.IntermediateSize, c.MaxPositions = 151936, 22016, 32768
		c.KeyValueHeads, c.HeadDim, c.QKNorm = 32, 128, true
	case "smollm3":
		c.VocabSize, c.HiddenSize, c.HiddenLayers = 128256, 2048, 36
		c.AttentionHeads, c.KeyValueHeads, c.MaxPositions = 16, 4, 32768
		c.Rope.Theta = 2000000
	default:
		return c, false
	}
	return c, true
}

// readRope applies the names of older files.
func (c *Config) readRope(f file) {
	theta := c.Rope.Theta
	if f.RopeTheta != nil {
		theta = *f.RopeTheta
	}
	if f.RopeScaling != nil {
		c.Rope = *f.RopeScaling
		if c.Rope.Theta == 0 {
			c.Rope.Theta = theta
		}
		return
	}
	if f.RopeParameters == nil || f.RopeParameters.Theta == 0 {
		c.Rope.Theta = theta
	}
}

// readLayers sets Windows and NoRope.
func (c *Config) readLayers(f file) error {
	if err := models.CheckSizes("num_hidden_layers", int64(c.HiddenLayers)); err != nil {
		return err
	}
	n := c.HiddenLayers
	window := int64(0)
	if f.SlidingWindow != nil {
		window = *f.SlidingWindow
	} else if c.ModelType == "mistral" || c.ModelType == "qwen2" || c.ModelType == "qwen3" {
		window = 4096
	}
	slides := func(int) bool { return false }
	switch c.ModelType {
	case "mistral":
		slides = func(int) bool { return true }
	case "qwen2", "qwen3":
		from := 28
		if f.MaxWindowLayers != nil {
			from = *f.MaxWindowLayers
		}
		slides = func(i int) bool { return f.UseSlidingWindow != nil && *f.UseSlidingWindow && i >= from }
	}
	if f.LayerTypes != nil && c.ModelType != "llama" && c.ModelType != "mistral" {
		if len(f.LayerTypes) != n {
			return fmt.Errorf("layer_types has %d entries for %d layers", len(f.LayerTypes), n)
		}
		for i, t := range f.LayerTypes {
			if t != "full_attention" && t != "sliding_attention" {
				return fmt.Errorf("layer_types[%d] is %q", i, t)
			}
		}
		slides = func(i int) bool {
			return f.LayerTypes[i] == "sliding_attention" && (f.UseSlidingWindow == nil || *f.UseSlidingWindow)
		}
	}
	for i := range n {
		if slides(i) && window > 0 {
			if c.Windows == nil {
				c.Windows = make([]int64, n)
			}
			c.Windows[i] = window
		}
	}
	if c.ModelType == "smollm3" {
		return c.readNoRope(f, n)
	}
	return nil
}

// readNoRope sets the layers that do not rotate: no_rope_layers has 1 for a layer that does.
func (c *Config) readNoRope(f file, n int) error {
	if f.NoRopeLayers != nil && len(f.NoRopeLayers) != n {
		return fmt.Errorf("no_rope_layers has %d entries for %d layers", len(f.NoRopeLayers), n)
	}
	interval := f.NoRopeInterval
	if interval == 0 {
		interval = 4
	}
	c.NoRope = make([]bool, n)
	for i := range n {
		if f.NoRopeLayers != nil {
			c.NoRope[i] = f.NoRopeLayers[i] == 0
		} else {
			c.NoRope[i] = (i+1)%interval == 0
		}
	}
	return nil
}

// complete fills in what follows from other fields, and reports invalid ones.
func (c *Config) complete() error {
	if c.KeyValueHeads == 0 {
		c.KeyValueHeads = c.AttentionHeads
	}
	if err := models.CheckSizes("vocab_size hidden_size intermediate_size num_hidden_layers num_attention_heads "+
		"num_key_value_heads max_position_embeddings", c.VocabSize, c.HiddenSize, c.IntermediateSize,
		int64(c.HiddenLayers), c.AttentionHeads, c.KeyValueHeads, c.MaxPositions); err != nil {
		return err
	}
	if c.HeadDim == 0 {
		if c.HiddenSize%c.AttentionHeads != 0 {
			return fmt.Errorf("hidden_size: %d is not a multiple of the %d heads", c.HiddenSize, c.AttentionHeads)
		}
		c.HeadDim = c.HiddenSize / c.AttentionHeads
	}
	if c.HeadDim < 1 || c.HeadDim > 1<<28/c.AttentionHeads || c.AttentionHeads%c.KeyValueHeads != 0 {
		return fmt.Errorf("head_dim %d, num_attention_heads %d, num_key_value_heads %d do not fit", c.HeadDim,
			c.AttentionHeads, c.KeyValueHeads)
	}
	if err := models.CheckProbabilities("attention_dropout", c.AttentionDropout); err != nil {
		return err
	}
	if c.Windows != nil && len(c.Windows) != c.HiddenLayers || c.NoRope != nil && len(c.NoRope) != c.HiddenLayers {
		return fmt.Errorf("%d entries of Windows and %d of NoRope for %d layers", len(c.Windows), len(c.NoRope),
			c.HiddenLayers)
	}
	_, err := models.Activation(c.HiddenAct)
	return err
}
