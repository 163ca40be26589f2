package recompute

import (
	"errors"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	native "github.com/gotorch/gotorch/cgotorch/checkpoint"
	"github.com/gotorch/gotorch/internal/native/callback"
	"github.com/gotorch/gotorch/internal/native/entry"
	"github.com/gotorch/gotorch/torch"
)

// frame is one call of Checkpoint, which libtorch refers to as long as its graph lives.
type frame struct {
	fn         func(x ...*torch.Tensor) []*torch.Tensor
	conditions *conditions
}

// Release is called when the graph is gone.
func (f *frame) Release() { f.conditions.close() }

func init() { native.Recompute = recompute }

// recompute runs a checkpoint's function again, for the backward pass that called. Its
// caller's place in native code is given up meanwhile, as in every callback.
func recompute(id int64, inputs []abi.Tensor, stopped *bool) (tag int64) {
	entry.Leave()
	tag = callback.Guard(func() {
		f := callback.Of[*frame](id)
		f.conditions.restore(func() {
			torch.EnableGrad(func() {
				torch.Scope(func() { f.again(inputs, stopped) })
			})
		})
	})
	entry.Reenter()
	return tag
}

// again runs the function until it returns or has saved all that is needed.
func (f *frame) again(inputs []abi.Tensor, stopped *bool) {
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		// The operator that was stopped fails with an error that says so.
		if err, ok := p.(error); !ok || !*stopped || !errors.As(err, new(*torch.Error)) {
			panic(p)
		}
	}()
	refs := make([]abi.Tensor, len(inputs))
	for i, h := range inputs {
		refs[i] = cgotorch.Ref(h)
	}
	r := torch.BeginRaw(op)
	r.End()
	f.fn(r.WrapAll(refs)...)
}
