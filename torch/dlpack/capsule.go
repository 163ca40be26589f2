package dlpack

import (
	"runtime"
	"sync"
	"unsafe"

	native "github.com/gotorch/gotorch/cgotorch/dlpack"
	"github.com/gotorch/gotorch/torch"
)

// Kind says which struct a capsule has: it is the name of Python's capsules.
type Kind string

// The kinds. Versioned structs are those of DLPack 1.0 and later.
const (
	KindLegacy    Kind = "dltensor"           // a DLManagedTensor
	KindVersioned Kind = "dltensor_versioned" // a DLManagedTensorVersioned
)

// Capsule owns a struct of DLPack until somebody takes it: [FromDLPack], or other code
// that gets the pointer of [Capsule.Take]. If nobody does, Close calls the struct's
// deleter, or the garbage collector's cleanup. Methods may be called from several
// goroutines at once.
type Capsule struct {
	mu      sync.Mutex
	held    held // At is nil when it is gone
	kind    Kind
	cleanup runtime.Cleanup
}

// held is a struct whose deleter has to be called.
type held struct {
	native.Struct

	own bool // of ToDLPack
}

// NewCapsule takes over a struct of another library: the kind is the name of the Python
// capsule that had it. The pointer has to be one to such a struct; nothing of it is looked
// at before [FromDLPack], which refuses a nil one and kinds that are none. The capsule has
// the struct's deleter called unless somebody takes the struct.
func NewCapsule(p unsafe.Pointer, kind Kind) *Capsule {
	h := held{Struct: native.Struct{At: p, Versioned: kind == KindVersioned}}
	if !kind.known() {
		return &Capsule{kind: kind} // nobody knows where its deleter is
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

// Kind returns which struct it is, also after it was taken.
func (c *Capsule) Kind() Kind {
	if c == nil {
		return ""
	}
	return c.kind
}

// Take hands the struct over and returns its address, for other code in the process: a
// DLManagedTensor*, or a DLManagedTensorVersioned*, as Kind says. Whoever gets it calls its
// deleter, once, on any thread; Python's capsules and from_dlpack do. The capsule is empty
// then. Take returns nil if it was before, or closed.
func (c *Capsule) Take() unsafe.Pointer {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.take().At
}

// take empties the capsule, whose lock is held.
func (c *Capsule) take() held {
	h := c.held
	if h.At != nil {
		c.held = held{}
		c.cleanup.Stop()
	}
	return h
}

// Close has the struct's deleter called unless somebody took it. It may be called twice,
// and always returns nil.
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

// Info says what a struct describes.
type Info struct {
	Major, Minor int // the version of DLPack, 0 for a struct without one
	Device       DLDevice
	DType        torch.DType
	Shape        torch.Shape
	Stride       []int64 // in elements
	ReadOnly     bool    // writing is forbidden
	Copied       bool    // nobody else uses the memory
}

// Info returns what is in the capsule, without taking it, or the error that [FromDLPack]
// would return for it, but for one about devices that are not there.
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

// array reads and checks the struct; the capsule's lock is held.
func (c *Capsule) array(op string) (array, error) {
	fault := func(kind error, message string) error { return torch.NewError(op, kind, "c", message) }
	switch {
	case !c.kind.known():
		return array{}, fault(torch.ErrValue, `expected a capsule of kind "dltensor" or "dltensor_versioned", got "`+string(c.kind)+`"`)
	case c.held.At == nil && c.cleanup == (runtime.Cleanup{}):
		return array{}, fault(torch.ErrNil, "the pointer to the struct is nil")
	case c.held.At == nil:
		return array{}, fault(torch.ErrClosed, "the capsule's struct was taken, or the capsule closed")
	case uintptr(c.held.At)%unsafe.Alignof(uint64(0)) != 0:
		return array{}, fault(torch.ErrValue, "the pointer is no multiple of 8: no struct begins there")
	}
	return check(op, c.held.Struct)
}
