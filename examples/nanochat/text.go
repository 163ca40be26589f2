package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gotorch/gotorch/examples/gpt/nanogpt"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers/tokenizers"
)

// The special tokens of conversations, as in nanochat.
const (
	bos            = "<|bos|>" // begins each text and each conversation
	userStart      = "<|user_start|>"
	userEnd        = "<|user_end|>"
	assistantStart = "<|assistant_start|>"
	assistantEnd   = "<|assistant_end|>"
)

var specialTokens = tokenizers.SpecialTokens{bos, userStart, userEnd, assistantStart, assistantEnd}

// words is the pattern of the words that the tokenizer divides. It is GPT-2's, except that
// each digit is a word, which makes arithmetic easier to learn.
const words = `'(?:[sdmt]|ll|ve|re)| ?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`

// The training does not see every heldOut-th section of the text.
const heldOut = 20

// corpus is a text in sections of about a page.
type corpus struct{ train, test []string }

// readCorpus reads the text of -text, or by default the documentation of Go's library.
func (c *config) readCorpus(ctx context.Context) (corpus, error) {
	var text string
	var err error
	if c.text == "" {
		text, err = nanogpt.GoDoc(ctx)
	} else {
		var b []byte
		b, err = os.ReadFile(filepath.Clean(c.text))
		text = string(b)
	}
	if err != nil {
		return corpus{}, err
	}
	sections := sectionsOf(text, 2000)
	if len(sections) < 2 {
		return corpus{}, fmt.Errorf("the text has %d characters, which are too few", len(text))
	}
	var all corpus
	for i, s := range sections {
		if i%heldOut == heldOut-1 || len(sections) < heldOut && i == len(sections)-1 {
			all.test = append(all.test, s)
		} else {
			all.train = append(all.train, s)
		}
	}
	return all, nil
}

// sectionsOf divides a text after empty lines into sections of at least n bytes.
func sectionsOf(text string, n int) (sections []string) {
	var b strings.Builder
	for paragraph := range strings.SplitAfterSeq(text, "\n\n") {
		b.WriteString(paragraph)
		if b.Len() >= n {
			sections = append(sections, b.String())
			b.Reset()
		}
	}
	if strings.TrimSpace(b.String()) != "" {
		sections = append(sections, b.String())
	}
	return sections
}

// trainTokenizer learns the tokens from the sections and from conversations.
func trainTokenizer(c *config, sections []string) (*tokenizers.Tokenizer, error) {
	return tokenizers.TrainBPE(func(yield func(string) bool) {
		for _, s := range sections {
			if !yield(s) {
				return
			}
		}
		for i := range 200 {
			for _, m := range newDialog(rowSource(c.seed, -1, i)).messages() {
				if !yield(m.Content) {
					return
				}
			}
		}
	}, tokenizers.VocabSize(c.Vocab), specialTokens, tokenizers.SplitPattern(words))
}

// encodeAll returns the token IDs of all sections. Each begins with bos.
func encodeAll(t *tokenizers.Tokenizer, sections []string) ([]int64, error) {
	begin, _ := t.TokenToID(bos)
	encodings, err := t.EncodeBatch(sections)
	if err != nil {
		return nil, err
	}
	var ids []int64
	for _, e := range encodings {
		ids = append(append(ids, begin), e.IDs...)
	}
	return ids, nil
}

// textRows draws texts from a long list of tokens.
type textRows struct {
	windows *torch.Tensor // (N, context): all sections of the list
	random  *torch.Generator
}

// newTextRows returns a source of texts of the length context.
func newTextRows(ids []int64, context int64, seed uint64) (*textRows, error) {
	if int64(len(ids)) <= context {
		return nil, fmt.Errorf("the text has %d tokens, which are too few for -context %d", len(ids), context)
	}
	r := &textRows{random: torch.NewGenerator(torch.CPU).ManualSeed(seed)}
	torch.Scope(func() { r.windows = torch.Disown(torch.FromSlice(ids).Unfold(0, context, 1)) })
	return r, nil
}

// draw returns n texts (n, context) of this process. All processes draw the same numbers
// and take their part of them.
func (r *textRows) draw(n, rank, processes int) *torch.Tensor {
	starts := torch.RandInt(0, r.windows.Size(0), torch.Shape{int64(n * processes)}, r.random)
	return r.windows.IndexSelect(0, starts.Narrow(0, int64(rank*n), int64(n)))
}

// Close frees the tokens.
func (r *textRows) Close() error { return r.windows.Close() }
