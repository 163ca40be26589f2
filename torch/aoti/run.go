package aoti

import (
	"fmt"
	"maps"
	"slices"

	native "github.com/gotorch/gotorch/cgotorch/aoti"
	"github.com/gotorch/gotorch/torch"
)

func counted(have, want int) string { return fmt.Sprintf("expected %d inputs, got %d", want, have) }

// Run runs the model and returns its results. inputs are the tensors among the Python module's
// arguments, positional ones before keyword arguments. Lists and dicts are replaced by their
// tensors, in order. The results are flattened in the same way; see CallSpec.
//
// Run records no gradients, even if gradients are enabled and an input requires them. A
// result that is a view of an input shares its memory. Results that would share memory
// with the model's constants are copies.
//
// It panics with ErrValue for a wrong number of inputs, unsupported strides, unresolved
// conjugates and missing constants; with ErrDType, ErrDevice or ErrShape for an input
// that does not match; and with ErrNil or ErrClosed for a nil or closed input or model.
// If all runners are busy, it waits without holding any lock. Follows calling the result
// of torch._inductor.aoti_load_package.
func (m *Model) Run(inputs ...*torch.Tensor) []*torch.Tensor {
	const op = "aoti.Model.Run"
	m.must(op)
	handles := torch.Handles(op+"(inputs)", inputs, false)
	if m.shapes.known {
		check(op, m.inputs, inputs)
	}
	if len(m.given) > 0 {
		check(op, m.given, inputs)
	}
	for i, t := range inputs {
		// Check the device even if the input has no Type, because compiled code uses the
		// address without a check.
		if d := t.Device(); d.Type() != m.device.Type() || m.device.IsCUDA() && d != m.device {
			panic(torch.NewError(op, torch.ErrDevice, fmt.Sprintf("inputs[%d]", i),
				fmt.Sprintf("expected a tensor on %v, got one on %v", m.device, d)))
		}
	}
	// Wait for a runner here, because waiting in libtorch would block a thread. It could
	// also cause a deadlock: while the first call folds constants, no other call may be
	// waiting for its runner.
	m.slots <- struct{}{}
	defer func() { <-m.slots }()
	m.mu.RLock()
	defer m.mu.RUnlock()
	m.open(op)
	if len(m.missing) > 0 {
		panic(torch.NewError(op, torch.ErrValue, "m", fmt.Sprintf("the package lacks the constants %.200q; set them "+
			"with LoadConstants", slices.Sorted(maps.Keys(m.missing)))))
	}
	r := torch.BeginRaw(op, inputs...)
	results, st := native.Run(r.Ctx, m.raw, handles)
	r.Status(st)
	return r.WrapAll(results)
}

// open panics if the model is closed. The caller must hold the lock mu.
func (m *Model) open(op string) {
	if m.raw == 0 {
		panic(torch.NewError(op, torch.ErrClosed, "m", "used after Close"))
	}
}
