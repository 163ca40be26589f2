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
	module any // whose call it is, if own.BeginCall said so
	items  []*Tensor
}

// scopes keeps the lists of ended scopes, so that a training loop allocates
// none after its first step.
var scopes = sync.Pool{New: func() any { return new(scope) }}

var handleBuffers = sync.Pool{New: func() any { return new([]abi.Tensor) }}

// Scope runs fn and then frees every tensor that was made on this goroutine
// meanwhile, in one batch, also when fn panics. A tensor that must live on is
// handed to [Keep] or [Disown], or returned through [Tidy].
//
// Scopes nest; the innermost one owns. A scope belongs to its goroutine:
// goroutines started inside it have scopes of their own or leave their tensors
// to the collector, and may use tensors of the scope only until it ends.
// Tensors of a scope are not registered with the collector, which makes them
// the cheapest kind. It panics with ErrNil for a nil fn.
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

// scopesIgnored is what own.IgnoreScopes says.
var scopesIgnored atomic.Bool

// Tidy runs fn in a scope and returns its result, which moves to the scope
// around it; every other tensor made meanwhile is freed. It is what a Forward
// method needs to leave no temporaries behind. It panics with ErrNil for a nil
// fn, and with what fn panics with.
func Tidy(fn func() *Tensor) *Tensor {
	if fn == nil {
		panic(NilFunc("Tidy", "fn"))
	}
	s := openScope(own.Tidy)
	defer s.close()
	return s.keep(fn())
}

// TidyAll is Tidy for several results, which move to the scope around. It
// panics with ErrNil for a nil fn, and with what fn panics with.
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

// Keep lets t live past the end of the innermost scope: the scope around that
// one owns it then, or the collector if there is none. It returns t. It does
// nothing outside of scopes, and for a tensor that the innermost scope does not
// own, since that lives longer anyway. It panics with ErrValue if t belongs to a
// scope of another goroutine, which only that goroutine may change.
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

// Disown takes t out of all scopes, so that it lives until it is closed or
// collected, and returns it. It is for what outlives a step: a parameter, the
// state of an optimizer, an activation put into a field. It panics with ErrValue
// if t belongs to a scope of another goroutine, which only that goroutine may
// change.
func Disown(t *Tensor) *Tensor {
	if t == nil || t.scope == nil || t.IsClosed() {
		return t
	}
	t.scope.mustBeOwn("Disown")
	if t.acquire() { // else it was closed elsewhere meanwhile, and has no owner
		t.scope.remove(t)
		t.ownByCollector()
	}
	t.release()
	return t
}

// isOwn reports whether the scope was opened on this goroutine. It looks at those
// that are, since another goroutine may be changing this one.
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
		panic(argError(op, ErrValue, "t", "the tensor belongs to a scope of another goroutine (iter.Pull runs its sequence, such as a loader's, on one of its own); "+op+" it there, or keep a Detach or Clone of it, which is this goroutine's"))
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

// close frees what the scope owns. Scopes close in the reverse order of their
// opening, since both ends lie in one function.
func (s *scope) close() {
	st := s.state
	st.scope = s.parent
	s.sweep()
	s.state, s.parent, s.module = nil, nil, nil
	scopes.Put(s)
	st.leave()
}

// sweep frees what the scope owns.
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

// forget drops a closed tensor from the list, so that a long scope around a
// loop of Closes does not grow. Only the owner may touch the list; a tensor
// closed elsewhere, or while an operator used it, stays in it as an empty entry.
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
	if !t.acquire() { // closed elsewhere meanwhile
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
