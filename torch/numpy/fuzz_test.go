package numpy_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/numpy"
)

// Any input gives an array, an archive or a *FileError. Writing a valid array again gives
// the same bytes. An invalid file leaves no tensors.
func FuzzLoad(f *testing.F) {
	for _, folder := range []string{"golden", "malformed"} {
		paths, err := filepath.Glob(filepath.Join("testdata", folder, "*.np?"))
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
		path := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		torch.Scope(func() {
			fuzzArray(t, data, path)
			all, err := numpy.LoadNpz(path, numpy.MaxInflated(1<<20))
			checkFault(t, err)
			if err != nil && all != nil {
				t.Fatal(all)
			}
		})
		if n := torch.NumLiveTensors(); n != live {
			t.Fatalf("%d tensors left", n-live)
		}
	})
}

func fuzzArray(t *testing.T, data []byte, path string) {
	x, err := numpy.Load(path)
	checkFault(t, err)
	// a bytes.Buffer, whose length LoadFrom does not know
	_, streamed := numpy.LoadFrom(bytes.NewBuffer(data))
	checkFault(t, streamed)
	y, mapped := numpy.Load(path, numpy.Mmap(true))
	checkFault(t, mapped)
	if (err == nil) != (mapped == nil) || (err == nil) != (streamed == nil) {
		t.Fatal(err, streamed, mapped)
	}
	if err != nil {
		return
	}
	var first, second, third bytes.Buffer
	if err := errors.Join(numpy.SaveTo(&first, x), numpy.SaveTo(&second, y)); err != nil {
		t.Fatal(err)
	}
	z, err := numpy.LoadFrom(bytes.NewReader(first.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if err := numpy.SaveTo(&third, z); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) || !bytes.Equal(first.Bytes(), third.Bytes()) {
		t.Fatalf("%q %q %q", first.Bytes(), second.Bytes(), third.Bytes())
	}
}
