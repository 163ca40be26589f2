package export

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"path"

	"github.com/gotorch/gotorch/internal/mapped"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/serialization"
)

// weights are the tensors of a program by their names. Tensors that shared memory in Python
// share it here, and parameters that were one are one tensor.
type weights struct {
	tensors  map[string]*torch.Tensor
	storages map[string]*torch.Tensor // by the path of the entry: all its bytes
	saved    map[string]bool          // the entries that torch.save wrote and that were read
}

func (w *weights) close() {
	for _, t := range w.tensors {
		_ = t.Close() // never fails
	}
	w.closeStorages()
}

func (w *weights) closeStorages() {
	for _, t := range w.storages {
		_ = t.Close() // never fails
	}
}

// The folders of an archive that have the tensors.
const (
	weightsFolder   = "data/weights/"
	constantsFolder = "data/constants/"
)

// configOf returns the entry that describes the tensors in a folder.
func configOf(folder, model string) string {
	return folder + model + "_" + path.Base(folder) + "_config.json"
}

// weights reads the tensors of a program: its parameters and buffers, and its constants.
func (a *archive) weights(model string) (*weights, error) {
	w := &weights{
		tensors: map[string]*torch.Tensor{}, storages: map[string]*torch.Tensor{}, saved: map[string]bool{},
	}
	parts := []string{weightsFolder, constantsFolder}
	read := func(part string) error { return a.folder(w, part, model) }
	if a.Entries[oldProgram] != nil {
		parts = []string{"serialized_state_dict.pt", "serialized_constants.pt"}
		read = func(part string) error { return a.dict(w, part) }
	}
	for _, part := range parts {
		if err := read(part); err != nil {
			w.close()
			return nil, err
		}
	}
	w.closeStorages()
	return w, nil
}

// folder reads the tensors in one folder of the archive.
func (a *archive) folder(w *weights, folder, model string) error {
	if f := a.Entries[folder+model+".pt"]; f != nil { // before PyTorch 2.9: a file within the file
		return a.dict(w, folder+model+".pt")
	}
	var p payloads
	config := configOf(folder, model)
	if err := a.read(config, &p); err != nil {
		return err
	}
	tied := map[string]*torch.Tensor{}
	for _, name := range sortedNames(p.Config) {
		entry := p.Config[name]
		if w.tensors[name] != nil {
			return a.Fail(a.Entries[config], torch.ErrFormat, "two tensors %.80q", name)
		}
		// Python saves a tied parameter under each of its names, with the same memory.
		key := entry.key()
		if t := tied[key]; t != nil && key != "" {
			w.tensors[name] = t
			continue
		}
		t, err := a.tensor(w, folder+entry.Path, entry)
		if err != nil {
			return err
		}
		w.tensors[name] = torch.Disown(t)
		tied[key] = t
	}
	return nil
}

// key identifies a parameter that may be tied. It is "" for other tensors.
func (p *payload) key() string {
	if m := p.Meta; m != nil && p.Parameter && !p.Pickle {
		return fmt.Sprintf("%q %d %s %s %s %v", p.Path, m.DType, m.Sizes, m.Strides, m.Offset, m.RequiresGrad)
	}
	return ""
}

// dict reads an entry that torch.save wrote: a dict of tensors.
func (a *archive) dict(w *weights, entry string) error {
	v, err := a.saved(entry)
	if err != nil {
		return err
	}
	d, ok := v.(*serialization.Dict)
	if !ok {
		serialization.Close(v)
		return a.Fail(a.Entries[entry], torch.ErrFormat, "%.80q holds no dict", entry)
	}
	d.Each(func(key, value any) bool {
		if p, ok := value.(*serialization.Parameter); ok {
			value = p.Tensor
		}
		name, isName := key.(string)
		t, isTensor := value.(*torch.Tensor)
		if isName && isTensor {
			w.tensors[name] = torch.Disown(t)
		}
		return true
	})
	return nil
}

// saved reads an entry that torch.save wrote.
func (a *archive) saved(entry string) (any, error) {
	data, err := a.bytes(entry)
	if err != nil {
		return nil, err
	}
	v, err := serialization.LoadFrom(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, a.because(a.Entries[entry], err)
	}
	return v, nil
}

// tensor makes the tensor that p describes.
func (a *archive) tensor(w *weights, entry string, p payload) (*torch.Tensor, error) {
	f := a.Entries[entry]
	if f == nil {
		return nil, a.fail(torch.ErrFormat, a.Size, "the archive has no %.80q", entry)
	}
	if p.Pickle || p.Meta == nil {
		if w.saved[entry] { // each would take memory
			return nil, a.Fail(f, torch.ErrFormat, "two tensors in %.80q", entry)
		}
		w.saved[entry] = true
		v, err := a.saved(entry)
		if err != nil {
			return nil, err
		}
		t, ok := v.(*torch.Tensor)
		if !ok {
			serialization.Close(v)
			return nil, a.Fail(f, torch.ErrUnsupported, "%.80q holds no tensor, but an object of a class", entry)
		}
		return t, nil
	}
	code, ok := dtypes[p.Meta.DType]
	if !ok {
		return nil, a.Fail(f, torch.ErrUnsupported, "a tensor of the unknown dtype %d", p.Meta.DType)
	}
	dtype := torch.DTypeOf(code)
	if p.Meta.Layout != 7 {
		return nil, a.Fail(f, torch.ErrUnsupported, "a tensor that is not strided")
	}
	all, err := a.storage(w, entry)
	if err != nil {
		return nil, err
	}
	size, stride, offset, err := p.Meta.extent()
	if err == nil {
		err = fits(size, stride, offset, all.Numel()/dtype.Size())
	}
	if err != nil {
		return nil, a.Fail(f, torch.ErrFormat, "the tensor in %.80q: %v", entry, err)
	}
	t, err := mapped.Try(func() *torch.Tensor {
		whole := all.Narrow(0, 0, all.Numel()/dtype.Size()*dtype.Size())
		defer func() { _ = whole.Close() }()
		typed := whole.ViewDType(dtype)
		defer func() { _ = typed.Close() }()
		return typed.AsStrided(size, stride, offset)
	})
	if err != nil || !p.Parameter || !p.Meta.RequiresGrad {
		return t, err
	}
	if err := torch.Try(func() { t.SetRequiresGrad(true) }); err != nil {
		_ = t.Close() // never fails
		return nil, a.Fail(f, torch.ErrFormat, "the tensor in %.80q: %v", entry, err)
	}
	return t, nil
}

// storage reads the bytes of an entry.
func (a *archive) storage(w *weights, entry string) (*torch.Tensor, error) {
	if t := w.storages[entry]; t != nil {
		return t, nil
	}
	f := a.Entries[entry]
	r, err := a.Open(f, true)
	if err != nil {
		return nil, err
	}
	if f.UncompressedSize64 > math.MaxInt64 {
		return nil, a.Fail(f, torch.ErrFormat, "entry %.80q is too large", entry)
	}
	t, err := mapped.Try(func() *torch.Tensor {
		return torch.Empty(torch.Shape{int64(f.UncompressedSize64)}, torch.Uint8, torch.CPU)
	})
	if err != nil {
		return nil, a.because(f, err)
	}
	if _, err := io.ReadFull(r, mapped.Memory(t)); err != nil {
		_ = t.Close() // never fails
		return nil, a.because(f, err)
	}
	// Read to the end, which checks the checksum.
	if _, err := io.Copy(io.Discard, r); err != nil {
		_ = t.Close() // never fails
		return nil, a.because(f, err)
	}
	w.storages[entry] = torch.Disown(t)
	return t, nil
}

// extent returns the sizes, strides and offset of a tensor.
func (m *tensorMeta) extent() (size, stride []int64, offset int64, err error) {
	for _, u := range m.Sizes {
		n, e := read[int64](u)
		if e != nil || u.kind != "as_int" {
			return nil, nil, 0, fmt.Errorf("a size that is no number")
		}
		size = append(size, n)
	}
	for _, u := range m.Strides {
		n, e := read[int64](u)
		if e != nil || u.kind != "as_int" {
			return nil, nil, 0, fmt.Errorf("a stride that is no number")
		}
		stride = append(stride, n)
	}
	if offset, err = read[int64](m.Offset); err != nil {
		return nil, nil, 0, fmt.Errorf("an offset that is no number")
	}
	return size, stride, offset, nil
}

// fits returns an error if a tensor reaches beyond n elements.
func fits(size, stride []int64, offset, n int64) error {
	if len(size) != len(stride) || len(size) > 64 {
		return fmt.Errorf("%d sizes and %d strides", len(size), len(stride))
	}
	if offset < 0 {
		return fmt.Errorf("the offset %d", offset)
	}
	last := offset
	for i := range size {
		if size[i] < 0 || stride[i] < 0 {
			return fmt.Errorf("size %d and stride %d", size[i], stride[i])
		}
	}
	for i := range size {
		switch {
		case size[i] == 0:
			return nil
		case stride[i] > 0 && size[i]-1 > (math.MaxInt64-last)/stride[i]:
			return fmt.Errorf("sizes that are too large")
		}
		last += (size[i] - 1) * stride[i]
		// A stride of zero repeats elements, but not more of them than a tensor may have.
		if stride[i] == 0 && size[i] > math.MaxInt32 {
			return fmt.Errorf("sizes that are too large")
		}
	}
	if last >= n {
		return fmt.Errorf("it needs %d elements at %d, but there are %d", last-offset+1, offset, n)
	}
	return nil
}
