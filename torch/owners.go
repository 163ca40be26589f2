package torch

import "github.com/gotorch/gotorch/internal/native/own"

// owners is what package own offers to the library.
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
