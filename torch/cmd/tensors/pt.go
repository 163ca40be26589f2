package main

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"

	"github.com/gotorch/gotorch/internal/fileerr"
	"github.com/gotorch/gotorch/internal/mapped"
	"github.com/gotorch/gotorch/internal/plain"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aten"
	"github.com/gotorch/gotorch/torch/serialization"
)

// ptFile is a file written by torch.save, or the module of a TorchScript archive, whose
// program is not run. Its values are first loaded without elements, and loaded again with
// elements when a tensor is requested.
type ptFile struct {
	path   string
	kind   string // "pt" or "torchscript"
	opaque bool
	found  found
	loaded map[string]*torch.Tensor
	again  int64 // the bytes so far of tensors that repeat elements; see tensor
}

// mostAgain limits the bytes of tensors whose elements share memory, or that become dense. A small
// file may describe a tensor of any size whose strides are 0, or that is sparse.
const mostAgain = 1 << 30

func openPt(path, kind string, opaque bool) (*ptFile, error) {
	f := &ptFile{path: path, kind: kind, opaque: opaque}
	f.found.program = f.program()
	v, err := serialization.Load(path, serialization.MapLocation(torch.Meta), serialization.Opaque(opaque))
	if err != nil { // libtorch checks the indices of sparse tensors, which needs elements
		if v, err = f.load(); err != nil {
			return nil, err
		}
	}
	if err := f.found.all(path, v); err != nil {
		return nil, err
	}
	if f.program() {
		f.found.notes, err = ofProgram(path, f.found.notes)
	}
	return f, err
}

// load loads the value with its elements, memory-mapped if possible.
func (f *ptFile) load() (any, error) {
	opts := []serialization.LoadOption{
		serialization.MapLocation(torch.CPU), serialization.Opaque(f.opaque),
		serialization.Mmap(true),
	}
	v, err := serialization.Load(f.path, opts...)
	if errors.Is(err, torch.ErrUnsupported) { // the format before PyTorch 1.6
		v, err = serialization.Load(f.path, opts[:2]...)
	}
	return v, err
}

func (f *ptFile) format() string { return f.kind }

func (f *ptFile) entries() ([]entry, error) {
	all := make([]entry, len(f.found.list))
	first := map[uintptr]int{} // the first tensor of each storage
	text := 0                  // the bytes of names that entries repeat
	for i, t := range f.found.list {
		e := entry{Name: t.path, DType: t.tensor.DType().String(), Shape: t.tensor.Shape(), Bytes: size(t.tensor)}
		if l := t.tensor.Layout(); l != torch.Strided {
			e.Layout = l.String()
			all[i] = e
			continue
		}
		storage := mapped.Storage(t.tensor)
		if j, shared := first[storage]; shared && storage != 0 {
			if e.Shares = all[j].Name; len(e.Shares) > mostText-text {
				return nil, fullError(f.path)
			}
			text += len(e.Shares)
		} else {
			first[storage] = i
		}
		all[i] = e
	}
	return all, nil
}

// size returns the size of a tensor's elements in bytes, including the indices of a
// sparse tensor.
func size(t *torch.Tensor) int64 {
	var parts []*torch.Tensor
	switch t.Layout() {
	case torch.Strided:
		return t.NBytes()
	case torch.SparseCOO:
		parts = []*torch.Tensor{aten.UnderIndices(t), aten.UnderValues(t)}
	case torch.SparseCSR, torch.SparseBSR:
		parts = []*torch.Tensor{aten.CrowIndices(t), aten.ColIndices(t), t.Values()}
	default:
		parts = []*torch.Tensor{aten.CcolIndices(t), aten.RowIndices(t), t.Values()}
	}
	n := int64(0)
	for _, p := range parts {
		n += p.NBytes()
		_ = p.Close() // never fails
	}
	return n
}

func (f *ptFile) tensor(name string) (*torch.Tensor, error) {
	if f.loaded == nil {
		v, err := f.load()
		if err != nil {
			return nil, err
		}
		found := found{program: f.program()}
		if err := found.all(f.path, v); err != nil {
			return nil, err
		}
		f.loaded = map[string]*torch.Tensor{}
		for _, t := range found.list {
			f.loaded[t.path] = torch.Disown(t.tensor) // owned until close, not by the current scope
		}
	}
	t := f.loaded[name].Detach()
	if t.Layout() != torch.Strided || t.NBytes() <= t.StorageBytes() {
		return t, nil
	}
	if f.again += min(t.NBytes(), mostAgain+1); f.again > mostAgain {
		return nil, &fileerr.Error{
			Format: "pt", Path: f.path, Tensor: name, Offset: fileerr.NoOffset, Kind: fileerr.ErrUnsupported,
			Detail: fmt.Sprintf("its elements share memory, and have %d bytes if they do not; all such tensors "+
				"together may have %d", t.NBytes(), mostAgain),
		}
	}
	return t, nil
}

func (f *ptFile) notes() []note { return f.found.notes }

func (f *ptFile) verify() (string, error) {
	if _, err := f.load(); err != nil {
		return "", err
	}
	return checksums(f.path, f.kind)
}

func checksums(path, format string) (string, error) {
	z, err := zip.OpenReader(path)
	if err != nil {
		return "the sizes match; the format before PyTorch 1.6 has no checksums", nil
	}
	defer func() { _ = z.Close() }() // a file that was only read cannot fail to close
	compared, without := 0, 0
	for _, e := range z.File {
		if e.CRC32 == 0 && e.UncompressedSize64 > 0 {
			without++
			continue
		}
		if err := sum(e); err != nil {
			at, _ := e.DataOffset()
			return "", &fileerr.Error{
				Format: format, Path: path, Offset: at, Kind: fileerr.ErrFormat,
				Detail: "entry " + plain.Quote(e.Name), Err: err,
			}
		}
		compared++
	}
	text := fmt.Sprintf("checksums of %s compared", count(compared, "entry"))
	if without > 0 {
		text += fmt.Sprintf(", %d have none", without)
	}
	return text, nil
}

// sum reads an entry to its end, where archive/zip verifies the checksum.
func sum(e *zip.File) error {
	r, err := e.Open()
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }() // a file that was only read cannot fail to close
	_, err = io.Copy(io.Discard, r)
	return err
}

func (f *ptFile) close() {
	for _, t := range f.loaded {
		_ = t.Close() // never fails
	}
}
