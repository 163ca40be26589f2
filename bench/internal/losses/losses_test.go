package losses_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/bench/internal/losses"
)

func read(t *testing.T, text string) (losses.File, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "losses")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return losses.Read(path)
}

func TestRead(t *testing.T) {
	f, err := read(t, "0.5 2.25\n1 nan\n1.5 -1e3\n# peak_bytes=3\n# peak_bytes=2\n")
	require.NoError(t, err)
	assert.Equal(t, []float64{0.5, 1, 1.5}, f.Seconds)
	require.Len(t, f.Numbers, 3)
	assert.InDelta(t, -1000, f.Numbers[2], 0)
	assert.EqualValues(t, 3, f.Peak)
	assert.InDelta(t, 2, f.Rate(), 0)

	f, err = read(t, "1 2\n")
	require.NoError(t, err)
	assert.Zero(t, f.Rate(), "one step")
}

func TestReadRefuses(t *testing.T) {
	for _, text := range []string{"1\n", "one 2\n", "\n", "# peak_bytes=much\n", "# other\n"} {
		_, err := read(t, text)
		assert.Error(t, err, "%q", text)
	}
	_, err := losses.Read(filepath.Join(t.TempDir(), "none"))
	assert.ErrorIs(t, err, os.ErrNotExist)
}
