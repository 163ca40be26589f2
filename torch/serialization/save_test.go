package serialization_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/serialization"
	"github.com/gotorch/gotorch/torchtest"
)

// What is read and saved again is, byte for byte, the file that Python wrote.
func TestSavedFilesAreThoseOfPython(t *testing.T) {
	for _, name := range []string{"state", "tensor", "number", "dtypes", "views", "parameters", "meta", "sparse"} {
		t.Run(name, func(t *testing.T) {
			defer torchtest.CheckLeaks(t)()
			torch.Scope(func() {
				v, err := serialization.Load(golden(name + ".pt"))
				require.NoError(t, err)
				path := filepath.Join(t.TempDir(), name+".pt")
				require.NoError(t, serialization.Save(v, path))
				want, err := os.ReadFile(golden(name + ".pt"))
				require.NoError(t, err)
				got, err := os.ReadFile(path)
				require.NoError(t, err)
				i := 0
				for i < min(len(want), len(got)) && want[i] == got[i] {
					i++
				}
				assert.True(t, bytes.Equal(want, got), "they differ at byte %d of %d and %d: %q, %q", i, len(want), len(got),
					want[max(0, i-50):min(len(want), i+50)], got[max(0, i-50):min(len(got), i+50)])
			})
		})
	}
}

// Whatever was read can be saved, and is the same when it is read again.
func TestRoundTrip(t *testing.T) {
	for name, want := range goldens(t) {
		t.Run(name, func(t *testing.T) {
			defer torchtest.CheckLeaks(t)()
			torch.Scope(func() {
				v, err := serialization.Load(golden(name))
				require.NoError(t, err)
				var b bytes.Buffer
				require.NoError(t, serialization.SaveTo(&b, v))
				again, err := serialization.LoadFrom(bytes.NewReader(b.Bytes()), int64(b.Len()))
				require.NoError(t, err)
				if got := describe(t, again); got != want {
					assert.Fail(t, "another value", difference(want, got))
				}
			})
		})
	}
}
