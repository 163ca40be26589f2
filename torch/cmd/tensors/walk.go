package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gotorch/gotorch/internal/fileerr"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/serialization"
)

// These constants limit how many tensors and values of a file are listed, and the size of
// their paths and texts in bytes. A small file may refer to the same list or to the same
// long text any number of times.
const (
	mostPaths = 1 << 20
	mostText  = 64 << 20
)

// found collects the tensors in a value of a file under their paths, such as
// optimizer.state.0.exp_avg. It collects other values as notes.
type found struct {
	list  []named
	notes []note
	seen  map[any]int    // for each list or dict, the number of tensors below it
	names map[string]int // for each path of a tensor, the first number that may be free; see unique
	text  int64          // the bytes of paths and notes so far

	// program is set for TorchScript, whose state dict includes tensors in attributes, but
	// not in lists.
	program bool
	aside   bool // whether walk is inside a list or dict of a program
}

type named struct {
	path   string
	tensor *torch.Tensor
}

// all collects the tensors and the other values in v, the value of a whole file.
func (f *found) all(file string, v any) error {
	f.seen, f.names = map[any]int{}, map[string]int{}
	path := ""
	if tensorOf(v) != nil {
		path = arrayName
	}
	f.walk(path, v)
	if f.full() {
		return fullError(file)
	}
	return nil
}

// fullError returns the error for a file with more to list than mostPaths and mostText allow.
func fullError(file string) error {
	return &fileerr.Error{
		Format: "pt", Path: file, Offset: fileerr.NoOffset, Kind: fileerr.ErrUnsupported,
		Detail: fmt.Sprintf("more than %d values by path, or than %d bytes of paths and values", mostPaths, mostText),
	}
}

func (f *found) full() bool { return len(f.list)+len(f.notes) > mostPaths || f.text > mostText }

// tensorOf returns the tensor in v, or nil if v is not a tensor.
func tensorOf(v any) *torch.Tensor {
	switch v := v.(type) {
	case *torch.Tensor:
		return v
	case *serialization.Parameter:
		return v.Tensor
	case *serialization.Attributed:
		return v.Tensor
	}
	return nil
}

// walk records the value at a path and the values below it. A list or dict that occurs
// again is walked again only if it contains tensors.
func (f *found) walk(path string, v any) {
	if f.text += int64(len(path)); f.full() {
		return
	}
	if t := tensorOf(v); t != nil {
		if f.aside {
			return
		}
		path = f.unique(path)
		f.list = append(f.list, named{path, t})
	}
	before := len(f.list)
	switch v := v.(type) {
	case *torch.Tensor:
	case *serialization.Parameter:
		f.inner(path, v.State)
	case *serialization.Attributed:
		f.inner(path, v.State)
	case *serialization.Dict:
		f.once(v, before, func() {
			for k, x := range v.All() {
				if f.full() {
					return
				}
				f.walk(join(path, k), x)
			}
			if v.Attributes != nil {
				f.walk(path, v.Attributes)
			}
		})
	case []any:
		f.items(path, v)
	case serialization.Tuple:
		f.beside(func() { f.items(path, v) })
	case *serialization.Set:
		f.items(path, v.Items)
	case *serialization.Object:
		f.once(v, before, func() {
			// TorchScript writes a typed list or dict as an object whose first argument is
			// the list or dict.
			if strings.HasPrefix(v.Global, "torch.jit._pickle.") && len(v.Args) > 0 {
				f.beside(func() { f.inner(path, v.Args[0]) })
				return
			}
			f.note(path, v.Global)
			f.items(path, v.Args)
			f.items(path, v.Items)
			for _, x := range []any{v.State, v.Kwargs, v.Dict} {
				f.inner(path, x)
			}
		})
	default:
		f.note(path, serialization.Repr(v))
	}
}

// unique returns path or, if another tensor has this path, the path with a number: a key "a.b", and
// a key "b" in a dict "a", have the same path.
func (f *found) unique(path string) string {
	n, taken := f.names[path]
	if !taken {
		f.names[path] = 0
		return path
	}
	at := path
	for n = max(n, len(f.list)); taken; n++ {
		path = at + "#" + strconv.Itoa(n)
		_, taken = f.names[path]
	}
	f.names[at], f.names[path] = n, 0
	return path
}

// beside calls walk for values whose tensors are not in a program's state dict.
func (f *found) beside(walk func()) {
	was := f.aside
	f.aside = was || f.program
	walk()
	f.aside = was
}

func (f *found) note(path, text string) {
	if path == "" { // the file consists of this single value
		path = "value"
	}
	f.text += int64(len(text))
	f.notes = append(f.notes, note{path, text})
}

// inner walks v, which is a part of the value at path, unless v is nil.
func (f *found) inner(path string, v any) {
	if d, ok := v.(*serialization.Dict); v != nil && (!ok || d != nil) {
		f.walk(path, v)
	}
}

func (f *found) items(path string, items []any) {
	if len(items) == 0 {
		return
	}
	f.once(&items[0], len(f.list), func() {
		for i, x := range items {
			if f.full() {
				return
			}
			f.walk(join(path, int64(i)), x)
		}
	})
}

// once walks a list or dict. If it occurs again, it is walked again only if it contains
// tensors.
func (f *found) once(v any, before int, walk func()) {
	if n, met := f.seen[v]; met && n == 0 {
		return
	}
	f.seen[v] = 0
	walk()
	f.seen[v] = len(f.list) - before
}

func join(path string, key any) string {
	name, ok := key.(string)
	if !ok {
		name = serialization.Repr(key)
	}
	if path == "" {
		return name
	}
	return path + "." + name
}
