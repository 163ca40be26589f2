package serialization_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/serialization"
)

// seeds calls take with the content of each golden file and each small malformed file.
func seeds(f *testing.F, take func(data []byte)) {
	f.Helper()
	for _, pattern := range []string{"golden/*.pt", "malformed/*.pt"} {
		paths, err := filepath.Glob(filepath.Join("testdata", pattern))
		if err != nil || len(paths) == 0 {
			f.Fatal("no seeds", err)
		}
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			if len(data) < 1<<13 {
				take(data)
			}
		}
	}
}

// tried loads a file from data. The result must be a value, or a *FileError and no open
// tensor. A value must be the same after saving and loading it, unless Save returns an
// error.
func tried(t *testing.T, data []byte, opts ...serialization.LoadOption) {
	t.Helper()
	live := torch.NumLiveTensors()
	torch.Scope(func() {
		v, err := serialization.LoadFrom(bytes.NewReader(data), int64(len(data)), opts...)
		if err != nil {
			if e := (*torch.FileError)(nil); !errors.As(err, &e) || v != nil {
				t.Fatalf("%T %v", err, err)
			}
			return
		}
		_ = len(serialization.Repr(v))
		var b bytes.Buffer
		if err := serialization.SaveTo(&b, v); err != nil {
			if e := (*torch.Error)(nil); !errors.As(err, &e) {
				t.Fatalf("%T %v", err, err)
			}
			return
		}
		if _, err := serialization.LoadFrom(bytes.NewReader(b.Bytes()), int64(b.Len())); err != nil {
			t.Fatal(err)
		}
	})
	if n := torch.NumLiveTensors(); n != live {
		t.Fatalf("%d tensors left", n-live)
	}
}

// FuzzLoad fuzzes whole files of both formats.
func FuzzLoad(f *testing.F) {
	seeds(f, func(data []byte) { f.Add(data) })
	f.Fuzz(func(t *testing.T, data []byte) {
		tried(t, data, serialization.VerifyCRC32(false))
		tried(t, data, serialization.VerifyCRC32(false), serialization.Opaque(true),
			serialization.MapLocation(torch.CPU))
	})
}

// FuzzPickle fuzzes the pickle in an archive with ten storages of 64 bytes each.
func FuzzPickle(f *testing.F) {
	magic := []byte("PK\x03\x04")
	seeds(f, func(data []byte) {
		if !bytes.HasPrefix(data, magic) {
			return
		}
		if from := bytes.Index(data, []byte("\x80\x02")); from > 0 {
			if to := bytes.Index(data[from:], []byte(".PK")); to > 0 {
				f.Add(data[from : from+to+1])
			}
		}
	})
	f.Fuzz(func(t *testing.T, data []byte) {
		tried(t, archived(data))
		tried(t, archived(data), serialization.Opaque(true))
		path := filepath.Join(t.TempDir(), "f.pt")
		if err := os.WriteFile(path, archived(data), 0o600); err != nil {
			t.Fatal(err)
		}
		d, err := serialization.LoadDict(path, serialization.Key("a"))
		if e := (*torch.FileError)(nil); err != nil && !errors.As(err, &e) {
			t.Fatalf("%T %v", err, err)
		}
		serialization.Close(d)
		_, err = serialization.Inspect(path)
		if e := (*torch.FileError)(nil); err != nil && !errors.As(err, &e) {
			t.Fatalf("%T %v", err, err)
		}
	})
}

// FuzzLegacy fuzzes the pickle in a file of the format before PyTorch 1.6.
func FuzzLegacy(f *testing.F) {
	head := []byte("\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03.")
	seeds(f, func(data []byte) {
		if rest, ok := bytes.CutPrefix(data, head); ok {
			f.Add(rest)
		}
	})
	f.Fuzz(func(t *testing.T, data []byte) { tried(t, append(bytes.Clone(head), data...)) })
}

// archived returns an archive that contains the given pickle and has no checksums.
func archived(pickle []byte) []byte {
	var out, directory []byte
	n := 0
	le := binary.LittleEndian
	add := func(name string, data []byte) {
		at := len(out)
		middle := le.AppendUint16(nil, 0)                   // flags
		middle = append(middle, make([]byte, 2+4+4)...)     // zeros for the method, the time and the checksum
		middle = le.AppendUint32(middle, uint32(len(data))) //nolint:gosec // small
		middle = le.AppendUint32(middle, uint32(len(data))) //nolint:gosec // small
		middle = le.AppendUint16(middle, uint16(len(name))) //nolint:gosec // small
		middle = append(middle, 0, 0)                       // extra
		out = append(append(append(out, "PK\x03\x04\x00\x00"...), middle...), name...)
		out = append(out, data...)
		directory = append(append(directory, "PK\x01\x02\x00\x00\x00\x00"...), middle...)
		directory = append(directory, make([]byte, 2+2+2+4)...)
		directory = le.AppendUint32(directory, uint32(at)) //nolint:gosec // small
		directory = append(directory, name...)
		n++
	}
	add("a/data.pkl", pickle)
	for i := range 10 {
		add("a/data/"+string(rune('0'+i)), make([]byte, 64))
	}
	end := append([]byte("PK\x05\x06"), 0, 0, 0, 0, byte(n), 0, byte(n), 0)
	end = le.AppendUint32(end, uint32(len(directory))) //nolint:gosec // small
	end = le.AppendUint32(end, uint32(len(out)))       //nolint:gosec // small
	return append(append(append(out, directory...), end...), 0, 0)
}
