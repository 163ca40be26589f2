package docs_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aoti"
	"github.com/gotorch/gotorch/torch/checkpoint"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torch/distributed/dcp"
	"github.com/gotorch/gotorch/torch/jit"
	"github.com/gotorch/gotorch/torch/numpy"
	"github.com/gotorch/gotorch/torch/safetensors"
	"github.com/gotorch/gotorch/torch/serialization"
)

// A mistake is a piece of code that causes an error.
type mistake struct {
	kind string // the name of the error's variable or type
	is   error  // the error's variable, or nil if the error has a type instead
	make func(t *testing.T) error
}

// put writes a file to the current directory, which is the test's temporary directory.
func put(t *testing.T, name, content string) string {
	t.Helper()
	require.NoError(t, os.WriteFile(name, []byte(content), 0o600))
	return name
}

// zipped writes a ZIP archive. entries alternate between the name and the content of an
// entry.
func zipped(t *testing.T, name string, entries ...string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(entries); i += 2 {
		w, err := z.CreateHeader(&zip.FileHeader{Name: entries[i]})
		require.NoError(t, err)
		_, err = w.Write([]byte(entries[i+1]))
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	return put(t, name, b.String())
}

// cut truncates a file.
func cut(t *testing.T, name string, size int64) string {
	t.Helper()
	require.NoError(t, os.Truncate(name, size))
	return name
}

// second returns the error of a call that also returns a value.
func second[T any](_ T, err error) error { return err }

const page404 = "<!DOCTYPE html><html><body>404: Not Found</body></html>"

func weights(t *testing.T) string {
	t.Helper()
	x := map[string]*torch.Tensor{"fc.weight": torch.Ones(torch.Shape{2, 3})}
	require.NoError(t, safetensors.SaveFile(x, "model.safetensors"))
	return "model.safetensors"
}

func pt(t *testing.T) string {
	t.Helper()
	require.NoError(t, serialization.Save(serialization.NewDict("model",
		serialization.NewDict("fc.weight", torch.Ones(torch.Shape{2, 3}))), "model.pt"))
	return "model.pt"
}

func npz(t *testing.T) string {
	t.Helper()
	require.NoError(t, numpy.Savez(map[string]*torch.Tensor{"x": torch.Ones(torch.Shape{3})}, "arrays.npz"))
	return "arrays.npz"
}

// saved saves a checkpoint with a part named model, and returns its path.
func saved(t *testing.T) string {
	t.Helper()
	m, err := checkpoint.Open("run")
	require.NoError(t, err)
	model := nn.NewLinear(3, 2)
	defer func() { require.NoError(t, model.Close()) }()
	require.NoError(t, m.Save(context.Background(), 1, checkpoint.State{"model": model}))
	require.NoError(t, m.Close())
	all, err := checkpoint.List("run")
	require.NoError(t, err)
	return all[0].Path
}

// later returns the path of a checkpoint with a valid checksum. The checkpoint claims a
// later version of the format.
func later(t *testing.T) string {
	t.Helper()
	path := saved(t)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	text = bytes.Replace(text, []byte(`{"checkpoint":1`), []byte(`{"checkpoint":2`), 1)
	header := text[bytes.LastIndex(text, []byte(`{"checkpoint"`)):]
	header = header[:bytes.LastIndex(header, []byte("crc32c:"))]
	sum := crc32.Checksum(header, crc32.MakeTable(crc32.Castagnoli))
	copy(text[len(text)-len("00000000\n"):], fmt.Sprintf("%08x\n", sum))
	return put(t, path, string(text))
}

// load loads a model from the given part of a checkpoint.
func load(path, part string) error {
	model := nn.NewLinear(3, 2)
	defer func() { _ = model.Close() }()
	return second(checkpoint.Load(path, checkpoint.State{part: model}))
}

// saveIn saves a checkpoint in the directory run.
func saveIn() error {
	m, err := checkpoint.Open("run")
	if err != nil {
		return err
	}
	x := torch.Zeros(torch.Shape{1_000_000})
	defer func() { _ = x.Close() }()
	return errors.Join(m.Save(context.Background(), 1, checkpoint.State{"x": x}), m.Close())
}

var fileMistakes = []mistake{
	{"torch.ErrFormat", torch.ErrFormat, func(t *testing.T) error {
		return second(safetensors.LoadFile(put(t, "model.safetensors", page404)))
	}},
	{"torch.ErrFormat", torch.ErrFormat, func(t *testing.T) error {
		return second(serialization.Load(put(t, "model.pt", page404)))
	}},
	{"torch.ErrFormat", torch.ErrFormat, func(t *testing.T) error {
		return second(numpy.Load(put(t, "array.npy", page404)))
	}},
	{"torch.ErrFormat", torch.ErrFormat, func(t *testing.T) error {
		return second(jit.Load(put(t, "script.pt", page404)))
	}},
	{"torch.ErrFormat", torch.ErrFormat, func(t *testing.T) error {
		return second(aoti.Load(put(t, "model.pt2", page404)))
	}},
	{"torch.ErrFormat", torch.ErrFormat, func(t *testing.T) error {
		return load(pt(t), "model")
	}},
	{"torch.ErrFormat", torch.ErrFormat, func(t *testing.T) error {
		return second(data.ReadCSV(put(t, "points.csv", "x,y\n1,2\n3,three\n"), data.DTypes{"y": torch.Float32}))
	}},
	{"torch.ErrTruncated", torch.ErrTruncated, func(t *testing.T) error {
		return second(safetensors.LoadFile(cut(t, weights(t), 90)))
	}},
	{"torch.ErrTruncated", torch.ErrTruncated, func(t *testing.T) error {
		return second(serialization.Load(cut(t, pt(t), 300)))
	}},
	{"torch.ErrTruncated", torch.ErrTruncated, func(t *testing.T) error {
		require.NoError(t, numpy.Save(torch.Ones(torch.Shape{3}), "array.npy"))
		return second(numpy.Load(cut(t, "array.npy", 130)))
	}},
	{"torch.ErrTruncated", torch.ErrTruncated, func(t *testing.T) error {
		return second(jit.Load(cut(t, pt(t), 300)))
	}},
	{"torch.ErrTruncated", torch.ErrTruncated, func(t *testing.T) error {
		return second(aoti.Load(put(t, "model.pt2", "")))
	}},
	{"torch.ErrTruncated", torch.ErrTruncated, func(t *testing.T) error {
		return load(cut(t, saved(t), 300), "model")
	}},
	{"torch.ErrTruncated", torch.ErrTruncated, func(t *testing.T) error {
		return second(data.ReadIDX(put(t, "images-idx3-ubyte", "\x00\x00\x08\x01\x00\x00\x00\x09four")))
	}},
	{"torch.ErrUnsupported", torch.ErrUnsupported, func(t *testing.T) error {
		header := `{"x":{"dtype":"F6_E2M3","shape":[4],"data_offsets":[0,3]}}      `
		return second(safetensors.LoadFile(put(t, "model.safetensors",
			string([]byte{byte(len(header)), 0, 0, 0, 0, 0, 0, 0})+header+"abc")))
	}},
	{"torch.ErrUnsupported", torch.ErrUnsupported, func(t *testing.T) error {
		return second(serialization.Load(zipped(t, "script.pt", "script/constants.pkl", "", "script/data.pkl", "")))
	}},
	{"torch.ErrUnsupported", torch.ErrUnsupported, func(t *testing.T) error {
		header := "{'descr': '|O', 'fortran_order': False, 'shape': (3,), }\n"
		return second(numpy.Load(put(t, "array.npy",
			"\x93NUMPY\x01\x00"+string([]byte{byte(len(header)), 0})+header+"abc")))
	}},
	{"torch.ErrUnsupported", torch.ErrUnsupported, func(t *testing.T) error {
		return second(jit.Load(put(t, "mobile.ptl", "\x10\x00\x00\x00PTMF\x00\x00\x00\x00")))
	}},
	{"torch.ErrUnsupported", torch.ErrUnsupported, func(t *testing.T) error {
		return second(aoti.Load(pt(t)))
	}},
	{"torch.ErrUnsupported", torch.ErrUnsupported, func(t *testing.T) error {
		return load(later(t), "model")
	}},
	{"torch.ErrNotFound", torch.ErrNotFound, func(t *testing.T) error {
		f, err := safetensors.Open(weights(t))
		require.NoError(t, err)
		defer func() { require.NoError(t, f.Close()) }()
		return second(f.Tensor("fc.wieght"))
	}},
	{"torch.ErrNotFound", torch.ErrNotFound, func(t *testing.T) error {
		return second(serialization.LoadStateDict(pt(t), serialization.Key("net")))
	}},
	{"torch.ErrNotFound", torch.ErrNotFound, func(t *testing.T) error {
		f, err := numpy.OpenNpz(npz(t))
		require.NoError(t, err)
		defer func() { require.NoError(t, f.Close()) }()
		return second(f.Tensor("y"))
	}},
	{"torch.ErrNotFound", torch.ErrNotFound, func(t *testing.T) error {
		return second(aoti.Load(zipped(t, "model.pt2", "m/data/aotinductor/encoder/a.so", "")))
	}},
	{"torch.ErrNotFound", torch.ErrNotFound, func(t *testing.T) error {
		return load(saved(t), "net")
	}},
	{"torch.ErrMismatch", torch.ErrMismatch, func(t *testing.T) error {
		weights(t)
		return second(safetensors.LoadSharded(put(t, "model.safetensors.index.json",
			`{"weight_map":{"fc.bias":"model.safetensors"}}`)))
	}},
	{"torch.ErrMismatch", torch.ErrMismatch, func(t *testing.T) error {
		path, epoch := saved(t), 0
		return second(checkpoint.Load(path, checkpoint.State{"model": &epoch}))
	}},
	{"torch.ErrMismatch", torch.ErrMismatch, func(t *testing.T) error {
		return second(data.ReadCSV(put(t, "points.csv", "x,y\n1,2\n"), data.UseCols{"z"}))
	}},
	{"serialization.ErrUnsafe", serialization.ErrUnsafe, func(t *testing.T) error {
		return second(serialization.Load(filepath.Join(repository,
			"torch/serialization/testdata/malformed/unsafe_system.pt")))
	}},
	{"serialization.ErrUnsafe", serialization.ErrUnsafe, func(t *testing.T) error {
		require.NoError(t, dcp.Save(context.Background(), nil, map[string]any{"epoch": 3}, "bad"))
		const file = "bad/__0_0.distcp"
		whole, err := os.Stat(file)
		require.NoError(t, err)
		// A ZIP comment pads the file to the length of the original, which dcp.Load
		// checks.
		var b bytes.Buffer
		for pad := range int(whole.Size()) {
			b.Reset()
			z := zip.NewWriter(&b)
			w, err := z.CreateHeader(&zip.FileHeader{Name: "archive/data.pkl", Method: zip.Store})
			require.NoError(t, err)
			_, err = w.Write([]byte("\x80\x02cos\nsystem\nX\x02\x00\x00\x00ls\x85R."))
			require.NoError(t, errors.Join(err, z.SetComment(strings.Repeat(" ", pad)), z.Close()))
			if int64(b.Len()) == whole.Size() {
				break
			}
		}
		put(t, file, b.String())
		return dcp.Load(context.Background(), nil, "bad", map[string]any{"epoch": 0})
	}},
	{"checkpoint.ErrLocked", checkpoint.ErrLocked, func(t *testing.T) error {
		m, err := checkpoint.Open("run")
		require.NoError(t, err)
		defer func() { require.NoError(t, m.Close()) }()
		return second(checkpoint.Open("run"))
	}},
	{"checkpoint.ErrNoSpace", checkpoint.ErrNoSpace, func(t *testing.T) error {
		signal.Ignore(syscall.SIGXFSZ)
		defer signal.Reset(syscall.SIGXFSZ)
		var was syscall.Rlimit
		require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was))
		// The limit is smaller than the checkpoint. It is larger than the file to which
		// go test writes the names of the opened files.
		require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 2_000_000, Max: was.Max}))
		err := saveIn()
		require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was))
		return err
	}},
	{"checkpoint.ErrReadOnly", checkpoint.ErrReadOnly, func(t *testing.T) error {
		//nolint:usetesting // t.TempDir's is below a folder of the user's own
		readable, err := os.MkdirTemp("", "read-only")
		require.NoError(t, err)
		defer func() { require.NoError(t, os.RemoveAll(readable)) }()
		require.NoError(t, os.Chmod(readable, 0o555)) //nolint:gosec // others have to enter it
		t.Chdir(readable)
		if os.Geteuid() == 0 { // root ignores file modes
			defer nobody(t)()
		}
		return saveIn()
	}},
	{"memory.ErrSnapshot", memory.ErrSnapshot, func(t *testing.T) error {
		return second(memory.LoadSnapshot(put(t, "train.json", page404)))
	}},
}
