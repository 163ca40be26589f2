package optim

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/cgotorch/abi"
	native "github.com/gotorch/gotorch/cgotorch/optim"
	"github.com/gotorch/gotorch/internal/native/recording"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/cuda"
)

// rule holds the differences between the optimizers of this package.
type rule struct {
	name     string
	states   []string                                // in the order of package native
	defaults []Option                                // in the order of Python's dict
	check    func(s settings) (arg, problem string)  // settings out of range, or that contradict each other
	param    func(p *torch.Tensor) (problem string)  // parameters that the optimizer refuses
	fill     func(g *ParamGroup, o *native.Settings) // the settings besides lr, weight_decay, eps and maximize
	locked   []string                                // settings that cannot be chosen
	intStep  bool                                    // the count of steps is an int in Python's state dict
}

// contradiction reports settings that are valid only individually: unsupported
// implementations, two implementations at once, and what the optimizer's own check
// finds.
func (r *rule) contradiction(s settings) (arg, problem string) {
	if s.flag("capturable") {
		return "capturable", "expected false: CUDA graphs cannot be captured here"
	}
	if s.flag("differentiable") {
		return "differentiable", "expected false: autograd does not see a step, which is one call into libtorch"
	}
	if s.flag("foreach") && s.flag("fused") {
		return "fused", "foreach and fused cannot both be true"
	}
	if r.check == nil {
		return "", ""
	}
	return r.check(s)
}

func (s settings) flag(name string) bool {
	e := s.find(name)
	return e != nil && e.v == true
}

// within reports whether a number is in a range. NaN is not.
func (s settings) within(name string, low, high float64) (arg, problem string) {
	if v := s.find(name).num[0]; !(v >= low && v <= high) {
		return name, fmt.Sprintf("expected a number from %v to %v, got %v", low, high, v)
	}
	return "", ""
}

// stepper has the step methods of the optimizers of this package.
type stepper struct{ *Base }

func build(r *rule, params []*torch.Tensor, opts []Option) stepper {
	b := &Base{
		name: r.name, rule: r, states: r.states, check: r.contradiction, locked: r.locked,
		stepping: r.name + ".Step",
	}
	b.init(params, r.defaults, opts)
	return stepper{b}
}

// Step updates every parameter that has a gradient.
//
// It panics with ErrClosed after Close and for a closed parameter. It panics with
// ErrValue for a duplicate in Params, and for parameters or state that are not dense,
// are on the meta device or are expanded. It panics with ErrRuntime for sparse
// gradients, which only SGD, Adagrad and SparseAdam accept, and for dense gradients
// of SparseAdam. It panics with ErrType or ErrRuntime for a parameter whose dtype or
// device changed after its state was made.
//
// The group for which Step panics is unchanged; earlier groups have completed their
// step. For a closed or duplicate parameter, all groups are unchanged.
//
// If memory for new state runs out, Step panics with ErrOutOfMemory and the group is
// unchanged. If memory for intermediate results runs out, parameters and state of the
// group may be partly updated, and the error says so: load a checkpoint instead of
// repeating the step. A step with [Fused](true) on parameters of one dtype, device
// and memory format allocates only new state and can always be repeated.
func (s stepper) Step() { s.StepScaled(nil, nil) }

// StepScaled is Step for scaled gradients, as in mixed precision. It divides the
// gradients by the single element of scale, and changes nothing if the single element
// of foundInf is 1. Either may be nil. Both are float32 tensors on the device of the
// parameters. Without [Fused], it divides the gradients in place and waits for
// foundInf, as Python's GradScaler does. It panics as Step does, and with ErrValue or
// ErrType if scale or foundInf has more than one element or is not float32.
func (s stepper) StepScaled(scale, foundInf *torch.Tensor) {
	b := s.Base
	b.open("Step")
	b.stepped.Store(true)
	if b.hooked() {
		b.runStep(s.self(), func() { b.step(scale, foundInf) })
		return
	}
	b.step(scale, foundInf)
}

// StepClosure calls the closure to compute the loss and its gradients, makes a step
// and returns the loss. The closure runs with gradients enabled. It panics with
// ErrNil for a nil closure, and as Step does. Follows Optimizer.step(closure).
func (s stepper) StepClosure(closure func() *torch.Tensor) *torch.Tensor {
	b := s.Base
	b.open("StepClosure")
	if closure == nil {
		panic(torch.NilFunc(b.name+".StepClosure", "closure"))
	}
	return b.Run(s.self(), closure, func() { b.step(nil, nil) })
}

// self returns the optimizer that hooks receive.
func (s stepper) self() Optimizer { return s.Base.whole }

// step makes a native step of every group. It reads the settings before the native
// call begins, because nothing may panic during the call. Before any change it checks
// that all parameters are open and distinct.
func (b *Base) step(scale, foundInf *torch.Tensor) {
	op := b.stepping
	b.unrecorded(op)
	s, inf := scale.OptionalHandleFor("Step(grad_scale, found_inf)", 0),
		foundInf.OptionalHandleFor("Step(grad_scale, found_inf)", 1)
	for _, g := range b.groups {
		g.prepare(op)
	}
	if !b.distinct {
		b.unique(op)
		b.distinct = true
	}
	for _, g := range b.groups {
		g.used = append(g.used, scale, foundInf)
		g.how = native.How{Foreach: g.choice("foreach"), Fused: g.choice("fused"), GradScale: s, FoundInf: inf}
		b.read(g)
		b.stepGroup(op, g)
	}
}

// read copies the settings of a group to where a step reads them.
func (b *Base) read(g *ParamGroup) {
	b.reading = true
	defer func() { b.reading = false }()
	g.now = native.Settings{
		LR: g.LR(), WeightDecay: g.optional("weight_decay"), Maximize: g.flag("maximize"),
		Eps: g.optional("eps"),
	}
	b.rule.fill(g, &g.now)
}

// unrecorded panics if the step would be recorded for a graph by an optimizer that
// counts its steps on the CPU: each replay would use the recorded count.
// Follows Optimizer._cuda_graph_capture_health_check.
func (b *Base) unrecorded(op string) {
	if !cuda.IsCurrentStreamCapturing() {
		return
	}
	for _, g := range b.groups {
		if e := g.settings.find("capturable"); e != nil && e.v != true {
			panic(torch.NewError(op, torch.ErrRuntime, "capturable",
				"is false, and a graph is being recorded, whose replays would repeat this step's number: make the "+
					"step after the replay"))
		}
	}
}

func (b *Base) stepGroup(op string, g *ParamGroup) {
	if b.optimizer == 0 {
		b.optimizer = native.Find(b.rule.name)
	}
	r := torch.BeginRaw(op, g.used...)
	recorded, st := native.Step(r.Ctx, b.optimizer, &g.native, &g.now, &g.how)
	b.finish(r, g, st)
	if recorded != 0 {
		recording.Current().BeforeReplay(b.feed(op, g, recorded))
	}
}

// feed returns a function that a graph calls before each replay to update the
// settings, which schedulers change, in the captured tensors.
func (b *Base) feed(op string, g *ParamGroup, recorded native.Recorded) func() {
	groups, how, keeps := len(b.groups), g.how, keepsOf(&g.now)
	params, state := slices.Clone(g.native.Params), slices.Clone(g.native.State)
	hooks := b.stepHooks()
	return func() {
		b.open("Step")
		if !slices.EqualFunc(hooks, b.stepHooks(), slices.Equal) {
			panic(&torch.Error{
				Op: op, Kind: torch.ErrValue,
				Message: "the optimizer has other hooks than when its step was captured, which a replay would not " +
					"run; capture the step again",
			})
		}
		if len(b.groups) == groups {
			g.prepare(op)
		}
		if len(b.groups) != groups || !slices.Equal(params, g.native.Params) || !slices.Equal(state, g.native.State) ||
			how.Foreach != g.choice("foreach") || how.Fused != g.choice("fused") {
			panic(&torch.Error{
				Op: op, Kind: torch.ErrValue,
				Message: "the optimizer has other groups, parameters, state or implementations than when its step " +
					"was captured; capture the step again",
			})
		}
		b.read(g)
		if keepsOf(&g.now) != keeps {
			panic(&torch.Error{
				Op: op, Kind: torch.ErrValue,
				Message: "the optimizer's settings ask for other state (momentum, amsgrad, centered) than when its " +
					"step was captured; capture the step again",
			})
		}
		recorded.Feed(&g.now)
	}
}

// stepHooks are the hooks that a step runs.
func (b *Base) stepHooks() [][]*Hook {
	return [][]*Hook{globalPre.all(), b.hooks.pre.all(), b.hooks.post.all(), globalPost.all()}
}

// keeps lists the state that settings add to an optimizer's usual state.
type keeps struct{ momentum, amsgrad, centered bool }

func keepsOf(s *native.Settings) keeps { return keeps{s.Momentum != 0, s.Amsgrad, s.Centered} }

// finish ends the native call of a step. It keeps new state even if the step failed.
func (b *Base) finish(r torch.Raw, g *ParamGroup, st abi.Status) {
	if st != 0 {
		defer g.adopt(r)
		panic(inPart(torch.Try(func() { r.Status(st) }), g))
	}
	r.Status(st)
	g.adopt(r)
}

// inPart returns the error of a step that may have changed part of its group.
func inPart(err error, g *ParamGroup) error {
	var e *torch.Error
	if g.how.Fused > 0 || !errors.Is(err, torch.ErrOutOfMemory) || !errors.As(err, &e) {
		return err
	}
	told := *e
	told.Message += "; a part of this group's parameters and state may have changed: load a checkpoint before the " +
		"next step"
	return &told
}

// choice converts None, false or true for the native call. A setting that the
// optimizer does not have is None.
func (g *ParamGroup) choice(name string) int32 {
	e := g.settings.find(name)
	if e == nil || e.v == nil {
		return -1
	}
	if e.v == true {
		return 1
	}
	return 0
}

// optional returns a number, or 0 if the optimizer has no such setting.
func (g *ParamGroup) optional(name string) float64 {
	if e := g.settings.find(name); e != nil && e.kind == number {
		return e.num[0]
	}
	return 0
}

func (g *ParamGroup) flag(name string) bool { return g.settings.flag(name) }

func (g *ParamGroup) pair(name string) (x, y float64) {
	e := g.settings.find(name)
	return e.num[0], e.num[1]
}
