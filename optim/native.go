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

// rule is what the optimizers of this package differ in.
type rule struct {
	name      string
	optimizer native.Optimizer
	states    []string                                // in the order of package native
	defaults  []Option                                // in the order of Python's dict
	check     func(s settings) (arg, problem string)  // settings out of range, or that contradict each other
	param     func(p *torch.Tensor) (problem string)  // parameters that it does not take
	fill      func(g *ParamGroup, o *native.Settings) // its settings besides lr, weight_decay, eps and maximize
	locked    []string                                // settings that cannot be chosen
	intStep   bool                                    // the count of steps is an int in Python's state dict
}

// contradiction says what is wrong with settings that each are right: the
// implementations that there are not, two of them at once, and what the
// optimizer's own check says.
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

// within checks that a number is in a range. NaN is in none.
func (s settings) within(name string, low, high float64) (arg, problem string) {
	if v := s.find(name).num[0]; !(v >= low && v <= high) {
		return name, fmt.Sprintf("expected a number from %v to %v, got %v", low, high, v)
	}
	return "", ""
}

// stepper has the steps of the optimizers of this package.
type stepper struct{ *Base }

// build makes an optimizer of a rule.
func build(r *rule, params []*torch.Tensor, opts []Option) stepper {
	b := &Base{name: r.name, rule: r, states: r.states, check: r.contradiction, locked: r.locked, stepping: r.name + ".Step"}
	b.init(params, r.defaults, opts)
	return stepper{b}
}

// Step changes every parameter that has a gradient.
//
// It panics with ErrClosed after Close and for a closed parameter; with
// ErrValue for a parameter that is in Params twice, and for parameters or state
// that are not dense, are on the meta device or are expanded; with ErrRuntime
// for sparse gradients, which only SGD, Adagrad and SparseAdam take, and dense
// ones of SparseAdam; with ErrType or ErrRuntime for a parameter whose dtype
// or device changed after its state was made; and with ErrOutOfMemory. The group
// for which it panics is unchanged; the groups before it have done their step.
// For a closed parameter, or one given twice, no group has.
//
// If there is no room for new state, the group is unchanged too. If there is none
// for what a step computes with, the group may have changed in part: parameters,
// their state, or both. The error says so; do not make the step again, but load a
// checkpoint. A step with [Fused](true) of parameters of one dtype, device and
// memory format needs room for new state alone, and can be made again.
func (s stepper) Step() { s.StepScaled(nil, nil) }

// StepScaled is Step for scaled gradients, as in mixed precision. It divides
// them by the single element of scale, and changes nothing if the single
// element of foundInf is 1. Either may be nil. Both are float32 tensors on the
// device of the parameters. Without [Fused], the gradients themselves are
// divided first and the step waits for foundInf, as Python's GradScaler does.
// It panics as Step does, and with ErrValue or ErrType if scale or foundInf has
// more than one element or is not float32.
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

// StepClosure computes the loss and its gradients with the closure, makes a step
// and returns the loss, which the closure made. The closure runs with gradients
// enabled. It panics with ErrNil for a nil closure, and as Step does.
// Follows Optimizer.step(closure).
func (s stepper) StepClosure(closure func() *torch.Tensor) *torch.Tensor {
	b := s.Base
	b.open("StepClosure")
	if closure == nil {
		panic(torch.NilFunc(b.name+".StepClosure", "closure"))
	}
	return b.Run(s.self(), closure, func() { b.step(nil, nil) })
}

// self is the optimizer as hooks see it.
func (s stepper) self() Optimizer { return s.Base.whole }

// step makes a step of every group in package native, which reads the settings
// before the crossing begins, where nothing may panic. Nothing changes before
// all parameters have proved to be open, and no two the same.
func (b *Base) step(scale, foundInf *torch.Tensor) {
	op := b.stepping
	b.unrecorded(op)
	s, inf := scale.OptionalHandleFor("Step(grad_scale, found_inf)", 0), foundInf.OptionalHandleFor("Step(grad_scale, found_inf)", 1)
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

// read puts the settings of a group where a step takes them from.
func (b *Base) read(g *ParamGroup) {
	b.reading = true
	defer func() { b.reading = false }()
	g.now = native.Settings{LR: g.LR(), WeightDecay: g.optional("weight_decay"), Maximize: g.flag("maximize"), Eps: g.optional("eps")}
	b.rule.fill(g, &g.now)
}

// unrecorded panics if the step would be recorded for a graph by an optimizer that counts its
// steps on the CPU: a replay would repeat the number that the recording saw. Follows
// Optimizer._cuda_graph_capture_health_check.
func (b *Base) unrecorded(op string) {
	if !cuda.IsCurrentStreamCapturing() {
		return
	}
	for _, g := range b.groups {
		if e := g.settings.find("capturable"); e != nil && e.v != true {
			panic(torch.NewError(op, torch.ErrRuntime, "capturable", "is false, and a graph is being recorded, whose replays would repeat this step's number: make the step after the replay"))
		}
	}
}

func (b *Base) stepGroup(op string, g *ParamGroup) {
	optimizer := b.rule.optimizer
	r := torch.BeginRaw(op, g.used...)
	recorded, st := native.Step(r.Ctx, optimizer, &g.native, &g.now, &g.how)
	b.finish(r, g, st)
	if recorded != 0 {
		recording.Current().BeforeReplay(b.feed(op, g, recorded))
	}
}

// feed returns what a graph calls before each replay: a schedule goes on meanwhile, and the
// graph has the tensors of the time when it was captured.
func (b *Base) feed(op string, g *ParamGroup, recorded native.Recorded) func() {
	groups, how, keeps := len(b.groups), g.how, keepsOf(&g.now)
	params, state := slices.Clone(g.native.Params), slices.Clone(g.native.State)
	hooks := b.stepHooks()
	return func() {
		b.open("Step")
		if !slices.EqualFunc(hooks, b.stepHooks(), slices.Equal) {
			panic(&torch.Error{Op: op, Kind: torch.ErrValue, Message: "the optimizer has other hooks than when its step was captured, which a replay would not run; capture the step again"})
		}
		if len(b.groups) == groups {
			g.prepare(op)
		}
		if len(b.groups) != groups || !slices.Equal(params, g.native.Params) || !slices.Equal(state, g.native.State) ||
			how.Foreach != g.choice("foreach") || how.Fused != g.choice("fused") {
			panic(&torch.Error{Op: op, Kind: torch.ErrValue, Message: "the optimizer has other groups, parameters, state or implementations than when its step was captured; capture the step again"})
		}
		b.read(g)
		if keepsOf(&g.now) != keeps {
			panic(&torch.Error{Op: op, Kind: torch.ErrValue, Message: "the optimizer's settings ask for other state (momentum, amsgrad, centered) than when its step was captured; capture the step again"})
		}
		recorded.Feed(&g.now)
	}
}

// stepHooks are those that a step runs.
func (b *Base) stepHooks() [][]*Hook {
	return [][]*Hook{globalPre.all(), b.hooks.pre.all(), b.hooks.post.all(), globalPost.all()}
}

// keeps is what settings ask an optimizer to keep for each parameter besides what it always keeps.
type keeps struct{ momentum, amsgrad, centered bool }

func keepsOf(s *native.Settings) keeps { return keeps{s.Momentum != 0, s.Amsgrad, s.Centered} }

// finish ends the crossing of a step, whose state is kept also if it failed.
func (b *Base) finish(r torch.Raw, g *ParamGroup, st abi.Status) {
	if st != 0 {
		defer g.adopt(r)
		panic(inPart(torch.Try(func() { r.Status(st) }), g))
	}
	r.Status(st)
	g.adopt(r)
}

// inPart is the error of a step that may have changed a part of its group.
func inPart(err error, g *ParamGroup) error {
	var e *torch.Error
	if g.how.Fused > 0 || !errors.Is(err, torch.ErrOutOfMemory) || !errors.As(err, &e) {
		return err
	}
	told := *e
	told.Message += "; a part of this group's parameters and state may have changed: load a checkpoint before the next step"
	return &told
}

// choice is None, false or true as the native half takes it. A setting that the
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

// optional is a number, 0 where the optimizer has no such setting.
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
