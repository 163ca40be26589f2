package main

import (
	"archive/zip"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/internal/fileerr"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aoti"
)

// This file reads formats that contain a program besides tensors.

// program reports whether the file is a TorchScript archive.
func (f *ptFile) program() bool { return f.kind == "torchscript" }

// ofProgram removes the notes about attributes that every module has. If the archive's
// code contains tensors, it adds a note that they are not listed. Freezing a model moves
// its parameters into the code.
func ofProgram(path string, notes []note) ([]note, error) {
	notes = slices.DeleteFunc(notes, func(n note) bool {
		last := n.key[strings.LastIndexByte(n.key, '.')+1:]
		return last == "training" || last == "_is_full_backward_hook"
	})
	z, err := zip.OpenReader(path)
	if err != nil {
		return nil, &fileerr.Error{Format: "torchscript", Path: path, Offset: fileerr.NoOffset, Err: err}
	}
	defer func() { _ = z.Close() }() // a file that was only read cannot fail to close
	n, bytes := 0, uint64(0)
	for _, e := range z.File {
		if _, inner, _ := strings.Cut(e.Name, "/"); strings.HasPrefix(inner, "constants/") {
			n++
			bytes += e.UncompressedSize64
		}
	}
	if n > 0 {
		notes = append(notes,
			note{"CONSTANTS", fmt.Sprintf("%s, %d bytes, in the code: not listed", count(n, "tensor"), bytes)})
	}
	return notes, nil
}

// pt2File is an AOTInductor package. The source next to its library describes the
// constants; only the library has the elements.
type pt2File struct {
	path   string
	list   []entry
	info   []aoti.ModelInfo
	loaded map[string]*torch.Tensor
}

// openPt2 reads the description in a package. It also loads the package if the command
// needs elements.
func (c *command) openPt2(path string) (*pt2File, error) {
	fail := func(text string) error {
		return &fileerr.Error{
			Format: "pt2", Path: path, Offset: fileerr.NoOffset, Kind: fileerr.ErrUnsupported,
			Detail: text,
		}
	}
	info, err := aoti.ReadInfo(path)
	if err != nil {
		return nil, err
	}
	f := &pt2File{path: path, info: info, loaded: map[string]*torch.Tensor{}}
	for _, m := range info {
		if !m.Described {
			return nil, fail("the source of model " + shown(m.Name) + ", which describes its constants, was removed")
		}
		for i := range m.Constants {
			if !m.Constants[i].Folded {
				f.list = append(f.list, f.entry(m.Name, &m.Constants[i]))
			}
		}
	}
	switch {
	case c.name == "ls", c.name == "inspect", c.name == "verify":
		return f, nil
	case !c.load:
		return nil,
			fail("its elements are in a shared library, and loading the library runs the package's code; " +
				"use -load if you trust the package")
	}
	for _, m := range info {
		if err := f.load(m.Name); err != nil {
			f.close()
			return nil, err
		}
	}
	return f, nil
}

// name returns the name of a constant, prefixed with the model if there are several.
func (f *pt2File) name(model, constant string) string {
	if len(f.info) == 1 {
		return constant
	}
	return join(model, constant)
}

func (f *pt2File) entry(model string, c *aoti.ConstantInfo) entry {
	e := entry{Name: f.name(model, c.Name), DType: "unknown", Shape: c.Shape, Bytes: c.Bytes}
	if c.DType != 0 {
		e.DType = c.DType.String()
		// The size in the file includes the padding before the next constant.
		if c.Layout == torch.Strided.String() {
			e.Bytes = e.elements() * c.DType.Size()
		}
	}
	if c.Layout != torch.Strided.String() {
		e.Layout = c.Layout
	}
	return e
}

// load copies a model's constants and unloads the model.
func (f *pt2File) load(model string) error {
	m, err := aoti.Load(f.path, aoti.ModelName(model), aoti.Runners(1))
	if err != nil {
		return err
	}
	defer func() { _ = m.Close() }() // never fails
	return torch.Try(func() {
		all := m.ExtractConstants()
		for _, name := range slices.Sorted(maps.Keys(all)) {
			f.loaded[f.name(model, name)] = torch.Disown(all[name]) // owned until close, not by the current scope
		}
	})
}

func (f *pt2File) format() string { return "pt2" }

func (f *pt2File) entries() ([]entry, error) { return slices.Clone(f.list), nil }

func (f *pt2File) tensor(name string) (*torch.Tensor, error) {
	t := f.loaded[name]
	detail := "the package does not have its elements"
	switch {
	case t != nil && t.Layout() == torch.Strided:
		return t.To(torch.CPU).Detach(), nil
	case t != nil:
		detail = "its elements are in the kernel-specific layout " + t.Layout().String()
	}
	return nil, &fileerr.Error{
		Format: "pt2", Path: f.path, Tensor: name, Offset: fileerr.NoOffset,
		Kind: fileerr.ErrUnsupported, Detail: detail,
	}
}

// notes returns the metadata and the inputs of the models.
func (f *pt2File) notes() []note {
	var notes []note
	text := 0
	for _, m := range f.info {
		for _, key := range slices.Sorted(maps.Keys(m.Metadata)) {
			notes = append(notes, note{f.name(m.Name, key), m.Metadata[key]})
		}
		for i, in := range m.Inputs {
			n := note{f.name(m.Name, fmt.Sprintf("input %d", i)), in.String()}
			if text += len(n.key) + len(n.text); text > mostText {
				return append(notes, note{"INPUTS", "more than can be listed"})
			}
			notes = append(notes, n)
		}
	}
	return notes
}

func (f *pt2File) verify() (string, error) { return checksums(f.path, f.format()) }

func (f *pt2File) close() {
	for _, t := range f.loaded {
		_ = t.Close() // never fails
	}
}
