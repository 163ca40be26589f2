package nn

import (
	"maps"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/internal/plain"
	"github.com/gotorch/gotorch/torch"
)

// StateDict is a list of a module's parameters and persistent buffers with
// their paths, in PyTorch's order.
type StateDict []NamedTensor

// NewStateDict converts a map to a StateDict, sorted by name.
func NewStateDict(m map[string]*torch.Tensor) StateDict {
	var sd StateDict
	for _, name := range slices.Sorted(maps.Keys(m)) {
		sd = append(sd, NamedTensor{name, m[name]})
	}
	return sd
}

// Get returns the tensor with that name, or nil.
func (sd StateDict) Get(name string) *torch.Tensor {
	for _, n := range sd {
		if n.Name == name {
			return n.Tensor
		}
	}
	return nil
}

// Names returns the names in order.
func (sd StateDict) Names() []string {
	names := make([]string, len(sd))
	for i, n := range sd {
		names[i] = n.Name
	}
	return names
}

// Map returns the tensors by name.
func (sd StateDict) Map() map[string]*torch.Tensor {
	m := make(map[string]*torch.Tensor, len(sd))
	for _, n := range sd {
		m[n.Name] = n.Tensor
	}
	return m
}

// Clone returns a state dict with copies of the values, in no scope. (A StateDict
// itself shares the module's tensors.) A tensor with several names is copied once. It
// panics with ErrClosed for a closed tensor. Follows copy.deepcopy.
func (sd StateDict) Clone() StateDict {
	for _, n := range sd {
		if n.Tensor != nil && n.Tensor.IsClosed() {
			panic(torch.NewError("Clone", torch.ErrClosed, n.Name, "the tensor is closed"))
		}
	}
	twins := map[*torch.Tensor]*torch.Tensor{nil: nil}
	done := false
	defer func() {
		if !done {
			for _, t := range twins {
				_ = t.Close()
			}
		}
	}()
	clone := make(StateDict, len(sd))
	for i, n := range sd {
		twin, ok := twins[n.Tensor]
		if !ok {
			twin = cloneDetached(n.Tensor)
			twins[n.Tensor] = twin
		}
		clone[i] = NamedTensor{n.Name, twin}
	}
	done = true
	return clone
}

// String shows the tensors as Python prints an OrderedDict.
func (sd StateDict) String() string {
	items := make([]string, len(sd))
	for i, n := range sd {
		text := "None"
		switch {
		case n.Tensor == nil:
		case n.Tensor.IsClosed():
			text = "closed"
		default:
			values := n.Tensor.Detach() // detached, as in Python's dict
			text = values.String()
			_ = values.Close()
		}
		items[i] = "('" + plain.Text(n.Name) + "', " + text + ")"
	}
	if len(items) == 0 {
		return "OrderedDict()"
	}
	return "OrderedDict([" + strings.Join(items, ", ") + "])"
}
