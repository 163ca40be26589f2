package dcp

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/internal/plain"
	"github.com/gotorch/gotorch/torch"
)

// metadataName is the file that lists the contents of a checkpoint. It is written last.
const metadataName = ".metadata"

// Metadata describes a checkpoint. [ReadMetadata] reads it.
type Metadata struct {
	Items   []Item // in the order of the file .metadata
	Version string // version of the format, or ""

	at map[string]int
}

// Item is a named value of a checkpoint.
type Item struct {
	Name string // the keys of the value in the state, joined by dots
	Path []any  // the keys themselves: strings, and ints for indices of lists
	// DType and Shape describe a tensor. DType is 0 for other values.
	DType        torch.DType
	Shape        torch.Shape
	Layout       torch.Layout
	RequiresGrad bool
	// Chunks are the parts in which a tensor was saved. A value that is not a tensor has one chunk,
	// without offsets and size.
	Chunks []Chunk
}

// Chunk is a part of a tensor, and the position of its bytes.
type Chunk struct {
	Offsets, Size torch.Shape
	File          string // path relative to the checkpoint's folder
	Start, Length int64  // position and length of its bytes in the file, in torch.save's format
	Transforms    []string
}

// IsTensor reports whether the value is a tensor. It returns false for nil, which
// [Metadata.Get] returns for a missing value.
func (i *Item) IsTensor() bool { return i != nil && i.DType != 0 }

// Bytes returns the size of a tensor's elements in bytes, and 0 for a value that is not a tensor.
func (i *Item) Bytes() int64 {
	if !i.IsTensor() {
		return 0
	}
	return bytesOf(i.Shape, i.DType)
}

// String formats the item.
func (i *Item) String() string {
	if i == nil {
		return "<nil>"
	}
	if !i.IsTensor() {
		return plain.Text(i.Name) + ": a value"
	}
	s := fmt.Sprintf("%s: %v %v", plain.Text(i.Name), i.DType, i.Shape)
	if len(i.Chunks) != 1 {
		s += fmt.Sprintf(" in %d parts", len(i.Chunks))
	}
	return s
}

// Get returns the item with the given name, or nil if there is none.
func (m *Metadata) Get(name string) *Item {
	if m == nil {
		return nil
	}
	if m.at == nil { // the program made m itself, so m has no index of the names
		for i := range m.Items {
			if m.Items[i].Name == name {
				return &m.Items[i]
			}
		}
		return nil
	}
	if i, ok := m.at[name]; ok {
		return &m.Items[i]
	}
	return nil
}

// Keys returns the keys of the saved state, in the order of the file.
func (m *Metadata) Keys() []string {
	if m == nil {
		return nil
	}
	var keys []string
	seen := map[string]bool{}
	for _, item := range m.Items {
		if len(item.Path) == 0 {
			continue
		}
		if key := fmt.Sprint(item.Path[0]); !seen[key] {
			seen[key] = true
			keys = append(keys, key)
		}
	}
	return keys
}

// Bytes returns the total size of the tensors in bytes.
func (m *Metadata) Bytes() int64 {
	if m == nil {
		return 0
	}
	n := int64(0)
	for i := range m.Items {
		n += m.Items[i].Bytes()
	}
	return n
}

// String lists the values, one per line.
func (m *Metadata) String() string {
	if m == nil {
		return "<nil>"
	}
	lines := make([]string, len(m.Items))
	for i := range m.Items {
		lines[i] = m.Items[i].String()
	}
	return strings.Join(lines, "\n")
}

// files returns the sorted names of the data files, and the smallest size that each file may have.
func (m *Metadata) files() ([]string, map[string]int64) {
	ends := map[string]int64{}
	for _, item := range m.Items {
		for _, c := range item.Chunks {
			ends[c.File] = max(ends[c.File], c.Start+c.Length)
		}
	}
	return slices.Sorted(maps.Keys(ends)), ends
}

// checkClaims returns an error if .metadata is inconsistent: if a part is outside of its
// tensor, if parts overlap, or if the position of a part is invalid. A position is
// invalid if it is outside of the checkpoint's directory, overlaps another one, or is too
// short for its part.
func (m *Metadata) checkClaims(path string) error {
	var places []place
	for i := range m.Items {
		item := &m.Items[i]
		if err := item.checkClaims(path); err != nil {
			return err
		}
		for n := range item.Chunks {
			places = append(places, place{item, &item.Chunks[n]})
		}
	}
	slices.SortFunc(places, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.chunk.File, b.chunk.File), cmp.Compare(a.chunk.Start, b.chunk.Start))
	})
	for i := 1; i < len(places); i++ {
		a, b := places[i-1], places[i]
		if a.chunk.File == b.chunk.File && b.chunk.Start < a.chunk.Start+a.chunk.Length {
			return fileError(path, b.item.Name, torch.ErrFormat, "the bytes from %d on in %s also belong to %s",
				b.chunk.Start, quoteName(b.chunk.File), quoteName(a.item.Name))
		}
	}
	return nil
}

// place is a chunk of an item.
type place struct {
	item  *Item
	chunk *Chunk
}

func (i *Item) checkClaims(path string) error {
	bad := func(text string, args ...any) error { return fileError(path, i.Name, torch.ErrFormat, text, args...) }
	boxes := make([]box, len(i.Chunks))
	if i.IsTensor() && bytesOf(i.Shape, i.DType) < 0 {
		return bad("shape %v is invalid for %v", i.Shape, i.DType)
	}
	for n, c := range i.Chunks {
		if !filepath.IsLocal(c.File) || c.File == "." || strings.ContainsRune(c.File, 0) {
			return bad("the value is in the file %s, which is outside the folder", quoteName(c.File))
		}
		if filepath.Clean(c.File) != c.File { // otherwise a file has many names, and positions may overlap
			return bad("the value is in the file %s, expected %s", quoteName(c.File), quoteName(filepath.Clean(c.File)))
		}
		if c.Start < 0 || c.Length < 0 || c.Start+c.Length < 0 {
			return bad("invalid position: %d bytes at offset %d of %s", c.Length, c.Start, quoteName(c.File))
		}
		if !i.IsTensor() {
			continue
		}
		boxes[n] = box{c.Offsets, c.Size}
		if text := boxes[n].problem(i.Shape); text != "" {
			return bad("%s", text)
		}
		if n := bytesOf(c.Size, i.DType); n > c.Length && len(c.Transforms) == 0 {
			return bad("a part needs %d bytes, but has %d", n, c.Length)
		}
	}
	if !i.IsTensor() {
		return nil
	}
	a, b, ok := findOverlap(boxes)
	switch {
	case !ok:
		return fileError(path, i.Name, torch.ErrUnsupported, "%d parts are too many to compare in reasonable time",
			len(boxes))
	case a >= 0:
		return bad("the part of size %v at offset %v overlaps the part of size %v at offset %v", i.Chunks[a].Size,
			i.Chunks[a].Offsets, i.Chunks[b].Size, i.Chunks[b].Offsets)
	}
	return nil
}

// steps returns the path of an item as steps.
func (i *Item) steps() []step {
	out := make([]step, len(i.Path))
	for n, p := range i.Path {
		switch p := p.(type) {
		case string:
			out[n] = step{Key: p}
		case int:
			out[n] = step{Index: p, List: true}
		}
	}
	return out
}
