package main

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/internal/fileerr"
	"github.com/gotorch/gotorch/internal/ziparchive"
	"github.com/gotorch/gotorch/torch"
)

// entry describes a tensor of a file.
type entry struct {
	Name   string  `json:"name"`
	DType  string  `json:"dtype"`
	Layout string  `json:"layout,omitempty"` // only for sparse tensors
	Shape  []int64 `json:"shape"`
	Bytes  int64   `json:"bytes"`
	Shares string  `json:"shares,omitempty"` // the first tensor with the same storage
	Stats  *stats  `json:"stats,omitempty"`
	Error  string  `json:"error,omitempty"` // why the tensor cannot be read
	asked  string  // the name in the file, if it differs from Name
}

func (e *entry) elements() int64 {
	n := int64(1)
	for _, d := range e.Shape {
		n *= d
	}
	return n
}

// file is an open file of any format.
type file interface {
	format() string
	// entries returns the tensors in the file's order. It reads only headers.
	entries() ([]entry, error)
	// tensor returns the CPU tensor with the given name in the file. The innermost scope
	// owns it.
	tensor(name string) (*torch.Tensor, error)
	// notes returns the contents other than tensors.
	notes() []note
	// verify reads the whole file and compares its checksums. The string says what it
	// compared.
	verify() (string, error)
	// close closes the file; tensors remain valid.
	close()
}

// note is the key and the text of a value that is not a tensor.
type note struct{ key, text string }

// open opens a file in the format that its contents indicate.
func (c *command) open(path string) (file, error) {
	kind, err := kindOf(path)
	if err != nil {
		return nil, err
	}
	switch kind {
	case "set":
		return openSet(path)
	case "safetensors":
		return openSafetensors(path)
	case "npy":
		return &npyFile{path: path}, nil
	case "npz":
		return openNpz(path)
	case "torchscript":
		// Allow unknown classes: a TorchScript archive always contains classes of its own.
		return openPt(path, kind, true)
	case "pt2":
		return c.openPt2(path)
	}
	return openPt(path, kind, c.opaque)
}

// kindOf determines the format from the first bytes of a file, or from its name if they
// are inconclusive.
func kindOf(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", &fileerr.Error{Format: "file", Path: path, Offset: fileerr.NoOffset, Err: err}
	}
	if info.IsDir() {
		return "set", nil
	}
	f, size, err := fileerr.Open("file", path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // a file that was only read cannot fail to close
	head := make([]byte, 512)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return "", &fileerr.Error{Format: "file", Path: path, Offset: fileerr.NoOffset, Err: err}
	}
	head = head[:n]
	switch {
	case bytes.HasPrefix(head, []byte("\x93NUMPY")):
		return "npy", nil
	case bytes.HasPrefix(head, []byte("PK")):
		return kindOfZip(f, size, head), nil
	case n > 8 && head[8] == '{' && binary.LittleEndian.Uint64(head) < 1<<40:
		return "safetensors", nil
	case bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("{")):
		return "set", nil
	}
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".safetensors", ".npy", ".npz":
		return ext[1:], nil
	case ".json":
		return "set", nil
	}
	return "pt", nil
}

// kindOfZip distinguishes NumPy's archives from PyTorch's three kinds by the names of the
// entries. If the directory is damaged, it uses only the first entry, and if there are no
// entries, the name of the file. For an archive with arrays and other entries, it uses
// all entries.
func kindOfZip(f *os.File, size int64, head []byte) string {
	const at = 30 // offset of the first entry's name
	var names []string
	if z, err := zip.NewReader(f, size); err == nil {
		names = ziparchive.Names(z.File)
	} else if len(head) > at {
		n := int(binary.LittleEndian.Uint16(head[26:]))
		names = append(names, string(head[at:min(len(head), at+n)]))
	}
	if len(names) == 0 && strings.EqualFold(filepath.Ext(f.Name()), ".npz") {
		return "npz"
	}
	switch ziparchive.Kind(names) {
	case ziparchive.NumPy:
		return "npz"
	case ziparchive.Compiled:
		return "pt2"
	case ziparchive.TorchScript:
		return "torchscript"
	case "":
		if slices.ContainsFunc(names, func(name string) bool { return strings.HasSuffix(name, ".npy") }) {
			return "npz"
		}
	}
	return "pt"
}
