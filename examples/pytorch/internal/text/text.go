// Package text is shared by the programs of examples/pytorch that read words. It reads
// files line by line, splits sentences into words, numbers words, and computes positional
// encodings for transformers.
package text

import (
	"math"
	"regexp"

	"github.com/gotorch/gotorch/torch"
)

var word = regexp.MustCompile(`[\pL\pN_]+|[^\pL\pN_\s]`)

// Split returns the words of a sentence. A punctuation mark counts as a word.
func Split(sentence string) []string { return word.FindAllString(sentence, -1) }

// Vocabulary assigns numbers to words: 0, 1, 2, ... in the order in which the words are
// added.
type Vocabulary struct {
	Words  []string // by number
	number map[string]int64
}

// NewVocabulary returns a vocabulary that contains the given words.
func NewVocabulary(words ...string) *Vocabulary {
	v := &Vocabulary{number: map[string]int64{}}
	for _, w := range words {
		v.Add(w)
	}
	return v
}

// Add returns the number of a word. If the word is new, Add adds it.
func (v *Vocabulary) Add(word string) int64 {
	n, ok := v.number[word]
	if !ok {
		n = int64(len(v.Words))
		v.number[word], v.Words = n, append(v.Words, word)
	}
	return n
}

// Find returns the number of a word, or 0 and false if the word is not in the vocabulary.
func (v *Vocabulary) Find(word string) (n int64, ok bool) {
	n, ok = v.number[word]
	return n, ok
}

// Len returns the number of words.
func (v *Vocabulary) Len() int64 { return int64(len(v.Words)) }

// Positions returns positional encodings, float32 (n, 1, features). Each pair of features
// contains the sine and cosine of the position times a frequency. The frequency decreases
// from pair to pair. features must be even.
func Positions(n, features int64) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor {
		at := torch.Arange(n, torch.Float32).Unsqueeze(1)
		rate := torch.Arange(0, features, 2, torch.Float32).MulScalar(-math.Log(10000) / float64(features)).Exp()
		angle := at.Mul(rate)
		return torch.Stack([]*torch.Tensor{angle.Sin(), angle.Cos()}, 2).View(n, 1, features)
	})
}
