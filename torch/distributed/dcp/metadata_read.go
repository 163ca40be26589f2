package dcp

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"path/filepath"
	"strings"

	"github.com/gotorch/gotorch/internal/fileerr"
	"github.com/gotorch/gotorch/internal/pickle"
	"github.com/gotorch/gotorch/torch"
)

// mostName is the largest length of a name in bytes, and mostDims the largest number of a tensor's
// dimensions.
const (
	mostName = 1 << 12
	mostDims = 64
)

// ReadMetadata reads the contents of a checkpoint: names, shapes, dtypes, and the
// positions of the parts. It reads no values, and runs no code from the file. It takes
// memory in proportion to the size of the file.
//
// The error is a [*torch.FileError]: fs.ErrNotExist if the directory has no complete
// checkpoint, ErrTruncated or ErrFormat for a damaged one, and ErrUnsupported for writers
// other than Python's FileSystemWriter. A checkpoint is also damaged if parts of a tensor
// overlap or exceed it, or if their files are outside of the directory. Follows
// FileSystemReader.read_metadata.
func ReadMetadata(dir string) (*Metadata, error) {
	m, _, err := readMetadata(dir)
	return m, err
}

// readMetadata is like ReadMetadata, but also returns a hash of the file, which
// identifies the checkpoint.
func readMetadata(dir string) (*Metadata, [sha256.Size]byte, error) {
	var sum [sha256.Size]byte
	path := filepath.Join(dir, metadataName)
	f, size, err := fileerr.Open(format, path)
	if err != nil {
		return nil, sum, err
	}
	defer func() { _ = f.Close() }() // an error does not matter after reading
	h := sha256.New()
	m, err := parse(path, io.TeeReader(f, h), size)
	if err != nil {
		return nil, sum, err
	}
	h.Sum(sum[:0])
	return m, sum, nil
}

func parse(path string, r io.Reader, size int64) (*Metadata, error) {
	p := &parser{path: path, classes: map[pickle.Global]*class{}}
	u := pickle.NewReader(bufio.NewReaderSize(r, 1<<16))
	u.Classes, u.Most = p, pickle.MostOfAny+size/2
	var m *Metadata
	err := u.RunAny(func(v any) { m = p.metadata(u, v) })
	if err != nil {
		return nil, parseError(path, err)
	}
	if err := m.checkClaims(path); err != nil {
		return nil, err
	}
	return m, nil
}

// parseError converts an error of the pickle machine to a *FileError.
func parseError(path string, err error) error {
	e := &torch.FileError{Format: format, Path: path, Offset: fileerr.NoOffset, Kind: torch.ErrFormat, Err: err}
	var pe *pickle.Error
	if !errors.As(err, &pe) {
		return e
	}
	e.Offset, e.Detail, e.Err = pe.Offset, pe.Message, pe.Err
	switch {
	case errors.Is(pe.Err, torch.ErrUnsupported):
		e.Kind, e.Err = torch.ErrUnsupported, nil
	case pe.Err == nil &&
		(pe.Message == "the pickle ends too early" || pe.Message == "a line of text that does not end"):
		e.Kind = torch.ErrTruncated
	case pe.Err != nil: // a system error
		e.Kind = nil
	}
	return e
}

// metadata converts v, the top-level value of the file.
func (p *parser) metadata(u *pickle.Reader, v any) *Metadata {
	top := p.fields(u, v, "the file", metadataModule+".Metadata")
	out := &Metadata{at: map[string]int{}}
	if version, ok := get(top, "version").(string); ok {
		out.Version = version
		if major, _, _ := strings.Cut(version, "."); major != "1" && major != "0" {
			u.FailWith(torch.ErrUnsupported,
				"the metadata has version "+quoteName(version)+"; this program supports version 1")
		}
	}
	values, ok := get(top, "state_dict_metadata").(*pickle.Map)
	if !ok {
		u.Fail("state_dict_metadata is not a dict")
	}
	// Python's default planner writes a dict; ignore the data of other planners.
	paths, _ := get(top, "planner_data").(*pickle.Map)
	places := p.places(u, get(top, "storage_data"))
	for i, key := range values.Keys {
		name, ok := key.(string)
		if !ok || len(name) > mostName {
			u.Fail("state_dict_metadata: expected a string of at most %d bytes as a name", mostName)
		}
		item := Item{Name: name, Path: []any{name}}
		if paths != nil {
			if path, ok := paths.Get(name); ok {
				item.Path = p.keys(u, name, path)
			}
		}
		p.item(u, &item, values.Values[i])
		for n := range item.Chunks {
			c := &item.Chunks[n]
			at := partKey{name, packOffsets(c.Offsets)}
			from, ok := places[at]
			if !ok && len(item.Chunks) == 1 {
				from, ok = places[partKey{name, noOffsets}]
			}
			if !ok {
				u.Fail("%s: storage_data has no position for the part at %.100s", quoteName(name), c.Offsets)
			}
			c.File, c.Start, c.Length, c.Transforms = from.File, from.Start, from.Length, from.Transforms
		}
		out.at[name] = len(out.Items)
		out.Items = append(out.Items, item)
	}
	return out
}

func get(m *pickle.Map, key string) any {
	v, _ := m.Get(key)
	return v
}

// item reads the description of a value.
func (p *parser) item(u *pickle.Reader, item *Item, v any) {
	o, ok := v.(*object)
	if ok && isInstance(o, metadataModule+".BytesStorageMetadata") {
		item.Chunks = []Chunk{{}}
		return
	}
	what := quoteName(item.Name)
	m := p.fields(u, v, what, metadataModule+".TensorStorageMetadata")
	properties, ok := get(m, "properties").(*object)
	if !ok || !isInstance(properties, metadataModule+".TensorProperties", shardedModule+".TensorProperties") {
		u.Fail("%s: the tensor properties are missing", what)
	}
	state, ok := properties.state.(*pickle.Tuple)
	if !ok || len(state.Items) < 3 {
		u.Fail("%s: the tensor properties are missing", what)
	}
	if item.DType, ok = state.Items[0].(torch.DType); !ok || item.DType == 0 {
		u.Fail("%s: no dtype", what)
	}
	if layout, ok := state.Items[1].(*object); ok {
		item.Layout, _ = layout.result.(torch.Layout)
	}
	item.RequiresGrad, _ = state.Items[2].(bool)
	item.Shape = p.size(u, what, get(m, "size"))
	chunks, ok := get(m, "chunks").(*pickle.List)
	if !ok {
		u.Fail("%s: the list of parts is missing", what)
	}
	u.Spend(what, len(chunks.Items))
	for _, v := range chunks.Items {
		c := p.fields(u, v, what, metadataModule+".ChunkStorageMetadata")
		item.Chunks = append(item.Chunks,
			Chunk{Offsets: p.size(u, what, get(c, "offsets")), Size: p.size(u, what, get(c, "sizes"))})
	}
}

func (p *parser) size(u *pickle.Reader, what string, v any) torch.Shape {
	var items []any
	switch v := v.(type) {
	case *pickle.Tuple:
		items = v.Items
	case *pickle.List:
		items = v.Items
	default:
		u.Fail("%s: the size is not a tuple", what)
	}
	if len(items) > mostDims {
		u.Fail("%s: a size of %d dimensions, expected at most %d", what, len(items), mostDims)
	}
	u.Spend(what, len(items)) // count each copy: a small file may refer to one tuple many times
	out := make(torch.Shape, len(items))
	for i, n := range items {
		out[i] = u.Int(what, n)
	}
	return out
}

// keys reads the path of a value.
func (p *parser) keys(u *pickle.Reader, name string, v any) []any {
	t, ok := v.(*pickle.Tuple)
	if !ok || len(t.Items) == 0 || len(t.Items) > mostDepth {
		u.Fail("%s: planner_data has no path for this name", quoteName(name))
	}
	u.Spend(name, len(t.Items))
	out := make([]any, len(t.Items))
	for i, k := range t.Items {
		switch k := k.(type) {
		case string:
			out[i] = k
		case int64:
			if k < 0 || k > math.MaxInt32 {
				u.Fail("%s: invalid list index %d", quoteName(name), k)
			}
			out[i] = int(k)
		default:
			u.Fail("%s: planner_data has a path with a key that is neither a string nor an integer", quoteName(name))
		}
	}
	return out
}

// partKey identifies a part in the file by its name and its encoded offsets.
type partKey struct{ name, offsets string }

// noOffsets replaces the offsets of a value that is not a tensor.
const noOffsets = "-"

func packOffsets(offsets torch.Shape) string {
	if offsets == nil {
		return noOffsets
	}
	b := make([]byte, 0, 64)
	for _, n := range offsets {
		b = binary.AppendVarint(b, n)
	}
	return string(b)
}

// places reads the positions of the values.
func (p *parser) places(u *pickle.Reader, v any) map[partKey]Chunk {
	m, ok := v.(*pickle.Map)
	if !ok {
		u.Fail("storage_data is not a dict")
	}
	out := make(map[partKey]Chunk, len(m.Keys))
	for i, k := range m.Keys {
		index := p.fields(u, k, "storage_data", metadataModule+".MetadataIndex")
		name, ok := get(index, "fqn").(string)
		if !ok || len(name) > mostName {
			u.Fail("storage_data: expected a string of at most %d bytes as a name", mostName)
		}
		at := partKey{name, noOffsets}
		if offset := get(index, "offset"); offset != nil {
			at.offsets = packOffsets(p.size(u, quoteName(name), offset))
		}
		info := p.fields(u, m.Values[i], "storage_data of "+quoteName(name), filesystemModule+"._StorageInfo")
		file, ok := get(info, "relative_path").(string)
		if !ok {
			u.Fail("storage_data of %s: the file name is missing", quoteName(name))
		}
		c := Chunk{
			File: filepath.FromSlash(file), Start: u.Int("offset", get(info, "offset")),
			Length: u.Int("length", get(info, "length")),
		}
		if list, ok := get(info, "transform_descriptors").(*pickle.List); ok {
			u.Spend(name, len(list.Items))
			for _, d := range list.Items {
				c.Transforms = append(c.Transforms, u.String("transform_descriptors", d))
			}
		}
		out[at] = c
	}
	return out
}
