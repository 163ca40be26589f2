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

// frame is one call of Checkpoint. libtorch refers to it as long as the call's graph
// exists.
type frame struct {
	fn         func(x ...*torch.Tensor) []*torch.Tensor
	conditions *conditions
}

// Release frees the saved settings. libtorch calls it when the graph is freed.
func (f *frame) Release() { f.conditions.close() }

func init() { native.Recompute = recompute }

// recompute runs a checkpoint's function again, for the backward pass that called it.
// Like every callback, it gives up the caller's place among the operators in native code
// (see torch.MaxConcurrency) until it returns.
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

// again runs the function until it returns or has saved all tensors that the backward
// pass needs.
func (f *frame) again(inputs []abi.Tensor, stopped *bool) {
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		// If the function was stopped early, one of its operators panicked with this
		// error.
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
