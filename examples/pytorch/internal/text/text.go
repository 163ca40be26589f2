// Package text is shared by the programs of examples/pytorch that read words. It has lines
// of files, words, vocabularies, and positional encodings for transformers.
package text

import (
	"math"
	"regexp"

	"github.com/gotorch/gotorch/torch"
)

var word = regexp.MustCompile(`[\pL\pN_]+|[^\pL\pN_\s]`)

// Split returns the words of a sentence. A punctuation mark counts as a word.
func Split(sentence string) []string { return word.FindAllString(sentence, -1) }

// Vocabulary numbers words from 0, in the order in which they are added.
type Vocabulary struct {
	Words  []string // by number
	number map[string]int64
}

// NewVocabulary returns a vocabulary with some words.
func NewVocabulary(words ...string) *Vocabulary {
	v := &Vocabulary{number: map[string]int64{}}
	for _, w := range words {
		v.Add(w)
	}
	return v
}

// Add returns the number of a word. It adds a new word.
func (v *Vocabulary) Add(word string) int64 {
	n, ok := v.number[word]
	if !ok {
		n = int64(len(v.Words))
		v.number[word], v.Words = n, append(v.Words, word)
	}
	return n
}

// Find returns the number of a word, or 0 and false if the vocabulary does not have it.
func (v *Vocabulary) Find(word string) (n int64, ok bool) {
	n, ok = v.number[word]
	return n, ok
}

// Len returns the number of words.
func (v *Vocabulary) Len() int64 { return int64(len(v.Words)) }

// Positions returns positional encodings, float32 (n, 1, features). Each pair of features
// has the sine and cosine of the position, with a frequency that falls from pair to pair.
// The number of features has to be even.
func Positions(n, features int64) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor {
		at := torch.Arange(n, torch.Float32).Unsqueeze(1)
		rate := torch.Arange(0, features, 2, torch.Float32).MulScalar(-math.Log(10000) / float64(features)).Exp()
		angle := at.Mul(rate)
		return torch.Stack([]*torch.Tensor{angle.Sin(), angle.Cos()}, 2).View(n, 1, features)
	})
}
