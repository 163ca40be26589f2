package words_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/internal/words"
)

func TestWordsOfAList(t *testing.T) {
	w := words.New([]string{"b", "a"})
	code, known := w.Code("a")
	assert.True(t, known)
	assert.Equal(t, int64(1), code)
	_, known = w.Code("c")
	assert.False(t, known)
	codes := []int64{0, 1, -1}
	w.Sort(codes)
	assert.Equal(t, []int64{0, 1, -1}, codes, "a list keeps its order")
	assert.Equal(t, []string{"b", "a"}, w.List())
}

func TestWordsThatAreFound(t *testing.T) {
	w := words.New(nil)
	var codes []int64
	for _, word := range []string{"b", "a", "b", "c"} {
		code, known := w.Code(word)
		assert.True(t, known)
		codes = append(codes, code)
	}
	codes = append(codes, -1)
	w.Sort(codes)
	assert.Equal(t, []int64{1, 0, 1, 2, -1}, codes)
	assert.Equal(t, []string{"a", "b", "c"}, w.List())
	code, _ := w.Code("c")
	assert.Equal(t, int64(2), code)
	assert.Equal(t, 3, w.Len())
}
