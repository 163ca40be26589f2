package transformers

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/torch"
)

// An EncodeOption is an option of [SentenceTransformer.Encode]. Options have the names of the
// arguments of sentence-transformers' encode.
//
//gotorch:options Prompt PromptName Truncation BatchSize NormalizeEmbeddings TruncateDim
type EncodeOption interface{ encodeOption() }

// A TokenizeOption is an option of [SentenceTransformer.Tokenize].
//
//gotorch:options Prompt PromptName Truncation
type TokenizeOption interface{ tokenizeOption() }

// An EncodeTokensOption is an option of [SentenceTransformer.EncodeTokens].
//
//gotorch:options BatchSize NormalizeEmbeddings TruncateDim
type EncodeTokensOption interface{ encodeTokensOption() }

// Prompt comes before each text, such as "query: ". "" means none. By default it is the prompt
// that DefaultPromptName of the model names, if any.
type Prompt string

// PromptName is the name of a prompt of the model's Prompts. "" means no prompt.
type PromptName string

// Truncation says whether texts of more than MaxSeqLength tokens are cut off, which is the
// default. Otherwise they cause generation.ErrTooLong.
type Truncation bool

// BatchSize is the number of texts that pass through the model at once, by default 32.
type BatchSize int

// NormalizeEmbeddings says whether embeddings are divided by their lengths after all modules
// of the model, by default false.
type NormalizeEmbeddings bool

// TruncateDim is the number of features of an embedding that are kept, the first ones, by
// default all. It is for models that were trained with a Matryoshka loss.
type TruncateDim int64

// sentenceSettings are the values of the options.
type sentenceSettings struct {
	prompt    string
	truncates bool
	batch     int
	normalize bool
	dim       int64
}

// defaults returns the settings of a call without options.
func (s *SentenceTransformer) defaults() sentenceSettings {
	return sentenceSettings{prompt: s.Prompts[s.DefaultPromptName], truncates: true, batch: 32, dim: s.width}
}

// set sets one option. op is the function that errors mention.
func (s *SentenceTransformer) set(op string, c *sentenceSettings, option any) {
	switch o := option.(type) {
	case Prompt:
		c.prompt = string(o)
	case PromptName:
		prompt, ok := s.Prompts[string(o)]
		if !ok && o != "" {
			panic(torch.NewError(op, torch.ErrValue, "PromptName", fmt.Sprintf("%q is not one of %s", string(o),
				strings.Join(slices.Sorted(maps.Keys(s.Prompts)), ", "))))
		}
		c.prompt = prompt
	case Truncation:
		c.truncates = bool(o)
	case BatchSize:
		if c.batch = int(o); o < 1 {
			panic(torch.NewError(op, torch.ErrValue, "BatchSize", fmt.Sprintf("expected a positive number, got %d", o)))
		}
	case NormalizeEmbeddings:
		c.normalize = bool(o)
	case TruncateDim:
		if c.dim = int64(o); o < 1 || int64(o) > s.width {
			panic(torch.NewError(op, torch.ErrValue, "TruncateDim",
				fmt.Sprintf("expected a number from 1 to %d, got %d", s.width, o)))
		}
	default:
		panic(torch.BadOption(op, option))
	}
}

// readSentence returns the settings of options.
func readSentence[O any](s *SentenceTransformer, op string, opts []O) sentenceSettings {
	c := s.defaults()
	for _, o := range opts {
		s.set(op, &c, o)
	}
	return c
}
