// Package words numbers the words in a categorical column. The readers of tables use it.
package words

import (
	"slices"
	"strings"
)

// Words are the words of a column. Each word has a number.
type Words struct {
	list  []string // in the order of the numbers
	codes map[string]int64
	grows bool
}

// New returns the words of a list, numbered from 0. If the list is nil, there are no
// words yet, and each new word that is passed to [Words.Code] gets the next number.
func New(list []string) *Words {
	w := &Words{codes: map[string]int64{}, grows: list == nil}
	for _, word := range list {
		w.add(word)
	}
	return w
}

func (w *Words) add(word string) int64 {
	code := int64(len(w.list))
	w.codes[word] = code
	w.list = append(w.list, word)
	return code
}

// Code returns the number of a word, and whether the word has a number. It copies a new
// word, so that the caller may reuse the word's memory.
func (w *Words) Code(word string) (code int64, known bool) {
	code, known = w.codes[word]
	if known || !w.grows {
		return code, known
	}
	return w.add(strings.Clone(word)), true
}

// Len returns the number of words.
func (w *Words) Len() int { return len(w.list) }

// List returns the words in the order of their numbers. The caller must not modify the
// slice.
func (w *Words) List() []string { return w.list }

// Sort sorts the words, and changes the numbers in codes to the new numbers of the words.
// It does nothing if the words were passed to New as a list. A negative code, which
// stands for a missing word, stays unchanged.
func (w *Words) Sort(codes []int64) {
	if !w.grows {
		return
	}
	sorted := slices.Sorted(slices.Values(w.list))
	place := make([]int64, len(sorted))
	for i, word := range sorted {
		place[w.codes[word]] = int64(i)
		w.codes[word] = int64(i)
	}
	for i, code := range codes {
		if code >= 0 {
			codes[i] = place[code]
		}
	}
	w.list = sorted
}
