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

// If a file written by Python is loaded and saved again, the new file equals the old one
// byte for byte.
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
				assert.True(t, bytes.Equal(want, got), "they differ at byte %d of %d and %d: %q, %q", i, len(want),
					len(got),
					want[max(0, i-50):min(len(want), i+50)], got[max(0, i-50):min(len(got), i+50)])
			})
		})
	}
}

// A storage may end with a partial element, or be shorter than one element. For every
// dtype, only whole elements are written.
func TestStoragesOfAnySize(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dtypes := []torch.DType{
		torch.Bool, torch.Uint8, torch.Int8, torch.Int16, torch.Int32, torch.Int64, torch.Float16, torch.BFloat16,
		torch.Float32, torch.Float64,
		torch.Complex64, torch.Complex128, torch.Uint16, torch.Uint32, torch.Uint64, torch.Float8E4M3FN,
		torch.Float8E8M0FNU, torch.Float4E2M1FNX2,
	}
	for _, dtype := range dtypes {
		for _, size := range []int64{0, 1, 17, 32, 33, 47} {
			torch.Scope(func() {
				bytes8 := torch.Arange(size, torch.Uint8)
				whole := size / dtype.Size() * dtype.Size()
				x := bytes8.Narrow(0, 0, whole).ViewDType(dtype)
				views := []*torch.Tensor{x}
				if dtype.IsComplex() {
					views = append(views, x.Conj())
				}
				var b bytes.Buffer
				require.NoError(t, serialization.SaveTo(&b, views), "%v, %d bytes", dtype, size)
				v, err := serialization.LoadFrom(bytes.NewReader(b.Bytes()), int64(b.Len()))
				require.NoError(t, err, "%v, %d bytes", dtype, size)
				assert.Equal(t, whole, v.([]any)[0].(*torch.Tensor).StorageBytes())
				for i, got := range v.([]any) {
					got := got.(*torch.Tensor)
					assert.Equal(t, dtype, got.DType())
					assert.Equal(t, views[i].IsConj(), got.IsConj())
					if got.IsConj() {
						got = got.Conj()
					}
					assert.Equal(t, bytes8.Narrow(0, 0, whole).Uint8s(), got.ViewDType(torch.Uint8).Uint8s(),
						"%v, %d bytes", dtype, size)
				}
			})
		}
	}
}

// Every value that can be loaded can be saved. Loading the saved file gives the same value.
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
