package nn

import (
	"fmt"
	"strconv"

	"github.com/gotorch/gotorch/torch"
)

// Sequential passes its input through layers, one after the other.
type Sequential struct {
	Base
	layers []Layer
}

// NewSequential makes a Sequential of layers named "0", "1" and so on, which
// it owns: closing it closes them. It panics with ErrNil for a nil layer.
// Follows torch.nn.Sequential.
func NewSequential(layers ...Layer) *Sequential {
	s := new(Sequential)
	s.tidy = true
	for _, l := range layers {
		s.Append(l)
	}
	return s
}

// Append adds a layer at the end and returns s.
func (s *Sequential) Append(l Layer) *Sequential { return s.Add(strconv.Itoa(len(s.layers)), l) }

// Add is Append with a name. It panics with ErrValue if the name is taken.
func (s *Sequential) Add(name string, l Layer) *Sequential {
	if s.Get(name) != nil {
		panic(torch.NewError("Sequential.Add", torch.ErrValue, "name", fmt.Sprintf("%q is taken", name)))
	}
	s.Register(name, l)
	s.layers = append(s.layers, l)
	return s
}

// Len returns the number of layers.
func (s *Sequential) Len() int { return len(s.layers) }

// At returns layer i; a negative i counts from the end. It panics with
// ErrIndex if there is none.
func (s *Sequential) At(i int) Layer {
	n := len(s.layers)
	if i < -n || i >= n {
		panic(torch.NewError("Sequential.At", torch.ErrIndex, "i", fmt.Sprintf("%d of %d layers", i, n)))
	}
	if i < 0 {
		i += n
	}
	return s.layers[i]
}

// Forward runs the layers through Call. What one layer hands to the next is
// freed as soon as the next has run, except where the graph needs it; a layer
// that keeps its input for later keeps a handle of its own, such as
// torch.Disown(x.Detach()). Without layers it returns x.
func (s *Sequential) Forward(x *torch.Tensor) *torch.Tensor {
	if len(s.layers) == 0 {
		return x
	}
	return torch.Tidy(func() *torch.Tensor {
		h := x
		for _, l := range s.layers {
			next := Call(l, h)
			if next != h {
				torch.Release(h)
			}
			h = next
		}
		return h
	})
}

// String returns Repr(s).
func (s *Sequential) String() string { return Repr(s) }

// ModuleList holds modules named "0", "1" and so on, for a Forward that calls
// them itself.
type ModuleList struct {
	Base
	list []Module
}

// NewModuleList makes a ModuleList. It panics with ErrNil for a nil module.
// Follows torch.nn.ModuleList.
func NewModuleList(modules ...Module) *ModuleList {
	l := new(ModuleList)
	for _, m := range modules {
		l.Append(m)
	}
	return l
}

// Append adds a module at the end and returns l.
func (l *ModuleList) Append(m Module) *ModuleList {
	l.Register(strconv.Itoa(len(l.list)), m)
	l.list = append(l.list, m)
	return l
}

// Len returns the number of modules.
func (l *ModuleList) Len() int { return len(l.list) }

// At returns module i. It panics with ErrIndex if there is none.
func (l *ModuleList) At(i int) Module {
	if i < 0 || i >= len(l.list) {
		panic(torch.NewError("ModuleList.At", torch.ErrIndex, "i", fmt.Sprintf("%d of %d modules", i, len(l.list))))
	}
	return l.list[i]
}
