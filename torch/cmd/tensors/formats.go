package main

import (
	"fmt"
	"maps"
	"slices"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/numpy"
	"github.com/gotorch/gotorch/torch/safetensors"
)

// set has the methods common to a safetensors file and a set of such files.
type set interface {
	Names() []string
	Metadata() map[string]string
	Info(name string) (safetensors.Info, error)
	Tensor(name string) (*torch.Tensor, error)
	Close() error
}

// safetensorsFile is a safetensors file or a set of such files.
type safetensorsFile struct {
	set
	names []string
	kind  string
}

func openSafetensors(path string) (file, error) {
	f, err := safetensors.Open(path, safetensors.Device(torch.CPU))
	if err != nil {
		return nil, err
	}
	return &safetensorsFile{f, f.OffsetNames(), "safetensors"}, nil
}

func openSet(path string) (file, error) {
	s, err := safetensors.OpenSharded(path, safetensors.Device(torch.CPU))
	if err != nil {
		return nil, err
	}
	return &safetensorsFile{s, s.Names(), "safetensors, a set"}, nil
}

func (f *safetensorsFile) format() string { return f.kind }

func (f *safetensorsFile) entries() ([]entry, error) {
	all := make([]entry, 0, len(f.names))
	for _, name := range f.names {
		info, err := f.Info(name)
		if err != nil {
			return nil, err
		}
		e := entry{Name: name, DType: info.DType.String(), Shape: info.Shape, Bytes: info.Bytes}
		if info.DType == 0 {
			e.DType = info.Code
		}
		all = append(all, e)
	}
	return all, nil
}

func (f *safetensorsFile) tensor(name string) (*torch.Tensor, error) { return f.Tensor(name) }

func (f *safetensorsFile) notes() []note {
	m := f.Metadata()
	notes := make([]note, 0, len(m))
	for _, key := range slices.Sorted(maps.Keys(m)) {
		notes = append(notes, note{key, m[key]})
	}
	return notes
}

func (f *safetensorsFile) verify() (string, error) {
	for _, name := range f.names {
		t, err := f.Tensor(name)
		if err != nil {
			return "", err
		}
		_ = t.Close() // never fails
	}
	return "the header accounts for every byte; the format has no checksums", nil
}

func (f *safetensorsFile) close() { _ = f.Close() } // a file that was only read cannot fail to close

// npyFile is a NumPy .npy file with one array.
type npyFile struct{ path string }

// arrayName is the name given to an array without a name.
const arrayName = "array"

func (f *npyFile) format() string { return "npy" }

func (f *npyFile) entries() ([]entry, error) {
	info, err := numpy.ReadInfo(f.path)
	if err != nil {
		return nil, err
	}
	return []entry{ofArray(info, arrayName)}, nil
}

func ofArray(info numpy.Info, name string) entry {
	return entry{Name: name, DType: info.DType.String(), Shape: info.Shape, Bytes: info.Bytes}
}

func (f *npyFile) tensor(string) (*torch.Tensor, error) {
	return numpy.Load(f.path, numpy.Mmap(true))
}

func (f *npyFile) notes() []note { return nil }

func (f *npyFile) verify() (string, error) {
	if _, err := f.tensor(""); err != nil {
		return "", err
	}
	return "the header matches the file size; the format has no checksums", nil
}

func (f *npyFile) close() {}

// npzFile is a NumPy .npz archive.
type npzFile struct{ *numpy.NpzFile }

func openNpz(path string) (file, error) {
	f, err := numpy.OpenNpz(path)
	if err != nil {
		return nil, err
	}
	return &npzFile{f}, nil
}

func (f *npzFile) format() string { return "npz" }

// entries returns all arrays. For an array that no tensor can hold, the entry has the
// error.
func (f *npzFile) entries() ([]entry, error) {
	all := []entry{}
	for _, name := range f.Names() {
		info, err := f.Info(name)
		e := ofArray(info, name)
		if err != nil {
			e = entry{Name: name, Error: err.Error()}
		}
		all = append(all, e)
	}
	return all, nil
}

func (f *npzFile) tensor(name string) (*torch.Tensor, error) { return f.Tensor(name) }

func (f *npzFile) notes() []note { return nil }

func (f *npzFile) verify() (string, error) {
	for _, name := range f.Names() {
		t, err := f.Tensor(name)
		if err != nil {
			return "", err
		}
		_ = t.Close() // never fails
	}
	return fmt.Sprintf("checksums of %s compared", count(len(f.Names()), "array")), nil
}

func (f *npzFile) close() { _ = f.Close() } // a file that was only read cannot fail to close
