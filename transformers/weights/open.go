package weights

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gotorch/gotorch/internal/fileerr"
	"github.com/gotorch/gotorch/internal/files"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/safetensors"
	"github.com/gotorch/gotorch/torch/serialization"
	"github.com/gotorch/gotorch/transformers/gguf"
)

const (
	formatName  = "weights" // in error messages
	maxIndex    = 100_000_000
	indexSuffix = ".index.json"
)

// fault returns a FileError about the files together.
func (w *Weights) fault(kind error, format string, args ...any) *torch.FileError {
	return &torch.FileError{
		Format: formatName, Path: w.path, Offset: fileerr.NoOffset, Kind: kind, Detail: fmt.Sprintf(format, args...),
	}
}

// open opens the files of a folder, or a file.
func (w *Weights) open(name string, s settings) error {
	info, err := os.Stat(name)
	if err != nil {
		e := w.fault(nil, "")
		e.Err = fileerr.WithoutPath(err)
		return e
	}
	if info.IsDir() {
		if name, err = w.find(name); err != nil {
			return err
		}
		w.path = name
	}
	switch base := filepath.Base(name); {
	case strings.HasSuffix(base, ".safetensors"+indexSuffix):
		w.format = FormatSafetensors
		f, err := safetensors.OpenSharded(name, backend(s))
		if err != nil {
			return err
		}
		return w.add(f, nil)
	case strings.HasSuffix(base, ".safetensors"):
		w.format = FormatSafetensors
		f, err := safetensors.Open(name, backend(s))
		if err != nil {
			return err
		}
		return w.add(f, nil)
	case strings.HasSuffix(base, ".gguf"):
		return w.gguf(name, s)
	case strings.HasSuffix(base, indexSuffix):
		return w.pickles(name, s)
	}
	switch filepath.Ext(name) {
	case ".bin", ".pt", ".pth":
		return w.pickle(name, s, nil)
	}
	return w.fault(torch.ErrFormat, "expected a name that ends in .safetensors, .bin, .pt, .pth, .gguf or %s",
		indexSuffix)
}

// find returns the path of the weights in a folder.
func (w *Weights) find(folder string) (string, error) {
	for _, name := range []string{
		"model.safetensors", "model.safetensors" + indexSuffix, "pytorch_model.bin", "pytorch_model.bin" + indexSuffix,
	} {
		if _, err := os.Stat(filepath.Join(folder, name)); err == nil {
			return filepath.Join(folder, name), nil
		}
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		e := w.fault(nil, "")
		e.Err = fileerr.WithoutPath(err)
		return "", e
	}
	var found []string
	for _, entry := range entries {
		name := entry.Name()
		if m := shard.FindStringSubmatch(name); strings.HasSuffix(name, ".gguf") && (m == nil || m[2] == "00001") {
			found = append(found, name)
		}
	}
	switch len(found) {
	case 1:
		return filepath.Join(folder, found[0]), nil
	case 0:
		e := w.fault(nil, "the folder has no model.safetensors, pytorch_model.bin, index of one of them, or GGUF file")
		e.Err = fs.ErrNotExist
		return "", e
	}
	return "", w.fault(torch.ErrMismatch, "the folder has %d models in GGUF files: %s; open one of them", len(found),
		strings.Join(found[:min(5, len(found))], ", "))
}

// add adds the tensors of an open file. listed reports whether an index says that a tensor is
// in this file, or in another one; it is nil without an index.
func (w *Weights) add(p part, listed func(name string) (here, elsewhere bool)) error {
	w.parts = append(w.parts, p)
	for _, name := range p.Names() {
		here, elsewhere := false, false
		if listed != nil {
			here, elsewhere = listed(name)
		}
		switch {
		case elsewhere:
		case w.where[name] != nil && !here:
			e := w.fault(torch.ErrMismatch, "the tensor is in several files")
			e.Tensor = name
			return e
		default:
			w.where[name] = p
		}
	}
	return nil
}

func backend(s settings) safetensors.Backend {
	if s.mmap {
		return safetensors.BackendMmap
	}
	return safetensors.BackendPread
}

// pickle opens a file of PyTorch.
func (w *Weights) pickle(name string, s settings, listed func(string) (here, elsewhere bool)) error {
	w.format = FormatPyTorch
	f, err := serialization.OpenStateDict(name, serialization.MapLocation(torch.CPU), serialization.Mmap(s.mmap))
	if s.mmap && errors.Is(err, torch.ErrUnsupported) { // files of old versions cannot be mapped
		f, err = serialization.OpenStateDict(name, serialization.MapLocation(torch.CPU))
	}
	if err != nil {
		return err
	}
	return w.add(f, listed)
}

// pickles opens the files of an index.
func (w *Weights) pickles(name string, s settings) error {
	index, err := w.index(name)
	if err != nil {
		return err
	}
	for _, file := range slices.Compact(slices.Sorted(maps.Values(index))) {
		err := w.pickle(filepath.Join(filepath.Dir(name), filepath.FromSlash(file)), s,
			func(tensor string) (here, elsewhere bool) {
				in, ok := index[tensor]
				return ok && in == file, ok && in != file
			})
		if err != nil {
			return err
		}
	}
	for tensor, file := range index {
		if w.where[tensor] == nil {
			e := w.fault(torch.ErrMismatch, "the index says that it is in %s, which does not have it",
				strconv.Quote(file))
			e.Tensor = tensor
			return e
		}
	}
	return nil
}

// index reads an index: for each tensor, the file that contains it.
func (w *Weights) index(name string) (map[string]string, error) {
	text, err := files.Read(name, maxIndex)
	if err != nil {
		e := w.fault(torch.ErrFormat, "cannot be read")
		e.Err = fileerr.WithoutPath(err)
		return nil, e
	}
	var index struct {
		Files map[string]string `json:"weight_map"`
	}
	if err := json.Unmarshal(text, &index); err != nil || index.Files == nil {
		e := w.fault(torch.ErrFormat, "expected JSON with weight_map, which names the file of each tensor")
		e.Err = err
		return nil, e
	}
	for tensor, file := range index.Files {
		if ext := path.Ext(file); path.Clean(file) != file || !filepath.IsLocal(filepath.FromSlash(file)) ||
			strings.ContainsAny(file, "\\:\x00") || ext != ".bin" && ext != ".pt" && ext != ".pth" {
			e := w.fault(torch.ErrFormat, "expected a file below the index's folder that ends in .bin, .pt or .pth, "+
				"got %q", file[:min(100, len(file))])
			e.Tensor = tensor
			return nil, e
		}
	}
	return index.Files, nil
}

// shard matches the name of a file of a model in several GGUF files.
var shard = regexp.MustCompile(`^(.*)-(\d{5})-of-(\d{5})\.gguf$`)

// maxShards is the limit on the number of GGUF files of a model.
const maxShards = 10_000

// gguf opens a GGUF file, and the other files of its model.
func (w *Weights) gguf(name string, s settings) error {
	w.format = FormatGGUF
	first, err := w.oneGGUF(name, s)
	if err != nil {
		return err
	}
	n, ok := first.Int("split.count")
	if !ok || n <= 1 {
		return nil
	}
	m := shard.FindStringSubmatch(filepath.Base(name))
	if no, _ := first.Int("split.no"); m == nil || n > maxShards || m[2] != "00001" || no != 0 ||
		m[3] != fmt.Sprintf("%05d", n) {
		return w.fault(torch.ErrMismatch, "one of %d files of a model; expected the first one, whose name ends in "+
			"-00001-of-%05d.gguf", n, n)
	}
	for i := int64(2); i <= n; i++ {
		next := filepath.Join(filepath.Dir(name), fmt.Sprintf("%s-%05d-of-%05d.gguf", m[1], i, n))
		f, err := w.oneGGUF(next, s)
		if err != nil {
			return err
		}
		if no, ok := f.Int("split.no"); !ok || no != i-1 {
			return w.fault(torch.ErrMismatch, "%s does not say that it is file %d of the model", filepath.Base(next), i)
		}
	}
	return nil
}

func (w *Weights) oneGGUF(name string, s settings) (*gguf.File, error) {
	f, err := gguf.Open(name)
	if err != nil {
		return nil, err
	}
	return f, w.add(&ggufPart{f, s.dtype}, nil)
}

// ggufPart is a GGUF file. Integers keep their dtype.
type ggufPart struct {
	*gguf.File
	dtype torch.DType
}

func (p *ggufPart) source(name string) (*gguf.Source, error) {
	info, err := p.File.Tensor(name)
	if err != nil {
		return nil, err
	}
	dtype := p.dtype
	if own := info.Type.DType(); own != 0 && !own.IsFloatingPoint() {
		dtype = own
	}
	return p.Source(gguf.DType(dtype))
}

// Tensor implements nn.StateSource.
func (p *ggufPart) Tensor(name string) (*torch.Tensor, error) {
	s, err := p.source(name)
	if err != nil {
		return nil, err
	}
	return s.Tensor(name)
}

// Meta implements part.
func (p *ggufPart) Meta(name string) (*torch.Tensor, error) {
	s, err := p.source(name)
	if err != nil {
		return nil, err
	}
	return s.Meta(name)
}
