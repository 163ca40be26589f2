package generation

import (
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers/kvcache"
)

// An Option is an option of [Generate] and [Stream]. Options have the names of the arguments
// of generate in transformers. A [Config] sets all of them.
//
//gotorch:options Config MaxNewTokens MinNewTokens DoSample Temperature TopK TopP MinP RepetitionPenalty
//gotorch:options NoRepeatNGramSize NumBeams LengthPenalty EarlyStopping NumReturnSequences SuppressTokens
//gotorch:options BeginSuppressTokens EOSTokenID PadTokenID PrefillChunkSize StopStrings cacheOption
type Option interface{ option() }

// MaxNewTokens is the largest number of tokens to generate, by default 20.
type MaxNewTokens int

// MinNewTokens is the number of tokens before which no token of EOSTokenID is chosen, by
// default 0.
type MinNewTokens int

// DoSample draws tokens by their probability. By default the most probable token is chosen.
type DoSample bool

// Temperature divides the logits when sampling, by default 1. Lower values favour probable
// tokens.
type Temperature float64

// TopK is the number of most probable tokens to sample from, by default 50. 0 means all.
type TopK int

// TopP is the probability of the smallest set of tokens to sample from, by default 1: all.
type TopP float64

// MinP is the least probability of a token to sample, relative to the most probable one, by
// default 0.
type MinP float64

// RepetitionPenalty divides the positive logits of tokens that occurred, and multiplies the
// negative ones. By default it is 1: none.
type RepetitionPenalty float64

// NoRepeatNGramSize is the number of tokens that never occur twice in the same order, by
// default 0: any may.
type NoRepeatNGramSize int

// NumBeams is the number of sequences that beam search follows, by default 1: no beam
// search.
type NumBeams int

// LengthPenalty is the exponent of the length by which beam search divides the score of a
// sequence, by default 1. Higher values favour long sequences.
type LengthPenalty float64

// EarlyStopping ends beam search as soon as NumBeams sequences are finished. By default it
// goes on while a better one seems possible.
type EarlyStopping bool

// NumReturnSequences is the number of results for each prompt, by default 1.
type NumReturnSequences int

// SuppressTokens are tokens that are never chosen, by default none.
type SuppressTokens []int64

// BeginSuppressTokens are tokens that are never chosen first, by default none.
type BeginSuppressTokens []int64

// EOSTokenID are the tokens that end a sequence, by default none.
type EOSTokenID []int64

// PadTokenID follows the end of shorter sequences, by default the first of EOSTokenID.
type PadTokenID int64

// PrefillChunkSize is the number of tokens of a prompt that pass through the model at once.
// Less needs less memory. By default it is the whole prompt.
type PrefillChunkSize int

// StopStrings are texts that end a generation, by default none. They need a tokenizer, so
// only methods of transformers.LM take them. The text that is generated does not contain
// them.
type StopStrings []string

type cacheOption struct{ kvcache.Cache }

// UseCache is an empty cache for the keys and values. The caller closes it; after the call
// it contains all tokens except the last. By default, and for nil, a generation allocates a
// cache of the right size and closes it. Follows past_key_values.
func UseCache(c kvcache.Cache) Option { return cacheOption{c} }

// Read returns the settings of opts, for functions that generate with other means than this
// package. op is the function that errors name. Read panics with ErrNil for a nil option,
// and with ErrValue for an invalid setting.
func Read(op string, opts []Option) Config {
	c := DefaultConfig()
	for _, o := range opts {
		switch o := o.(type) {
		case Config:
			c = o
		case MaxNewTokens:
			c.MaxNewTokens = int(o)
		case MinNewTokens:
			c.MinNewTokens = int(o)
		case DoSample:
			c.DoSample = bool(o)
		case Temperature:
			c.Temperature = float64(o)
		case TopK:
			c.TopK = int(o)
		case TopP:
			c.TopP = float64(o)
		case MinP:
			c.MinP = float64(o)
		case RepetitionPenalty:
			c.RepetitionPenalty = float64(o)
		case NoRepeatNGramSize:
			c.NoRepeatNGramSize = int(o)
		case NumBeams:
			c.NumBeams = int(o)
		case LengthPenalty:
			c.LengthPenalty = float64(o)
		case EarlyStopping:
			c.EarlyStopping = bool(o)
		case NumReturnSequences:
			c.NumReturnSequences = int(o)
		case SuppressTokens:
			c.SuppressTokens = IDs(o)
		case BeginSuppressTokens:
			c.BeginSuppress = IDs(o)
		case EOSTokenID:
			c.EOSTokenIDs = IDs(o)
		case PadTokenID:
			c.PadTokenID = new(int64(o))
		case PrefillChunkSize:
			c.PrefillChunkSize = int(o)
		case StopStrings:
			c.StopStrings = Strings(o)
		case cacheOption:
			c.cache = o.Cache
		default:
			panic(torch.BadOption(op, o))
		}
	}
	if err := c.check(); err != nil {
		panic(torch.NewError(op, torch.ErrValue, "opts", err.Error()))
	}
	return c
}
