package optim

import (
	native "github.com/gotorch/gotorch/cgotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// rule describes one optimizer of this package.
type rule struct {
	name          string
	states        []string                               // names of all state tensors, in the order of package native
	defaults      []Option                               // in the order of Python's dict
	checkSettings func(s settings) (arg, problem string) // checks ranges, and settings that depend on each other
	paramProblem  func(p *torch.Tensor) (problem string) // says why the optimizer rejects a parameter
	// fillSettings copies the optimizer's own settings; readSettings copies the settings
	// common to all optimizers. fillSettings uses number, flag and pair, because exported
	// getters panic while a step is captured.
	fillSettings func(g *ParamGroup, o *native.Settings)
	locked       []string // names of settings that Set, AddParamGroup and LoadStateDict cannot change
	intStep      bool     // the step count is an int in Python's state dict
}

// newBaseFor makes the base of the optimizer that r describes.
func newBaseFor(r *rule, params []*torch.Tensor, opts []Option) *Base {
	b := &Base{name: r.name, rule: r, stepOp: r.name + ".Step"}
	b.init(params, r.defaults, opts)
	return b
}

// settingsProblem reports settings that are invalid together or not supported:
// capturable, differentiable, both foreach and fused, or a problem that the optimizer's
// own check finds.
func (r *rule) settingsProblem(s settings) (arg, problem string) {
	if s.flag("capturable") {
		return "capturable", "expected false: this optimizer's steps cannot be captured in CUDA graphs"
	}
	if s.flag("differentiable") {
		return "differentiable", "expected false: autograd cannot record a step, which is one call into libtorch"
	}
	if s.flag("foreach") && s.flag("fused") {
		return "fused", "foreach and fused cannot both be true"
	}
	if r.checkSettings == nil {
		return "", ""
	}
	return r.checkSettings(s)
}

// pyDefault is a default value that no option of this package can express.
type pyDefault struct {
	name  string
	value any
}

func (d pyDefault) Setting() (string, any) { return d.name, d.value }

// unsupported returns the default, false, of a flag that must be false in this package.
func unsupported(name string) pyDefault { return pyDefault{name, false} }
