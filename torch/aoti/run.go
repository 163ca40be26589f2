package aoti

import (
	"fmt"
	"maps"
	"slices"

	native "github.com/gotorch/gotorch/cgotorch/aoti"
	"github.com/gotorch/gotorch/torch"
)

func counted(have, want int) string { return fmt.Sprintf("expected %d, got %d", want, have) }

// Run runs the model and returns its results, owned by the innermost scope, else by the
// collector. The inputs are the tensors among the arguments that the module was exported
// with, in the order of their positions and then of the keywords, those within lists and
// dicts in their places; results come in the same way, see CallSpec.
//
// No gradients are recorded, whatever the inputs need and the mode is, and no result
// requires one. A result may share memory with an input that it is a view of; those that
// would lie in the model's constants are copies.
//
// It panics with ErrValue for another number of inputs, strides that the model does not
// take, pending conjugates and constants that the package lacks, with ErrDType, ErrDevice
// and ErrShape for inputs that do not fit, with ErrNil and ErrClosed for those that are, and
// for a model that is closed. When all runners are busy it waits, and holds nothing that
// others wait for. Follows the call of what torch._inductor.aoti_load_package returns.
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
		// Also where no input says its Type: compiled code takes the address as it is.
		if d := t.Device(); d.Type() != m.device.Type() || m.device.IsCUDA() && d != m.device {
			panic(torch.NewError(op, torch.ErrDevice, fmt.Sprintf("inputs[%d]", i), fmt.Sprintf("expected a tensor on %v, got one on %v", m.device, d)))
		}
	}
	// The library would block a thread here, and may block all of them for ever: a first
	// call folds constants, which needs a moment without others that wait for its runner.
	m.slots <- struct{}{}
	defer func() { <-m.slots }()
	m.mu.RLock()
	defer m.mu.RUnlock()
	m.open(op)
	if len(m.missing) > 0 {
		panic(torch.NewError(op, torch.ErrValue, "m", fmt.Sprintf("the package has no constants %.200q: LoadConstants gives them", slices.Sorted(maps.Keys(m.missing)))))
	}
	r := torch.BeginRaw(op, inputs...)
	results, st := native.Run(r.Ctx, m.raw, handles)
	r.Status(st)
	return r.WrapAll(results)
}

// open panics if the model is closed. Its lock is held.
func (m *Model) open(op string) {
	if m.raw == 0 {
		panic(torch.NewError(op, torch.ErrClosed, "m", "used after Close"))
	}
}
