package nanogpt

import (
	"crypto/sha256"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// If top is 1, Generate always appends the most likely character. It passes at most Block
// characters to the model.
func TestGenerate(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.ManualSeed(1)
	m := NewGPT(Config{Vocabulary: 7, Block: 4, Layers: 1, Heads: 2, Width: 8})
	defer func() { assert.NoError(t, m.Close()) }()
	torch.Scope(func() {
		ids := torch.FromSlice([]int64{1, 2, 3, 4, 5, 6}, 1, 6)
		got := m.Generate(ids, 3, 1, 1).Int64s()
		require.Len(t, got, 9)
		assert.Equal(t, ids.Int64s(), got[:6])
		seen := got[2:6]
		for _, id := range got[6:] {
			want := m.Forward(torch.FromSlice(seen, 1, 4)).Select(1, -1).ArgMax().ItemInt()
			assert.Equal(t, want, id)
			seen = append(seen[1:], id)
		}
	})
}

// The head and the embedding share one weight.
func TestTied(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	m := NewGPT(Config{Vocabulary: 7, Block: 4, Layers: 1, Heads: 2, Width: 8})
	defer func() { assert.NoError(t, m.Close()) }()
	assert.Same(t, m.head.Weight, m.wte.Weight)
	for _, p := range m.NamedParameters() {
		assert.NotEqual(t, "head.weight", p.Name, "listed once")
	}
}

func TestAlphabet(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	a := NewAlphabet("hello, wörld")
	assert.Equal(t, " ,dehlorwö", string(a))
	ids, err := a.Encode("whö")
	require.NoError(t, err)
	defer ids.Close()
	assert.Equal(t, "whö", a.Decode(ids))
	_, err = a.Encode("why")
	assert.ErrorContains(t, err, `'y' does not occur in the training text`)
}

// GoDoc returns the same text each time.
func TestGoDoc(t *testing.T) {
	one, err := GoDoc(t.Context())
	require.NoError(t, err)
	for _, line := range []string{"Package fmt implements formatted I/O", "Println formats using the default formats"} {
		assert.Positive(t, strings.Count(one, line), line) // not assert.Contains, which would print the whole text
	}
	two, err := GoDoc(t.Context())
	require.NoError(t, err)
	assert.Equal(t, sha256.Sum256([]byte(one)), sha256.Sum256([]byte(two)))
}
