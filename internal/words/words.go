// Package words numbers the words of a column of categories. The readers of tables share it.
package words

import (
	"slices"
	"strings"
)

// Words are the words of a column, each with its number.
type Words struct {
	list  []string // in the order of the numbers
	codes map[string]int64
	grows bool
}

// New returns the words of a list. With a nil list, each new word that [Words.Code] meets gets
// the next number.
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

// Code returns the number of a word, and whether it has one. A new word is copied.
func (w *Words) Code(word string) (code int64, known bool) {
	code, known = w.codes[word]
	if known || !w.grows {
		return code, known
	}
	return w.add(strings.Clone(word)), true
}

// Len returns how many words there are.
func (w *Words) Len() int { return len(w.list) }

// List returns the words in the order of their numbers. It is not a copy.
func (w *Words) List() []string { return w.list }

// Sort numbers words that were found anew, in their order, and changes the codes. Words of a
// list keep their numbers. A code below 0, of a missing word, stays.
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
