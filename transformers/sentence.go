package transformers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers/generation"
	"github.com/gotorch/gotorch/transformers/models"
	"github.com/gotorch/gotorch/transformers/tokenizers"
)

// SentenceTransformer computes embeddings of texts: vectors that are close to each other if
// the texts have similar meanings. Any number of goroutines may call its methods. Follows
// sentence_transformers.SentenceTransformer.
type SentenceTransformer struct {
	Model     models.Encoder
	Tokenizer *tokenizers.Tokenizer

	MaxSeqLength      int64             // the largest number of tokens of a text
	Prompts           map[string]string // what comes before texts, by name
	DefaultPromptName string            // the name of the prompt without an option, or ""

	lower   bool // whether texts become lowercase
	left    bool // whether a text that is too long loses its beginning
	vocab   int64
	pad     int64
	hidden  int64
	pooling pooling
	layers  []sentenceLayer // after the pooling
	width   int64           // of an embedding
}

// Tokens are the tokens of a text for [SentenceTransformer.EncodeTokens].
type Tokens struct {
	IDs []int64
	// Prompt is the number of tokens at the beginning that the pooling leaves out. It is 0
	// unless the model leaves out its prompts.
	Prompt int
}

// EmbeddingDimension returns the number of features of an embedding. Follows
// get_sentence_embedding_dimension.
func (s *SentenceTransformer) EmbeddingDimension() int64 { return s.width }

// Encode returns embeddings (texts, [SentenceTransformer.EmbeddingDimension]). Texts of similar
// length pass through the model together. The error is ctx.Err() if ctx ends,
// generation.ErrTooLong with Truncation(false), or the tokenizer's. Encode panics with ErrNil for
// a nil option, with ErrValue for an invalid one, and as the model's Forward does. Follows
// SentenceTransformer.encode.
func (s *SentenceTransformer) Encode(ctx context.Context, texts []string, opts ...EncodeOption) (*torch.Tensor, error) {
	const op = "transformers.SentenceTransformer.Encode"
	c := readSentence(s, op, opts)
	tokens, err := s.tokenize(op, texts, c)
	if err != nil {
		return nil, err
	}
	return s.encode(ctx, op, tokens, c)
}

// Tokenize returns the tokens of texts, with special tokens and without padding. Like Python,
// it removes white space at both ends first. Its errors and panics are those of Encode.
func (s *SentenceTransformer) Tokenize(texts []string, opts ...TokenizeOption) ([]Tokens, error) {
	const op = "transformers.SentenceTransformer.Tokenize"
	return s.tokenize(op, texts, readSentence(s, op, opts))
}

// EncodeTokens returns embeddings of texts that were tokenized before. The error is ErrValue for
// a text without tokens, ErrIndex for a token outside the vocabulary, generation.ErrTooLong, or
// ctx.Err(). It panics as Encode does.
func (s *SentenceTransformer) EncodeTokens(ctx context.Context, texts []Tokens, opts ...EncodeTokensOption,
) (*torch.Tensor, error) {
	const op = "transformers.SentenceTransformer.EncodeTokens"
	return s.encode(ctx, op, texts, readSentence(s, op, opts))
}

// CheckTokens returns the error that EncodeTokens has for texts, without computing embeddings.
func (s *SentenceTransformer) CheckTokens(texts []Tokens) error {
	return s.check("transformers.SentenceTransformer.CheckTokens", texts)
}

// VocabSize returns the number of tokens that the model knows.
func (s *SentenceTransformer) VocabSize() int64 { return s.vocab }

func (s *SentenceTransformer) check(op string, texts []Tokens) error {
	for i, text := range texts {
		n := len(text.IDs)
		switch {
		case n == 0:
			return torch.NewError(op, torch.ErrValue, "texts", fmt.Sprintf("text %d has no tokens", i))
		case int64(n) > s.MaxSeqLength:
			return s.tooLong(op, i, n)
		case text.Prompt < 0:
			return torch.NewError(op, torch.ErrValue, "texts", fmt.Sprintf("Prompt of text %d is %d", i, text.Prompt))
		}
		for _, id := range text.IDs {
			if id < 0 || id >= s.vocab {
				return torch.NewError(op, torch.ErrIndex, "texts",
					fmt.Sprintf("text %d has the token %d; the vocabulary has %d", i, id, s.vocab))
			}
		}
	}
	return nil
}

func (s *SentenceTransformer) tooLong(op string, i, tokens int) error {
	return fmt.Errorf("%s: %w: text %d has %d tokens; at most %d fit", op, generation.ErrTooLong, i, tokens,
		s.MaxSeqLength)
}

func (s *SentenceTransformer) tokenize(op string, texts []string, c sentenceSettings) ([]Tokens, error) {
	prompt, err := s.promptTokens(c)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", op, err)
	}
	clean := make([]string, len(texts))
	for i, text := range texts {
		clean[i] = s.clean(c.prompt + text)
	}
	encodings, err := s.Tokenizer.EncodeBatch(clean, s.encodeOptions(c.truncates)...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", op, err)
	}
	out := make([]Tokens, len(texts))
	for i, e := range encodings {
		if int64(e.Len()) > s.MaxSeqLength {
			return nil, s.tooLong(op, i, e.Len())
		}
		out[i] = Tokens{e.IDs, prompt}
	}
	return out, s.check(op, out)
}

// promptTokens returns the number of a prompt's tokens that the pooling leaves out. Like
// Python, it does not count a special token at the end.
func (s *SentenceTransformer) promptTokens(c sentenceSettings) (int, error) {
	if c.prompt == "" || s.pooling.prompt {
		return 0, nil
	}
	e, err := s.Tokenizer.Encode(s.clean(c.prompt), s.encodeOptions(true)...)
	if err != nil {
		return 0, err
	}
	n := e.Len()
	if n > 0 && e.SpecialTokensMask[n-1] == 1 {
		n--
	}
	return n, nil
}

func (s *SentenceTransformer) encodeOptions(truncates bool) []tokenizers.EncodeOption {
	opts := []tokenizers.EncodeOption{tokenizers.PaddingNone, tokenizers.Truncation(false)}
	if truncates && s.MaxSeqLength <= 1<<30 {
		side := tokenizers.SideRight
		if s.left {
			side = tokenizers.SideLeft
		}
		opts = append(opts, tokenizers.MaxLength(s.MaxSeqLength), tokenizers.TruncationSide(side),
			tokenizers.TruncationStrategyLongestFirst)
	}
	return opts
}

// clean removes what Python's str.strip removes.
func (s *SentenceTransformer) clean(text string) string {
	text = strings.TrimFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f })
	if s.lower {
		text = strings.ToLower(text)
	}
	return text
}

// encode computes the embeddings in batches, the longest texts first.
func (s *SentenceTransformer) encode(ctx context.Context, op string, texts []Tokens, c sentenceSettings,
) (out *torch.Tensor, err error) {
	if err := s.check(op, texts); err != nil {
		return nil, err
	}
	order := make([]int, len(texts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return len(texts[b].IDs) - len(texts[a].IDs) })
	place := make([]int64, len(texts)) // of each text's row
	for row, i := range order {
		place[i] = int64(row)
	}
	param := s.Model.ModuleBase().Parameters()[0]
	var rows []*torch.Tensor
	defer func() { // also if the model fails
		for _, t := range rows {
			err = errors.Join(err, t.Close())
		}
	}()
	torch.NoGrad(func() {
		for batch := range slices.Chunk(order, c.batch) {
			if err = ctx.Err(); err != nil {
				return
			}
			rows = append(rows, torch.Tidy(func() *torch.Tensor { return s.embed(texts, batch, param.Device(), c) }))
		}
		if len(texts) == 0 {
			out = torch.Zeros(torch.Shape{0, c.dim}, param.DType(), param.Device())
			return
		}
		out = torch.Tidy(func() *torch.Tensor {
			return torch.Cat(rows).IndexSelect(0, torch.FromSlice(place, int64(len(place))).To(param.Device()))
		})
	})
	return out, err
}

// embed computes the embeddings of a batch.
func (s *SentenceTransformer) embed(texts []Tokens, batch []int, device torch.Device, c sentenceSettings,
) *torch.Tensor {
	n, longest := int64(len(batch)), len(texts[batch[0]].IDs)
	ids, mask := make([]int64, 0, len(batch)*longest), make([]int64, 0, len(batch)*longest)
	lengths, prompts := make([]int, len(batch)), make([]int, len(batch))
	for row, i := range batch {
		ids = append(ids, texts[i].IDs...)
		lengths[row] = len(texts[i].IDs)
		prompts[row] = min(texts[i].Prompt, lengths[row]-1) // something must remain
		for at := range longest {
			if at >= lengths[row] {
				ids = append(ids, s.pad)
				mask = append(mask, 0)
				continue
			}
			mask = append(mask, 1)
		}
	}
	features, _ := s.Model.Forward(torch.FromSlice(ids, n, int64(longest)).To(device),
		models.AttentionMask(torch.FromSlice(mask, n, int64(longest)).To(device)))
	x := s.pooling.forward(features, lengths, prompts)
	for _, l := range s.layers {
		x = l.forward(x)
	}
	if c.dim < x.Size(1) {
		x = x.Narrow(1, 0, c.dim)
	}
	if c.normalize {
		x = F.Normalize(x)
	}
	return x.Contiguous()
}
