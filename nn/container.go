package nn

import (
	"fmt"
	"strconv"

	"github.com/gotorch/gotorch/internal/own"
	"github.com/gotorch/gotorch/torch"
)

// Sequential passes its input through its children, one after the other, in
// the order of registration; Register under a name that is taken puts another
// layer in that place.
type Sequential struct{ Base }

// NewSequential makes a Sequential of layers named "0", "1" and so on, which
// it owns: closing it closes them. It panics with ErrNil for a nil layer.
// Follows torch.nn.Sequential.
func NewSequential(layers ...Layer) *Sequential {
	s := new(Sequential)
	s.tidy = s
	for _, l := range layers {
		s.Append(l)
	}
	return s
}

// Append adds a layer at the end and returns s.
func (s *Sequential) Append(l Layer) *Sequential { return s.Add(strconv.Itoa(s.Len()), l) }

// Add is Append with a name. It panics with ErrValue if the name is taken.
func (s *Sequential) Add(name string, l Layer) *Sequential {
	if s.Get(name) != nil {
		panic(torch.NewError("Sequential.Add", torch.ErrValue, "name", fmt.Sprintf("%q is taken", name)))
	}
	s.Register(name, l)
	return s
}

// Len returns the number of layers.
func (s *Sequential) Len() int { return len(s.children) }

// At returns layer i; a negative i counts from the end. It panics with
// ErrIndex if there is none, and with ErrType if the module registered there
// is no Layer.
func (s *Sequential) At(i int) Layer {
	n := s.Len()
	if i < -n || i >= n {
		panic(torch.NewError("Sequential.At", torch.ErrIndex, "i", fmt.Sprintf("%d of %d layers", i, n)))
	}
	if i < 0 {
		i += n
	}
	return s.layer("Sequential.At", i)
}

// layer returns child i. Register, which is Base's, takes any module.
func (s *Sequential) layer(op string, i int) Layer {
	c := &s.children[i]
	l, ok := c.Module.(Layer)
	if !ok {
		panic(torch.NewError(op, torch.ErrType, "m", fmt.Sprintf("child %q, a %s, has no Forward from one tensor to one", c.Name, TypeName(c.Module))))
	}
	return l
}

// Forward runs the layers through Call. What one layer hands to the next is
// freed as soon as the next has run, except where the graph needs it; a layer
// that keeps its input for later keeps a handle of its own, such as
// torch.Disown(x.Detach()). Without layers it returns x. It panics with ErrType
// if a module was registered that is no Layer.
func (s *Sequential) Forward(x *torch.Tensor) *torch.Tensor {
	if s.Len() == 0 {
		return x
	}
	return torch.Tidy(func() *torch.Tensor {
		h := x
		for i := range s.children {
			next := Call(s.layer("Sequential", i), h)
			if next != h {
				own.Release(h)
			}
			h = next
		}
		return h
	})
}

// String returns Repr(s).
func (s *Sequential) String() string { return Repr(s) }

// ModuleList holds modules named "0", "1" and so on, for a Forward that calls
// them itself: its children in the order of registration.
type ModuleList struct{ Base }

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
	l.Register(strconv.Itoa(l.Len()), m)
	return l
}

// Len returns the number of modules.
func (l *ModuleList) Len() int { return len(l.children) }

// At returns module i. It panics with ErrIndex if there is none.
func (l *ModuleList) At(i int) Module {
	if i < 0 || i >= l.Len() {
		panic(torch.NewError("ModuleList.At", torch.ErrIndex, "i", fmt.Sprintf("%d of %d modules", i, l.Len())))
	}
	return l.children[i].Module
}
