package optim

import (
	native "github.com/gotorch/gotorch/cgotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// rule holds the differences between the optimizers of this package.
type rule struct {
	name          string
	states        []string                                // in the order of package native
	defaults      []Option                                // in the order of Python's dict
	checkSettings func(s settings) (arg, problem string)  // settings out of range, or that contradict each other
	paramProblem  func(p *torch.Tensor) (problem string)  // parameters that the optimizer refuses
	fillSettings  func(g *ParamGroup, o *native.Settings) // the settings besides lr, weight_decay, eps and maximize
	locked        []string                                // settings that cannot be chosen
	intStep       bool                                    // the count of steps is an int in Python's state dict
}

// settingsProblem reports settings that are valid only individually: unsupported
// implementations, two implementations at once, and what the optimizer's own check
// finds.
func (r *rule) settingsProblem(s settings) (arg, problem string) {
	if s.flag("capturable") {
		return "capturable", "expected false: CUDA graphs cannot be captured here"
	}
	if s.flag("differentiable") {
		return "differentiable", "expected false: autograd does not see a step, which is one call into libtorch"
	}
	if s.flag("foreach") && s.flag("fused") {
		return "fused", "foreach and fused cannot both be true"
	}
	if r.checkSettings == nil {
		return "", ""
	}
	return r.checkSettings(s)
}

// pyDefault is a default of Python that no option can express.
type pyDefault struct {
	name  string
	value any
}

func (d pyDefault) Setting() (string, any) { return d.name, d.value }

// unsupported returns the default of a flag of Python that cannot be true here.
func unsupported(name string) pyDefault { return pyDefault{name, false} }
