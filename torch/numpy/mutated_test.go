package numpy_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/numpy"
)

// Whichever byte of a file is damaged, the error has a kind.
func TestErrorsOfDamagedFilesHaveKinds(t *testing.T) {
	paths, err := filepath.Glob("testdata/golden/*.npz")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	path := filepath.Join(t.TempDir(), "f.npz")
	random := rand.New(rand.NewPCG(1, 2))
	try := func(data []byte) {
		require.NoError(t, os.WriteFile(path, data, 0o600))
		torch.Scope(func() {
			_, err := numpy.LoadNpz(path, numpy.MaxInflated(1<<20))
			checkFault(t, err)
		})
	}
	for _, golden := range paths {
		data, err := os.ReadFile(golden)
		require.NoError(t, err)
		for range 400 {
			damaged := append([]byte(nil), data...)
			from, to := 0, len(damaged)
			if random.IntN(2) == 0 {
				from = max(0, len(damaged)-400) // the directory
			}
			for range 1 + random.IntN(4) {
				damaged[from+random.IntN(to-from)] = byte(random.IntN(256))
			}
			if random.IntN(8) == 0 {
				damaged = damaged[:random.IntN(len(damaged))]
			}
			try(damaged)
		}
	}
}

func checkFault(t *testing.T, err error) {
	t.Helper()
	var e *torch.FileError
	if err != nil && (!errors.As(err, &e) || e.Kind == nil && !errors.Is(err, torch.ErrOutOfMemory)) {
		t.Errorf("%T %v", err, err)
	}
}
