package optim

import (
	"errors"

	"github.com/gotorch/gotorch/cgotorch/abi"
	native "github.com/gotorch/gotorch/cgotorch/optim"
	"github.com/gotorch/gotorch/internal/native/recording"
	"github.com/gotorch/gotorch/torch"
)

// stepper implements the step methods of this package's optimizers.
type stepper struct{ *Base }

func newStepper(r *rule, params []*torch.Tensor, opts []Option) stepper {
	return stepper{newBaseFor(r, params, opts)}
}

// Step updates every parameter that has a gradient.
//
// It panics with ErrClosed after Close and for a closed parameter. It panics with ErrValue for a
// duplicate in Params, and for parameters or state that are not dense, are on the meta device or
// are expanded. It panics with ErrRuntime for sparse gradients, except in SGD, Adagrad and
// SparseAdam, and for dense gradients in SparseAdam. It panics with ErrType or ErrRuntime for a
// parameter whose dtype or device changed after its state was made.
//
// If Step panics in one group, that group is unchanged, and earlier groups have completed their
// step. For a closed or duplicate parameter, all groups are unchanged.
//
// If memory for new state runs out, Step panics with ErrOutOfMemory and the group is
// unchanged. If memory for intermediate results runs out, parameters and state of the
// group may be partly updated, and the error says so: load a checkpoint instead of
// repeating the step. A step with [Fused](true) on parameters of one dtype, device
// and memory format allocates only new state and can always be repeated.
func (s stepper) Step() { s.StepScaled(nil, nil) }

// StepScaled is Step for scaled gradients, as in mixed precision. It divides the gradients by the
// single element of scale. If the single element of foundInf is 1, it changes nothing. Either may
// be nil. Both are float32 tensors on the device of the parameters. Without [Fused], StepScaled
// divides the gradients in place and waits for foundInf, as Python's GradScaler does. It panics as
// Step does, and with ErrValue or ErrType if scale or foundInf has more than one element or is not
// float32.
func (s stepper) StepScaled(scale, foundInf *torch.Tensor) {
	b := s.Base
	b.mustBeOpen("Step")
	b.stepped.Store(true)
	if b.hasHooks() {
		b.runStep(b.outer, func() { b.step(scale, foundInf) })
		return
	}
	b.step(scale, foundInf)
}

// StepClosure calls the closure to compute the loss and its gradients, takes a step and
// returns the loss. The closure runs with gradients enabled. It panics with ErrNil for a
// nil closure, and as Step does. Follows Optimizer.step(closure).
func (s stepper) StepClosure(closure func() *torch.Tensor) *torch.Tensor {
	b := s.Base
	b.mustBeOpen("StepClosure")
	if closure == nil {
		panic(torch.NilFunc(b.name+".StepClosure", "closure"))
	}
	return b.Run(b.outer, closure, func() { b.step(nil, nil) })
}

// step runs the native step of every group. It reads a group's settings before the
// group's native call begins, because nothing may panic during the call. Before any
// change it checks that all parameters are open and distinct.
func (b *Base) step(scale, foundInf *torch.Tensor) {
	op := b.stepOp
	b.mustNotCapture(op)
	const scaled = "StepScaled(scale, foundInf)"
	s, inf := scale.OptionalHandleFor(scaled, 0), foundInf.OptionalHandleFor(scaled, 1)
	for _, g := range b.groups {
		g.prepare(op)
	}
	if !b.distinct {
		b.mustBeDistinct(op)
		b.distinct = true
	}
	for _, g := range b.groups {
		g.argTensors = append(g.argTensors, scale, foundInf)
		g.stepArgs = native.How{Foreach: g.tristate("foreach"), Fused: g.tristate("fused"), GradScale: s, FoundInf: inf}
		b.readSettings(g)
		b.stepGroup(op, g)
	}
}

// readSettings copies a group's settings to the arguments of its step.
func (b *Base) readSettings(g *ParamGroup) {
	g.stepSettings = native.Settings{
		LR: g.number("lr"), WeightDecay: g.optionalNumber("weight_decay"), Maximize: g.flag("maximize"),
		Eps: g.optionalNumber("eps"),
	}
	if fill := b.rule.fillSettings; fill != nil {
		fill(g, &g.stepSettings)
	}
}

func (b *Base) stepGroup(op string, g *ParamGroup) {
	if b.optimizer == 0 {
		b.optimizer = native.Find(b.rule.name)
	}
	r := torch.BeginRaw(op, g.argTensors...)
	recorded, st := native.Step(r.Ctx, b.optimizer, &g.native, &g.stepSettings, &g.stepArgs)
	b.finishStep(r, g, st)
	if recorded != 0 {
		recording.Current().BeforeReplay(b.replayFeeder(op, g, recorded))
	}
}

// finishStep ends the native call of a step. It stores new state even if the step failed.
func (b *Base) finishStep(r torch.Raw, g *ParamGroup, st abi.Status) {
	if st == 0 {
		r.Status(0)
		g.adopt(r)
		return
	}
	err := torch.Try(func() { r.Status(st) })
	g.adopt(r)
	panic(partialStepError(err, g))
}

// partialStepError extends the error of a step that may have changed part of its group.
func partialStepError(err error, g *ParamGroup) error {
	var e *torch.Error
	if g.stepArgs.Fused > 0 || !errors.Is(err, torch.ErrOutOfMemory) || !errors.As(err, &e) {
		return err
	}
	told := *e
	told.Message += "; a part of this group's parameters and state may have changed: load a checkpoint before the " +
		"next step"
	return &told
}

// tristate converts a flag for the native call: -1 for None or a setting that the optimizer does
// not have, 0 for false, and 1 for true.
func (g *ParamGroup) tristate(name string) int32 {
	e := g.settings.find(name)
	if e == nil || e.v == nil {
		return -1
	}
	if e.v == true {
		return 1
	}
	return 0
}

// optionalNumber returns a numeric setting, or 0 if the optimizer does not have it.
func (g *ParamGroup) optionalNumber(name string) float64 {
	if e := g.settings.find(name); e != nil && e.kind == number {
		return e.num[0]
	}
	return 0
}

// number returns a numeric setting that every group of the optimizer has. Unlike [ParamGroup.Float],
// it may be called while a step is captured: a captured step reads its settings again before each
// replay. The same holds for flag and pair.
func (g *ParamGroup) number(name string) float64 { return g.settings.find(name).num[0] }

func (g *ParamGroup) flag(name string) bool { return g.settings.flag(name) }

func (g *ParamGroup) pair(name string) (x, y float64) {
	e := g.settings.find(name)
	return e.num[0], e.num[1]
}
