package text_test

import (
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/examples/pytorch/internal/text"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

func TestVocabulary(t *testing.T) {
	assert.Equal(t, []string{"Größe", "ist", "7", ",", "oder"}, text.Split("Größe ist 7, oder"))
	v := text.NewVocabulary("<unk>", "<pad>")
	assert.Equal(t, []int64{2, 3, 2, 1}, []int64{v.Add("a"), v.Add("b"), v.Add("a"), v.Add("<pad>")})
	n, ok := v.Find("b")
	assert.Equal(t, int64(3), n)
	assert.True(t, ok)
	n, ok = v.Find("c")
	assert.Zero(t, n)
	assert.False(t, ok)
	assert.Equal(t, int64(4), v.Len())
}

func TestPositions(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	p := text.Positions(3, 4)
	defer p.Close()
	assert.Equal(t, torch.Shape{3, 1, 4}, p.Shape())
	want := []float64{math.Sin(2), math.Cos(2), math.Sin(0.02), math.Cos(0.02)}
	row := p.Index(2, 0)
	defer row.Close()
	assert.InDeltaSlice(t, want, row.Float32s(), 1e-6)
}

func TestLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lines")
	require.NoError(t, os.WriteFile(path, []byte("a\nb c\n"+strings.Repeat("d", 100_000)), 0o600))
	var all []string
	require.NoError(t, text.Lines(path, func(line string) error {
		all = append(all, line)
		return nil
	}))
	assert.Equal(t, []string{"a", "b c"}, all[:2])
	assert.Len(t, all[2], 100_000)
	err := text.Lines(path, func(line string) error {
		if line == "b c" {
			return io.ErrNoProgress
		}
		return nil
	})
	require.ErrorIs(t, err, io.ErrNoProgress)
	assert.ErrorContains(t, err, "lines:2: ")
	assert.ErrorIs(t, text.Lines(t.TempDir()+"/no", nil), os.ErrNotExist)
}
