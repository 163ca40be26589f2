// Package text has what the programs of examples/pytorch that read words share: lines of files,
// words, their numbers, and waves that tell a transformer where a word stands.
package text

import (
	"math"
	"regexp"

	"github.com/gotorch/gotorch/torch"
)

var word = regexp.MustCompile(`[\pL\pN_]+|[^\pL\pN_\s]`)

// Split returns the words of a sentence; a mark such as a comma is one too.
func Split(sentence string) []string { return word.FindAllString(sentence, -1) }

// Vocabulary gives words numbers, from 0 in the order in which they come.
type Vocabulary struct {
	Words  []string // by their numbers
	number map[string]int64
}

// NewVocabulary returns a vocabulary that has some words already.
func NewVocabulary(words ...string) *Vocabulary {
	v := &Vocabulary{number: map[string]int64{}}
	for _, w := range words {
		v.Add(w)
	}
	return v
}

// Add returns the number of a word, which is new if the word is.
func (v *Vocabulary) Add(word string) int64 {
	n, ok := v.number[word]
	if !ok {
		n = int64(len(v.Words))
		v.number[word], v.Words = n, append(v.Words, word)
	}
	return n
}

// Find returns the number of a word, and whether the vocabulary has it; if not, 0.
func (v *Vocabulary) Find(word string) (n int64, ok bool) {
	n, ok = v.number[word]
	return n, ok
}

// Len is the number of words.
func (v *Vocabulary) Len() int64 { return int64(len(v.Words)) }

// Positions are the sine and the cosine of a place in a text for each pair of features, slower
// from pair to pair: float32 (n, 1, features). The number of features has to be even.
func Positions(n, features int64) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor {
		at := torch.Arange(n, torch.Float32).Unsqueeze(1)
		rate := torch.Arange(0, features, 2, torch.Float32).MulScalar(-math.Log(10000) / float64(features)).Exp()
		angle := at.Mul(rate)
		return torch.Stack([]*torch.Tensor{angle.Sin(), angle.Cos()}, 2).View(n, 1, features)
	})
}
