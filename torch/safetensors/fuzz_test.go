package safetensors_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/safetensors"
)

// Each input either loads or gives a *FileError. The tensors of a valid file stay the same
// when they are saved and loaded again. After an error, no tensor is open.
func FuzzLoad(f *testing.F) {
	for _, folder := range []string{"goldens", "malformed"} {
		paths, err := filepath.Glob(filepath.Join("testdata", folder, "*.safetensors"))
		if err != nil || len(paths) == 0 {
			f.Fatal("no seeds", err)
		}
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		live := torch.NumLiveTensors()
		torch.Scope(func() {
			all, err := safetensors.Load(data)
			var e *torch.FileError
			if err != nil {
				if !errors.As(err, &e) || all != nil {
					t.Fatalf("%T %v", err, err)
				}
				return
			}
			again, err := safetensors.Save(all)
			if err != nil {
				t.Fatal(err)
			}
			back, err := safetensors.Load(again)
			if err != nil || len(back) != len(all) {
				t.Fatal(err, len(back), len(all))
			}
			for name, x := range all {
				y := back[name]
				if y == nil || y.DType() != x.DType() || len(y.Shape()) != len(x.Shape()) || y.NBytes() != x.NBytes() {
					t.Fatalf("%q: %v %v", name, x, y)
				}
			}
		})
		if n := torch.NumLiveTensors(); n != live {
			t.Fatalf("%d tensors left", n-live)
		}
	})
}

// FuzzIndex opens fuzzed indexes. The files that they list do not exist.
func FuzzIndex(f *testing.F) {
	for _, seed := range []string{
		`{"weight_map":{}}`, `{"weight_map":{"a":"b.safetensors"},"metadata":{"total_size":1,"x":"y"}}`,
		`{"weight_map":{"a":"../b.safetensors"}}`,
		`{"weight_map":{"a":"b.bin"}}`, `{`, ``, `[]`,
		`{"weight_map":{"a":"b.safetensors","\u0061":"c.safetensors"},"other":[{}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "x.index.json")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := safetensors.OpenSharded(path)
		var e *torch.FileError
		if err != nil && !errors.As(err, &e) {
			t.Fatalf("%T %v", err, err)
		}
		if err == nil && len(s.Names()) > 0 {
			t.Fatal("there are no files")
		}
	})
}
