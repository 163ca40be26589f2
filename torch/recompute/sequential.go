package recompute

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// CheckpointSequential runs layers one after the other, in segments of equal length. All
// segments except the last are checkpoints; see [Checkpoint]. modules are, for example,
// the Values of an nn.Sequential. When a segment runs again, its layers are in the mode
// of the first run, training or evaluation.
//
//	y := recompute.CheckpointSequential(model.Values(), 4, x)
//
// CheckpointSequential panics with ErrValue for no layers, and for a number of segments
// below 1 or above the number of layers. It panics with ErrNil for a nil layer, and
// otherwise as Checkpoint does. The result is owned by the innermost scope or else by the
// garbage collector. Follows torch.utils.checkpoint.checkpoint_sequential with
// use_reentrant=False.
func CheckpointSequential(modules []nn.Layer, segments int, input *torch.Tensor, opts ...Option) *torch.Tensor {
	const op = "recompute.CheckpointSequential"
	readOptions(op, opts)
	torch.Handles(op+"(input)", []*torch.Tensor{input}, false)
	if len(modules) == 0 {
		panic(torch.NewError(op, torch.ErrValue, "modules", "expected at least one layer"))
	}
	if segments < 1 || segments > len(modules) {
		panic(torch.NewError(op, torch.ErrValue, "segments",
			fmt.Sprintf("expected 1 to %d, the number of layers, got %d", len(modules), segments)))
	}
	for i, m := range modules {
		if m == nil {
			panic(torch.NewError(op, torch.ErrNil, "modules", fmt.Sprintf("element %d is nil", i)))
		}
	}
	return torch.Tidy(func() *torch.Tensor {
		size := len(modules) / segments
		x := input
		for range segments - 1 {
			y := Checkpoint(inMode(modules[:size]), x, opts...)
			release(x, y, input)
			x, modules = y, modules[size:]
		}
		return run(modules, x)
	})
}

func run(modules []nn.Layer, input *torch.Tensor) *torch.Tensor {
	x := input
	for _, m := range modules {
		y := m.Forward(x)
		release(x, y, input)
		x = y
	}
	return x
}

// release closes x, the input of a layer, unless x is the layer's result y or the
// segment's input.
func release(x, y, input *torch.Tensor) {
	if x != y && x != input {
		own.Release(x)
	}
}

// inMode returns a function that runs layers in the modes that they have now, even if the
// modes change before the function is called.
func inMode(modules []nn.Layer) func(x *torch.Tensor) *torch.Tensor {
	var all []*nn.Base
	for _, m := range modules {
		for _, c := range nn.Modules(m) {
			all = append(all, c.ModuleBase())
		}
	}
	first := training(all)
	return func(x *torch.Tensor) *torch.Tensor {
		if now := training(all); !slices.Equal(now, first) {
			setTraining(all, first)
			defer setTraining(all, now)
		}
		return run(modules, x)
	}
}

func training(all []*nn.Base) []bool {
	modes := make([]bool, len(all))
	for i, b := range all {
		modes[i] = b.Training()
	}
	return modes
}

// setTraining sets the modes of modules. Parents come before their children, because
// SetTraining also sets the children's modes.
func setTraining(all []*nn.Base, modes []bool) {
	for i, b := range all {
		b.SetTraining(modes[i])
	}
}
