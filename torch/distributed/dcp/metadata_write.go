package dcp

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"strings"

	"github.com/gotorch/gotorch/internal/pickle"
	"github.com/gotorch/gotorch/torch"
)

// currentVersion is the format version that Save writes.
const currentVersion = "1.0.0"

// encode returns the contents of .metadata as Python would pickle them. id is the checkpoint's
// path.
func (m *Metadata) encode(id string) ([]byte, error) {
	var b bytes.Buffer
	e := &encoder{pickle.NewWriter(&b)}
	e.object(metadataModule, "Metadata",
		field{"state_dict_metadata", func() {
			e.dict(len(m.Items), func(i int) { e.Word(m.Items[i].Name); e.item(&m.Items[i]) })
		}},
		field{"planner_data", func() {
			e.dict(len(m.Items), func(i int) { e.Word(m.Items[i].Name); e.path(m.Items[i].Path) })
		}},
		field{"storage_data", func() { e.places(m) }},
		field{"storage_meta", func() {
			e.object(metadataModule, "StorageMeta",
				field{"checkpoint_id", func() { e.Word(id) }},
				field{"save_id", func() { e.Word(newID()) }},
				field{"load_id", e.None},
				field{"modules", e.EmptyList})
		}},
		field{"version", func() { e.Word(currentVersion) }})
	if err := e.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // Read never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

type encoder struct{ *pickle.Writer }

type field struct {
	name  string
	value func()
}

// object writes an object whose state is a dict of fields.
func (e *encoder) object(module, name string, fields ...field) {
	e.Global(module, name)
	e.Tuple(0, nil)
	e.NewObj()
	if len(fields) == 0 {
		return
	}
	e.dict(len(fields), func(i int) { e.Word(fields[i].name); fields[i].value() })
	e.Build()
}

func (e *encoder) dict(n int, pair func(i int)) {
	e.EmptyDict()
	e.DictItems(n, true, pair)
}

func (e *encoder) size(s torch.Shape) {
	e.Global("torch", "Size")
	e.Tuple(1, func(int) { e.Tuple(len(s), func(i int) { e.Whole(s[i]) }) })
	e.Reduce()
}

func (e *encoder) path(path []any) {
	e.Tuple(len(path), func(i int) {
		switch k := path[i].(type) {
		case string:
			e.Word(k)
		case int:
			e.Whole(int64(k))
		}
	})
}

func (e *encoder) item(item *Item) {
	if !item.IsTensor() {
		e.object(metadataModule, "BytesStorageMetadata")
		return
	}
	e.object(metadataModule, "TensorStorageMetadata",
		field{"properties", func() { e.properties(item) }},
		field{"size", func() { e.size(item.Shape) }},
		field{"chunks", func() {
			e.EmptyList()
			e.ListItems(len(item.Chunks), func(i int) {
				c := &item.Chunks[i]
				e.object(metadataModule, "ChunkStorageMetadata", field{"offsets", func() { e.size(c.Offsets) }},
					field{"sizes", func() {
						e.size(c.Size)
					}})
			})
		}})
}

// properties writes the properties of a tensor, whose state is a tuple.
func (e *encoder) properties(item *Item) {
	e.Global(metadataModule, "TensorProperties")
	e.Tuple(0, nil)
	e.NewObj()
	e.Tuple(5, func(i int) {
		switch i {
		case 0:
			e.Global("torch", strings.TrimPrefix(item.DType.String(), "torch."))
		case 1:
			e.Global("torch.serialization", "_get_layout")
			e.Tuple(1, func(int) { e.Word("torch.strided") })
			e.Reduce()
		case 2:
			e.Bool(item.RequiresGrad)
		case 3: // contiguous
			e.Global(metadataModule, "_MEM_FORMAT_ENCODING")
			e.Tuple(1, func(int) { e.Int(0) })
			e.Reduce()
		case 4:
			e.Bool(false) // not pinned
		}
	})
	e.Build()
}

func (e *encoder) places(m *Metadata) {
	var all []place
	var hints []int
	for i := range m.Items {
		for n := range m.Items[i].Chunks {
			all = append(all, place{&m.Items[i], &m.Items[i].Chunks[n]})
			hints = append(hints, n)
		}
	}
	e.dict(len(all), func(i int) {
		item, c := all[i].item, all[i].chunk
		index := []field{{"fqn", func() { e.Word(item.Name) }}, {"index", e.None}}
		if item.IsTensor() {
			index[1].value = func() { e.Whole(int64(hints[i])) }
			index = append(index, field{"offset", func() { e.size(c.Offsets) }})
		}
		e.object(metadataModule, "MetadataIndex", index...)
		e.object(filesystemModule, "_StorageInfo",
			field{"relative_path", func() { e.Word(c.File) }},
			field{"offset", func() { e.Whole(c.Start) }},
			field{"length", func() { e.Whole(c.Length) }})
	})
}
