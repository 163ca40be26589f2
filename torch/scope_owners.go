package torch

import (
	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/internal/native/own"
)

// owners gives package own access to scopes and to the other state of goroutines.
type owners struct{}

func (owners) Mark(kind own.Kind) {
	if st := states.Get(); st != nil && st.scope != nil {
		st.scope.kind = kind
	}
}

func (owners) BeginCall(module any) {
	if st := states.Get(); st != nil && st.scope != nil {
		st.scope.kind, st.scope.module = own.Call, module
	}
}

func (owners) InCall(module any) bool {
	if st := states.Get(); st != nil {
		for s := st.scope; s != nil; s = s.parent {
			if s.module == module {
				return true
			}
		}
	}
	return false
}

func (owners) Release(tensor any) {
	t := tensor.(*Tensor)
	if t == nil || t.scope == nil {
		return
	}
	if st := states.Get(); st != nil && st.scope == t.scope {
		t.close(freedByContainer)
	}
}

func (owners) Parameter(tensor any) { tensor.(*Tensor).uses.SetMark() }

func (owners) IsParameter(tensor any) bool { return tensor.(*Tensor).uses.Mark() }

func (owners) Owns(tensor any) bool {
	t := tensor.(*Tensor)
	return t != nil && t.scope != nil && !t.IsClosed() && t.scope.isOwn()
}

func (owners) Adopt(tensor any) {
	t := tensor.(*Tensor)
	st := states.Get()
	if t == nil || t.scope != nil || st == nil || st.scope == nil {
		return
	}
	if t.acquire() {
		t.cleanup.Stop()
		st.scope.add(t)
	}
	t.release()
}

func (owners) Join(tensor, other any) {
	t, s := tensor.(*Tensor), other.(*Tensor).scope
	if s != nil && !s.isOwn() {
		s = nil
	}
	if t.scope == s {
		return
	}
	if t.acquire() {
		if t.scope != nil {
			t.scope.remove(t)
		} else {
			t.cleanup.Stop()
		}
		if s != nil {
			s.add(t)
		} else {
			t.ownByCollector()
		}
	}
	t.release()
}

func (owners) Drew() bool {
	st := states.Get()
	if st == nil || st.generator == nil || !cgotorch.GeneratorDrawn(st.slot()) {
		return false
	}
	cgotorch.ForgetDraws(st.slot())
	return true
}

func (owners) Idle(fn func()) {
	st := states.Get()
	// In a callback, the enclosing native call still uses the slot.
	if st == nil || st.generator == nil || st.callbacks > 0 {
		fn()
		return
	}
	drew := cgotorch.GeneratorDrawn(st.slot())
	st.leaveSlot()
	defer func() {
		st.takeSlot()
		st.draw(st.generator)
		if !drew {
			cgotorch.ForgetDraws(st.slot())
		}
	}()
	fn()
}

func (owners) Sweep() {
	if st := states.Get(); st != nil && st.scope != nil && st.scope.kind == own.Load {
		st.scope.sweep()
	}
}

func (owners) Inherit(generator bool) func(fn func()) {
	var modes goroutineState
	if st := states.Get(); st != nil {
		modes = goroutineState{ctx: st.withoutCasts() &^ ctxGenerator, device: st.device, dtype: st.dtype}
		if generator {
			modes.generator = st.generator
		}
	}
	return func(fn func()) {
		st := enterState()
		saved := *st
		st.ctx, st.device, st.dtype = st.ctx&ctxGenerator|modes.ctx, modes.device, modes.dtype
		defer func() {
			st.ctx, st.device, st.dtype = saved.ctx, saved.device, saved.dtype
			st.leave()
		}()
		if modes.generator != nil {
			WithGenerator(modes.generator, fn)
		} else {
			fn()
		}
	}
}

func (owners) IgnoreScopes(ignore bool) { scopesIgnored.Store(ignore) }
