package torch

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/internal/native/callback"
	"github.com/gotorch/gotorch/internal/native/own"
)

// scope owns the tensors made on one goroutine while it is innermost.
type scope struct {
	state  *goroutineState
	parent *scope
	kind   own.Kind
	module any // the module whose call the scope is, set by own.BeginCall
	items  []*Tensor
}

// scopes keeps the lists of ended scopes for reuse, so that a training loop
// allocates no list after its first step.
var scopes = sync.Pool{New: func() any { return new(scope) }}

var handleBuffers = sync.Pool{New: func() any { return new([]abi.Tensor) }}

// Scope runs fn and then frees every tensor that fn made on this goroutine, in one batch,
// even if fn panics. Use [Keep], [Disown] or [Tidy] for a tensor that must live longer.
//
// Scopes nest, and the innermost one owns new tensors. A scope belongs to its goroutine.
// A goroutine started inside may use the scope's tensors until the scope ends, but its
// own tensors do not belong to the scope. A scope's tensors are not registered with the
// garbage collector, which makes them cheaper. Scope panics with ErrNil for a nil fn.
func Scope(fn func()) {
	if fn == nil {
		panic(NilFunc("Scope", "fn"))
	}
	if scopesIgnored.Load() {
		fn()
		return
	}
	s := openScope(own.Scope)
	defer s.close()
	fn()
}

// scopesIgnored makes Scope only run its function. own.IgnoreScopes sets it.
var scopesIgnored atomic.Bool

// Tidy runs fn in a scope and returns its result, which moves to the enclosing
// scope. Every other tensor that fn made is freed. Use it in a Forward method
// to leave no temporaries behind. It panics with ErrNil for a nil fn. A panic
// of fn passes through.
func Tidy(fn func() *Tensor) *Tensor {
	if fn == nil {
		panic(NilFunc("Tidy", "fn"))
	}
	s := openScope(own.Tidy)
	defer s.close()
	return s.keep(fn())
}

// TidyAll is [Tidy] for several results. It panics with ErrNil for a nil fn. A
// panic of fn passes through.
func TidyAll(fn func() []*Tensor) []*Tensor {
	if fn == nil {
		panic(NilFunc("TidyAll", "fn"))
	}
	s := openScope(own.Tidy)
	defer s.close()
	ts := fn()
	for _, t := range ts {
		s.keep(t)
	}
	return ts
}

// Keep moves t from the innermost scope to the enclosing one, or to the garbage
// collector if there is none, and returns t. It does nothing if the innermost
// scope does not own t. It panics with ErrValue if t belongs to a scope of
// another goroutine.
func Keep(t *Tensor) *Tensor {
	if t == nil || t.scope == nil || t.IsClosed() {
		return t
	}
	t.scope.mustBeOwn("Keep")
	if st := states.Get(); st != nil && st.scope == t.scope {
		st.scope.keep(t)
	}
	return t
}

// Disown removes t from its scope, so that it lives until it is closed or
// collected, and returns t. Use it for a tensor that outlives a step: a
// parameter, the state of an optimizer, an activation stored in a field. It
// panics with ErrValue if t belongs to a scope of another goroutine.
func Disown(t *Tensor) *Tensor {
	if t == nil || t.scope == nil || t.IsClosed() {
		return t
	}
	t.scope.mustBeOwn("Disown")
	if t.acquire() { // otherwise another goroutine has closed t, which then has no owner
		t.scope.remove(t)
		t.ownByCollector()
	}
	t.release()
	return t
}

// isOwn reports whether the scope was opened on this goroutine. It walks this
// goroutine's scopes, since another goroutine may be changing s.
func (s *scope) isOwn() bool {
	if st := states.Get(); st != nil {
		for o := st.scope; o != nil; o = o.parent {
			if o == s {
				return true
			}
		}
	}
	return false
}

// mustBeOwn panics unless the scope was opened on this goroutine.
func (s *scope) mustBeOwn(op string) {
	if !s.isOwn() {
		panic(argError(op, ErrValue, "t", "the tensor belongs to a scope of another goroutine (iter.Pull runs its "+
			"sequence, such as a loader's, on a separate goroutine); "+op+
			" it there, or keep a Detach or Clone of it, which belongs to this goroutine"))
	}
}

// InScope reports whether a scope is open on this goroutine.
func InScope() bool {
	st := states.Get()
	return st != nil && st.scope != nil
}

func openScope(kind own.Kind) *scope {
	st := enterState()
	s := scopes.Get().(*scope)
	s.state, s.parent, s.kind = st, st.scope, kind
	st.scope = s
	return s
}

// close ends the scope and frees its tensors. Scopes close in the reverse order
// of their opening.
func (s *scope) close() {
	st := s.state
	st.scope = s.parent
	s.sweep()
	s.state, s.parent, s.module = nil, nil, nil
	// A tensor that was closed elsewhere may still point to s. Readers of t.scope first check
	// whether the tensor is open.
	scopes.Put(s)
	st.leave()
}

func (s *scope) sweep() {
	buf := handleBuffers.Get().(*[]abi.Tensor)
	handles := (*buf)[:0]
	for i, t := range s.items {
		s.items[i] = nil
		if t.shut(freedByScope + freedBy(s.kind)) {
			t.scope = nil
			t.unlist()
			handles = append(handles, t.h)
		}
	}
	cgotorch.FreeMany(handles)
	callback.AfterFree()
	open.Add(uintptr(unsafe.Pointer(s)), -int64(len(handles)))
	*buf = handles
	handleBuffers.Put(buf)
	s.items = s.items[:0]
}

func (s *scope) add(t *Tensor) {
	t.scope = s
	t.index = int32(len(s.items))
	if t.entry != nil {
		t.entry.SetScoped(true)
	}
	s.items = append(s.items, t)
}

// forget removes a closed tensor from the list, so that the list does not grow
// in a loop that closes its tensors. Only the owner may change the list. A
// tensor closed on another goroutine, or during an operator, stays in the list,
// closed, until the scope ends.
func (s *scope) forget(t *Tensor) {
	if s.isOwn() {
		s.remove(t)
	}
}

func (s *scope) remove(t *Tensor) {
	last := len(s.items) - 1
	moved := s.items[last]
	s.items[t.index] = moved
	moved.index = t.index
	s.items[last] = nil
	s.items = s.items[:last]
	t.scope = nil
}

func (s *scope) keep(t *Tensor) *Tensor {
	if t == nil || t.scope != s || t.IsClosed() {
		return t
	}
	defer t.release()
	if !t.acquire() { // another goroutine has closed t
		return t
	}
	s.remove(t)
	if s.parent != nil {
		s.parent.add(t)
	} else {
		t.ownByCollector()
	}
	return t
}
