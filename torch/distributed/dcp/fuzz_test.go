package dcp_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed/dcp"
)

// FuzzMetadata fuzzes .metadata next to a valid data file. ReadMetadata and Load must return a
// result or a *FileError, and leave no tensors behind.
func FuzzMetadata(f *testing.F) {
	dir := f.TempDir()
	torch.Scope(func() {
		err := dcp.Save(f.Context(), nil, map[string]any{
			"x": torch.Ones(torch.Shape{2, 3}), "n": 1, "l": []any{torch.Ones(torch.Shape{}), map[string]any{"k": "v"}},
		}, dir)
		if err != nil {
			f.Fatal(err)
		}
	})
	text, err := os.ReadFile(filepath.Join(dir, ".metadata"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	golden, err := os.ReadFile(filepath.Join("testdata", "python.metadata"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(golden)
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(filepath.Join(dir, ".metadata"), text, 0o600); err != nil {
			t.Fatal(err)
		}
		live := torch.NumLiveTensors()
		torch.Scope(func() {
			m, err := dcp.ReadMetadata(dir)
			if err != nil {
				if e := (*torch.FileError)(nil); !errors.As(err, &e) || m != nil {
					t.Fatalf("%T %v", err, err)
				}
				return
			}
			_ = m.String()
			state := map[string]any{}
			for _, key := range m.Keys() {
				state[key] = nil
			}
			if err := dcp.Load(t.Context(), nil, dir, state); err != nil {
				e, te := (*torch.FileError)(nil), (*torch.Error)(nil)
				if !errors.As(err, &e) && !errors.As(err, &te) {
					t.Fatalf("%T %v", err, err)
				}
			}
		})
		if n := torch.NumLiveTensors(); n != live {
			t.Fatalf("%d tensors left", n-live)
		}
	})
}
