package recompute

import (
	"runtime"

	native "github.com/gotorch/gotorch/cgotorch/checkpoint"
	"github.com/gotorch/gotorch/internal/native/callback"
	"github.com/gotorch/gotorch/internal/native/named"
	"github.com/gotorch/gotorch/torch"
)

// op is the name of the operation in errors of the second run.
const op = "recompute.Checkpoint"

// An Option configures a checkpoint: [PreserveRNGState].
//
//gotorch:options PreserveRNGState
type Option interface{ option() }

// PreserveRNGState makes the second run draw the same random numbers as the first. This
// covers the CPU's generator, the goroutine's generator within torch.WithGenerator, and
// the generators of the inputs' CUDA devices. With false the second run draws new
// numbers, and operators such as dropout get wrong gradients; functions without random
// numbers are slightly faster. The default is true.
type PreserveRNGState bool

// Checkpoint returns the result of fn for x. It is [CheckpointN] for one tensor; see there
// for restrictions on fn, panics and ownership.
//
//	y := recompute.Checkpoint(block.Forward, x)
//
// Follows torch.utils.checkpoint.checkpoint with use_reentrant=False.
func Checkpoint(fn func(x *torch.Tensor) *torch.Tensor, x *torch.Tensor, opts ...Option) *torch.Tensor {
	if fn == nil {
		panic(torch.NilFunc(op, "fn"))
	}
	return checkpoint(op, func(x ...*torch.Tensor) []*torch.Tensor { return []*torch.Tensor{fn(x[0])} },
		[]*torch.Tensor{x}, opts)[0]
}

// CheckpointN returns the results of fn for inputs, but keeps no tensors that fn's
// operators save for the backward pass. Instead, fn runs again, once for each backward
// pass that needs them. Gradients flow to the inputs and to everything else fn uses, such
// as parameters. Checkpoints nest. Backward with RetainGraph or CreateGraph, and
// torch.Grad, work as usual.
//
// If gradients are disabled, fn just runs once. fn runs on the caller's goroutine, which
// stays on its thread until fn returns. Tensors saved by other goroutines that fn starts
// are kept as usual. The second run is on the goroutine of the backward pass or, for
// CUDA, on a thread of libtorch. It has its own scope. A panic in the second run ends the
// backward pass with an *Error that carries it (PanicValue).
//
// CheckpointN panics with ErrNil for a nil fn or option, with ErrNil or ErrClosed for a
// nil or closed input, with ErrNotImplemented within a transform of package functorch,
// and with the panics of fn. The results are owned by the innermost scope or else by the
// garbage collector. The caller keeps the inputs, and may close them before the backward
// pass. Follows torch.utils.checkpoint.checkpoint with use_reentrant=False.
func CheckpointN(fn func(x ...*torch.Tensor) []*torch.Tensor, inputs []*torch.Tensor, opts ...Option) []*torch.Tensor {
	const op = "recompute.CheckpointN"
	if fn == nil {
		panic(torch.NilFunc(op, "fn"))
	}
	return checkpoint(op, fn, inputs, opts)
}

func checkpoint(op string, fn func(x ...*torch.Tensor) []*torch.Tensor, inputs []*torch.Tensor,
	opts []Option,
) []*torch.Tensor {
	preserve := readOptions(op, opts)
	hs := torch.Handles(op+"(inputs)", inputs, false)
	if !torch.IsGradEnabled() {
		return fn(inputs...)
	}
	f := &frame{fn: fn, conditions: remember(inputs, preserve)}
	id := callback.RegisterAs(named.Checkpoints, f)
	var begun, done bool
	defer callback.DropUnless(&begun, id)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	r := torch.BeginRaw(op)
	r.Use(inputs...)
	begun = true
	first, st := native.Begin(r.Ctx, id, hs)
	r.Status(st)
	defer func() { native.End(first, done) }()
	res := fn(inputs...)
	done = true
	return res
}

func readOptions(op string, opts []Option) (preserve bool) {
	preserve = true
	for _, o := range opts {
		p, ok := o.(PreserveRNGState)
		if !ok {
			panic(torch.BadOption(op, o))
		}
		preserve = bool(p)
	}
	return preserve
}
