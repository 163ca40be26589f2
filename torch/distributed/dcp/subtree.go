package dcp

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/gotorch/gotorch/internal/pyvalue"
	"github.com/gotorch/gotorch/torch"
)

// node is a dict, a list or a value of a checkpoint. The nodes below a key of the state form a
// tree.
type node struct {
	keys   []string // keys of dict, in the order of the file
	dict   map[string]*node
	list   []*node
	isList bool
	leaf   bool
	value  any
}

// itemsUnder returns the items whose paths begin with path.
func (l *loader) itemsUnder(path []step) []*Item {
	var out []*Item
	name := nameOf(path)
	for i := range l.meta.Items {
		item := &l.meta.Items[i]
		steps := item.steps()
		if item.Name == name || len(steps) >= len(path) && slices.Equal(steps[:len(path)], path) {
			out = append(out, item)
		}
	}
	return out
}

// growTo makes the nodes on the path to an item, and returns the last one, a new leaf.
func (l *loader) growTo(top *node, item *Item, rest []step) (*node, error) {
	at := top
	conflict := func() error {
		return l.errorAbout(item.Name, torch.ErrFormat,
			"planner_data has a different value, a dict or a list at this place")
	}
	for _, s := range rest {
		if at.leaf || s.List && at.dict != nil || !s.List && at.isList {
			return nil, conflict()
		}
		var next *node
		if s.List {
			at.isList = true
			for len(at.list) <= s.Index {
				// An empty dict in a list is not saved and leaves a gap. A file with very large
				// indices is hostile: it would exhaust memory.
				if l.listGaps++; l.listGaps > 16*len(l.meta.Items)+1<<12 {
					return nil, l.errorAbout(item.Name, torch.ErrFormat,
						"the value is at index %d of a list with too few values", s.Index)
				}
				at.list = append(at.list, nil)
			}
			if next = at.list[s.Index]; next == nil {
				next = new(node)
				at.list[s.Index] = next
			}
		} else {
			if at.dict == nil {
				at.dict = map[string]*node{}
			}
			if next = at.dict[s.Key]; next == nil {
				next = new(node)
				at.dict[s.Key] = next
				at.keys = append(at.keys, s.Key)
			}
		}
		at = next
	}
	if at.leaf || at.dict != nil || at.isList {
		return nil, conflict()
	}
	at.leaf = true
	return at, nil
}

// tree reads the values below a path. For each item it calls the function use to get the
// tensor to fill; if use or its result is nil, it makes a new tensor. It returns nil if
// the checkpoint has no such values and AllowPartialLoad is set.
func (l *loader) tree(path []step, use func(top *node, rest []step) *torch.Tensor) (*node, error) {
	items := l.itemsUnder(path)
	if len(items) == 0 {
		if l.allowPartial {
			return nil, nil
		}
		return nil, l.errorAbout(nameOf(path), torch.ErrNotFound, "the checkpoint has nothing under this name")
	}
	top := new(node)
	leaves, rests := make([]*node, len(items)), make([][]step, len(items))
	for i, item := range items {
		if steps := item.steps(); len(steps) >= len(path) && slices.Equal(steps[:len(path)], path) {
			rests[i] = steps[len(path):]
		}
		at, err := l.growTo(top, item, rests[i])
		if err != nil {
			return nil, err
		}
		if leaves[i] = at; !item.IsTensor() {
			if at.value, err = l.value(item); err != nil {
				return nil, err
			}
		}
	}
	for i, item := range items {
		if !item.IsTensor() {
			continue
		}
		var t *torch.Tensor
		if use != nil {
			t = use(top, rests[i])
		}
		var err error
		if t == nil {
			t, err = l.newTensor(item)
		} else {
			err = l.tensor(&leaf{name: item.Name}, []Shard{{Tensor: t}}, false)
		}
		if err != nil {
			return nil, err
		}
		leaves[i].value = t
	}
	return top, nil
}

// loadAny loads all values below the key of f, whatever they are.
func (l *loader) loadAny(f *leaf) error {
	items := l.itemsUnder(f.path)
	if len(items) == 0 && f.mayLack {
		return nil
	}
	top, err := l.tree(f.path, nil)
	if top == nil || err != nil {
		return err
	}
	if f.set == nil {
		return torch.NewError(l.op, torch.ErrNil, "state "+quoteName(f.name),
			"nil is only allowed in a map or slice, which can hold the loaded value")
	}
	most := mostValues(items...) + mostDepth*int64(len(items)) + int64(l.listGaps) // with the dicts and lists
	v, err := convert(top.toGo(), f.like, most)
	if err != nil {
		return l.errorAbout(f.name, torch.ErrMismatch, "%v", err)
	}
	l.assignments = append(l.assignments, func() { f.set(v) })
	return nil
}

// toGo converts a node to a map[string]any, a []any or a value.
func (n *node) toGo() any {
	switch {
	case n == nil:
		return nil
	case n.isList:
		out := make([]any, len(n.list))
		for i, item := range n.list {
			out[i] = item.toGo()
		}
		return out
	case n.dict != nil:
		out := make(map[string]any, len(n.dict))
		for key, item := range n.dict {
			out[key] = item.toGo()
		}
		return out
	}
	return n.value
}

// get returns the node under a key, or nil.
func (n *node) get(key string) *node {
	if n == nil {
		return nil
	}
	return n.dict[key]
}

// toPickle converts a node to package serialization's representation, from which optimizers load.
func (n *node) toPickle() any {
	switch {
	case n == nil:
		return nil
	case n.isList:
		out := make([]any, len(n.list))
		for i, item := range n.list {
			out[i] = item.toPickle()
		}
		return out
	case n.dict != nil:
		out := make(pyvalue.Dict, len(n.keys))
		for i, key := range n.keys {
			out[i] = pyvalue.Entry{Key: key, Value: n.dict[key].toPickle()}
		}
		return out
	}
	return n.value
}

// number parses a key that is the number of a parameter.
func number(key string) (int, error) {
	n, err := strconv.Atoi(key)
	if err != nil || n < 0 || strconv.Itoa(n) != key {
		return 0, fmt.Errorf("%s is neither the number of a parameter nor a name in a group", quoteName(key))
	}
	return n, nil
}
