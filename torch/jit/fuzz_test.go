package jit_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/jit"
)

// Each input either loads or gives a *FileError. After an error, no tensor is open.
func FuzzLoad(f *testing.F) {
	paths, err := filepath.Glob(filepath.Join("testdata", "goldens", "*.pt"))
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
	f.Fuzz(func(t *testing.T, data []byte) { loaded(t, data) })
}

// FuzzRecords fuzzes pickles and source code. The archives that contain them have valid
// checksums.
func FuzzRecords(f *testing.F) {
	for _, name := range []string{"values", "mlp_scripted", "tied"} {
		var pkl, code []byte
		for _, r := range records(f, name) {
			switch r.name {
			case name + "/data.pkl":
				pkl = r.data
			case name + "/code/__torch__.py":
				code = r.data
			}
		}
		f.Add(pkl, code)
	}
	f.Fuzz(func(t *testing.T, pkl, code []byte) {
		loaded(t, zipped(t, []record{
			{"values/version", []byte("3\n")},
			{"values/data.pkl", pkl},
			{"values/constants.pkl", []byte("\x80\x02).")},
			{"values/data/0", make([]byte, 128)},
			{"values/code/__torch__.py", code},
		}))
	})
}

func loaded(t *testing.T, data []byte) {
	live := torch.NumLiveTensors()
	torch.Scope(func() {
		m, err := jit.LoadFrom(bytes.NewReader(data), int64(len(data)))
		var e *torch.FileError
		if err != nil {
			if !errors.As(err, &e) || m != nil {
				t.Fatalf("%T %v", err, err)
			}
			return
		}
		_ = m.String()
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
	})
	if n := torch.NumLiveTensors(); n != live {
		t.Fatalf("%d tensors left", n-live)
	}
}
