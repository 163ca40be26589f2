package dlpack

import (
	"runtime"
	"sync"
	"unsafe"

	native "github.com/gotorch/gotorch/cgotorch/dlpack"
	"github.com/gotorch/gotorch/torch"
)

// Kind is the type of the struct in a capsule. Its values are the names of Python's
// capsules.
type Kind string

// These are the kinds of structs. Versioned structs are those of DLPack 1.0 and later.
const (
	KindLegacy    Kind = "dltensor"           // a DLManagedTensor
	KindVersioned Kind = "dltensor_versioned" // a DLManagedTensorVersioned
)

// Capsule owns a DLPack struct until it is taken: by [FromDLPack], or by other code that
// gets the pointer from [Capsule.Take]. If nobody takes it, Close or the garbage
// collector calls the struct's deleter. A Capsule is safe for use by several goroutines.
type Capsule struct {
	mu      sync.Mutex
	held    held // At is nil once the struct is taken or freed
	kind    Kind
	cleanup runtime.Cleanup
}

// held is a struct whose deleter must be called.
type held struct {
	native.Struct

	own bool // whether ToDLPack made the struct
}

// NewCapsule takes over a struct of another library. kind is the name of the Python
// capsule that held it. p must point to such a struct. p is not read before [FromDLPack],
// which refuses nil pointers and unknown kinds. The capsule calls the struct's deleter
// unless somebody takes the struct.
func NewCapsule(p unsafe.Pointer, kind Kind) *Capsule {
	h := held{Struct: native.Struct{At: p, Versioned: kind == KindVersioned}}
	if !kind.known() {
		// The position of the deleter in the struct depends on the kind, so nobody can call
		// the deleter of an unknown kind.
		return &Capsule{kind: kind}
	}
	return newCapsule(h, kind)
}

func newCapsule(h held, kind Kind) *Capsule {
	c := &Capsule{held: h, kind: kind}
	if h.At != nil {
		c.cleanup = runtime.AddCleanup(c, held.release, h)
	}
	return c
}

func (k Kind) known() bool { return k == KindLegacy || k == KindVersioned }

// Kind returns the kind of the struct, even after it was taken.
func (c *Capsule) Kind() Kind {
	if c == nil {
		return ""
	}
	return c.kind
}

// Take hands over the struct and returns its address, for other code in the process: a
// DLManagedTensor* or a DLManagedTensorVersioned*, according to Kind. That code must call
// the struct's deleter, once, on any thread; Python's capsules and from_dlpack do. The
// capsule is empty afterwards. Take returns nil if the capsule was already empty or
// closed.
func (c *Capsule) Take() unsafe.Pointer {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.take().At
}

// take empties the capsule. The lock must be held.
func (c *Capsule) take() held {
	h := c.held
	if h.At != nil {
		c.held = held{}
		c.cleanup.Stop()
	}
	return h
}

// Close calls the struct's deleter unless somebody took the struct. It may be called
// twice, and always returns nil.
func (c *Capsule) Close() error {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	h := c.take()
	c.mu.Unlock()
	h.release()
	return nil
}

// String returns the kind, and whether the struct was taken.
func (c *Capsule) String() string {
	if c == nil {
		return "dlpack.Capsule(nil)"
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held.At == nil {
		return "dlpack.Capsule(used_" + string(c.kind) + ")"
	}
	return "dlpack.Capsule(" + string(c.kind) + ")"
}

// Info describes an array in a struct.
type Info struct {
	Major, Minor int // the DLPack version, 0 for an unversioned struct
	Device       DLDevice
	DType        torch.DType
	Shape        torch.Shape
	Stride       []int64 // the strides, in elements
	ReadOnly     bool    // the memory must not be written to
	Copied       bool    // the struct's memory is a copy, which nobody else uses
}

// Info describes the struct in the capsule without taking it. It returns the same errors
// as [FromDLPack], except for unavailable devices.
func (c *Capsule) Info() (Info, error) {
	const op = "dlpack.Capsule.Info"
	if c == nil {
		return Info{}, torch.NewError(op, torch.ErrNil, "c", "a nil *Capsule")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	a, err := c.array(op)
	if err != nil {
		return Info{}, err
	}
	return a.Info, nil
}

// array reads and checks the struct. The capsule's lock must be held.
func (c *Capsule) array(op string) (array, error) {
	fault := func(kind error, message string) error { return torch.NewError(op, kind, "c", message) }
	switch {
	case !c.kind.known():
		return array{}, fault(torch.ErrValue,
			`expected a capsule of kind "dltensor" or "dltensor_versioned", got "`+string(c.kind)+`"`)
	case c.held.At == nil && c.cleanup == (runtime.Cleanup{}):
		return array{}, fault(torch.ErrNil, "the pointer to the struct is nil")
	case c.held.At == nil:
		return array{}, fault(torch.ErrClosed, "the struct was already taken, or the capsule is closed")
	case uintptr(c.held.At)%unsafe.Alignof(uint64(0)) != 0:
		return array{}, fault(torch.ErrValue, "the pointer is not a multiple of 8, so it does not point to a struct")
	}
	return check(op, c.held.Struct)
}
