package generation

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers/kvcache"
)

// A Config contains the settings of a generation. The zero Config is not valid; start with
// [DefaultConfig]. A Config is also an option: it replaces all settings that are given
// before it. The fields are those of generation_config.json. Follows
// transformers.GenerationConfig.
type Config struct {
	MaxNewTokens       int     `json:"max_new_tokens"`
	MinNewTokens       int     `json:"min_new_tokens"`
	DoSample           bool    `json:"do_sample"`
	Temperature        float64 `json:"temperature"`
	TopK               int     `json:"top_k"` // 0 means all
	TopP               float64 `json:"top_p"`
	MinP               float64 `json:"min_p"`
	RepetitionPenalty  float64 `json:"repetition_penalty"`
	NoRepeatNGramSize  int     `json:"no_repeat_ngram_size"` // 0 means that n-grams may repeat
	NumBeams           int     `json:"num_beams"`
	LengthPenalty      float64 `json:"length_penalty"`
	EarlyStopping      bool    `json:"early_stopping"`
	NumReturnSequences int     `json:"num_return_sequences"`
	SuppressTokens     IDs     `json:"suppress_tokens"`
	BeginSuppress      IDs     `json:"begin_suppress_tokens"` // only the first new token cannot be one of them
	EOSTokenIDs        IDs     `json:"eos_token_id"`
	BOSTokenID         *int64  `json:"bos_token_id"`
	PadTokenID         *int64  `json:"pad_token_id"` // by default the first of EOSTokenIDs
	StopStrings        Strings `json:"stop_strings"`
	PrefillChunkSize   int     `json:"prefill_chunk_size"` // 0 means that a prompt is one chunk

	cache kvcache.Cache
}

// Cache returns the cache of [UseCache], or nil.
func (c Config) Cache() kvcache.Cache { return c.cache }

// IDs are token IDs: a number or a list in JSON.
type IDs []int64

// UnmarshalJSON reads a number, a list or null.
func (ids *IDs) UnmarshalJSON(b []byte) error {
	var one int64
	if json.Unmarshal(b, &one) == nil && string(b) != "null" {
		*ids = IDs{one}
		return nil
	}
	return json.Unmarshal(b, (*[]int64)(ids))
}

// Strings are texts: one or a list in JSON.
type Strings []string

// UnmarshalJSON reads a text, a list or null.
func (s *Strings) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil && string(b) != "null" {
		*s = Strings{one}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(s))
}

// DefaultConfig returns the defaults of transformers.
func DefaultConfig() Config {
	return Config{
		MaxNewTokens: 20, Temperature: 1, TopK: 50, TopP: 1, RepetitionPenalty: 1, NumBeams: 1, LengthPenalty: 1,
		NumReturnSequences: 1,
	}
}

// unsupported are settings of generation_config.json that change the result and that this
// package does not have, with the values that have no effect.
var unsupported = map[string][]string{
	"penalty_alpha": {"0", "0.0"}, "guidance_scale": {"1", "1.0"}, "typical_p": {"1", "1.0"},
	"epsilon_cutoff": {"0", "0.0"}, "eta_cutoff": {"0", "0.0"}, "top_h": {}, "diversity_penalty": {"0", "0.0"},
	"num_beam_groups": {"1"}, "encoder_repetition_penalty": {"1", "1.0"}, "encoder_no_repeat_ngram_size": {"0"},
	"bad_words_ids": {}, "force_words_ids": {}, "constraints": {}, "sequence_bias": {},
	"forced_bos_token_id": {}, "forced_eos_token_id": {},
	"exponential_decay_length_penalty": {}, "watermarking_config": {}, "max_time": {},
	"min_length": {"0"}, "renormalize_logits": {"false"}, "remove_invalid_values": {"false"}, "dola_layers": {},
}

// ParseConfig reads a generation_config.json. Absent settings and those that are null have
// the values of [DefaultConfig]. Settings that do not change the tokens are ignored. The
// error is torch.ErrUnsupported for a setting that this package does not have, and
// torch.ErrFormat for an invalid one.
func ParseConfig(b []byte) (Config, error) {
	const op = "generation.ParseConfig"
	var all map[string]json.RawMessage
	if err := json.Unmarshal(b, &all); err != nil {
		return Config{}, fmt.Errorf("%s: %w: %w", op, torch.ErrFormat, err)
	}
	for name, harmless := range unsupported {
		v, ok := all[name]
		for _, h := range append(harmless, "null", "[]") {
			ok = ok && string(v) != h
		}
		if ok {
			return Config{}, fmt.Errorf("%s: %w: %s", op, torch.ErrUnsupported, name)
		}
	}
	c := DefaultConfig()
	if err := json.Unmarshal(b, &c); err != nil {
		return Config{}, fmt.Errorf("%s: %w: %w", op, torch.ErrFormat, err)
	}
	if err := c.check(); err != nil {
		return Config{}, fmt.Errorf("%s: %w: %w", op, torch.ErrFormat, err)
	}
	return c, nil
}

// check reports the first setting that is wrong.
func (c Config) check() error {
	for _, n := range []struct {
		name         string
		value, least int
	}{
		{"MaxNewTokens", c.MaxNewTokens, 1},
		{"MinNewTokens", c.MinNewTokens, 0},
		{"TopK", c.TopK, 0},
		{"NoRepeatNGramSize", c.NoRepeatNGramSize, 0},
		{"NumBeams", c.NumBeams, 1},
		{"NumReturnSequences", c.NumReturnSequences, 1},
		{"PrefillChunkSize", c.PrefillChunkSize, 0},
	} {
		if n.value < n.least || n.value > 1<<30 {
			return fmt.Errorf("%s: expected a number from %d to %d, got %d", n.name, n.least, 1<<30, n.value)
		}
	}
	switch {
	case !(c.Temperature > 0) || math.IsInf(c.Temperature, 1):
		return fmt.Errorf("Temperature: expected a positive number, got %v; DoSample(false) is greedy", c.Temperature)
	case !(c.RepetitionPenalty > 0) || math.IsInf(c.RepetitionPenalty, 1):
		return fmt.Errorf("RepetitionPenalty: expected a positive number, got %v", c.RepetitionPenalty)
	case !(c.TopP >= 0 && c.TopP <= 1):
		return fmt.Errorf("TopP: expected a number from 0 to 1, got %v", c.TopP)
	case !(c.MinP >= 0 && c.MinP <= 1):
		return fmt.Errorf("MinP: expected a number from 0 to 1, got %v", c.MinP)
	case math.IsNaN(c.LengthPenalty) || math.IsInf(c.LengthPenalty, 0):
		return fmt.Errorf("LengthPenalty: expected a number, got %v", c.LengthPenalty)
	case c.MinNewTokens > c.MaxNewTokens:
		return fmt.Errorf("MinNewTokens: %d is more than the %d of MaxNewTokens", c.MinNewTokens, c.MaxNewTokens)
	case c.NumReturnSequences > 1 && !c.DoSample && c.NumReturnSequences > c.NumBeams:
		return fmt.Errorf("NumReturnSequences: %d needs DoSample or that many beams, NumBeams is %d",
			c.NumReturnSequences, c.NumBeams)
	case slices.Contains(c.StopStrings, ""):
		return fmt.Errorf("StopStrings: an empty text ends every generation")
	case c.DoSample && c.NumBeams > 1:
		return fmt.Errorf("DoSample: sampling in beam search is not supported")
	}
	return nil
}
