package amp

import (
	"fmt"
	"reflect"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/internal/embedded"
	"github.com/gotorch/gotorch/internal/native/recording"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aten"
	"github.com/gotorch/gotorch/torch/cuda"
)

// GradScaler multiplies losses by a scale, so that float16 gradients do not become zero,
// and divides gradients by the scale before the optimizer's step. If a gradient has an
// infinity or NaN, it skips the step and reduces the scale. After a number of good steps
// it increases the scale. [NewGradScaler] makes one. A GradScaler must not be used by
// several goroutines at once. As in Python, it waits for the device in steps of
// optimizers that are not fused, and when the scale is read. Follows
// torch.amp.GradScaler.
type GradScaler struct {
	cuda    bool
	enabled bool

	// scale and tracker are zero-dimensional tensors of dtype float32 and int32. The
	// first call of Scale creates them.
	scale, tracker *torch.Tensor
	initScale      float64
	initTracker    int64

	growth, backoff float64
	interval        int

	optimizers map[optim.Optimizer]*optimizerState
}

// stage is the last thing that the scaler did for an optimizer since the last Update.
type stage int

const (
	ready stage = iota
	unscaled
	stepped
)

type optimizerState struct {
	stage stage
	// inf holds, for each device, a tensor that is 1 if a gradient on the device is not
	// finite. The scaler owns the tensors.
	inf map[torch.Device]*torch.Tensor
}

// NewGradScaler returns a scaler for losses on devices of [Device]'s type: CUDA, the
// default, or the CPU. A scaler for CUDA prints a warning and is disabled if there is no
// CUDA device. A disabled scaler, for example with Enabled(false), does nothing: Scale
// returns its argument and Step only steps the optimizer. It panics with ErrDevice for
// any other device, with ErrValue for a growth factor that is not above 1 or a backoff
// factor that is not below 1, and with ErrNil for a nil option. Close is optional.
// Follows torch.amp.GradScaler.
func NewGradScaler(opts ...ScalerOption) *GradScaler {
	const op = "amp.NewGradScaler"
	dev := torch.CUDA
	s := &GradScaler{
		enabled: true, initScale: 65536, growth: 2, backoff: 0.5, interval: 2000,
		optimizers: map[optim.Optimizer]*optimizerState{},
	}
	for _, o := range opts {
		switch o := o.(type) {
		case Device:
			if dev = torch.CUDA; o != 0 {
				dev = torch.Device(o)
			}
		case InitScale:
			s.initScale = float64(o)
		case GrowthFactor:
			s.growth = float64(o)
		case BackoffFactor:
			s.backoff = float64(o)
		case GrowthInterval:
			s.interval = int(o)
		case Enabled:
			s.enabled = bool(o)
		default:
			panic(torch.BadOption(op, o))
		}
	}
	s.cuda = columnsOf(op, dev).cuda
	if s.enabled && s.cuda && !cuda.IsAvailable() {
		cgotorch.Warn("torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.")
		s.enabled = false
	}
	if s.enabled && !(s.growth > 1) {
		panic(torch.NewError(op, torch.ErrValue, "GrowthFactor", fmt.Sprintf("expected more than 1, got %v", s.growth)))
	}
	if s.enabled && !(s.backoff < 1) {
		panic(torch.NewError(op, torch.ErrValue, "BackoffFactor",
			fmt.Sprintf("expected less than 1, got %v", s.backoff)))
	}
	return s
}

// Scale returns output, a loss of any shape, times the scale. The result is a new tensor
// through which gradients flow to output. A disabled scaler returns output itself. The
// first call creates the scale, on output's device. It panics with ErrNil or ErrClosed
// for a nil or closed tensor. Follows GradScaler.scale.
func (s *GradScaler) Scale(output *torch.Tensor) *torch.Tensor {
	const op = "amp.GradScaler.Scale"
	s.check(op)
	if !s.enabled {
		return output
	}
	output.HandleFor(op+"(output)", 0)
	recording.Scaled()
	if s.scale == nil {
		s.make(output.Device())
	}
	s.watch()
	if output.Device() == s.scale.Device() {
		return output.Mul(s.scale)
	}
	there := s.scale.To(output.Device(), torch.NonBlocking(true))
	defer there.Close()
	return output.Mul(there)
}

// ScaleAll is like [GradScaler.Scale] for several tensors, which may be on several
// devices. A disabled scaler returns the slice itself.
func (s *GradScaler) ScaleAll(outputs []*torch.Tensor) []*torch.Tensor {
	const op = "amp.GradScaler.ScaleAll"
	s.check(op)
	if !s.enabled {
		return outputs
	}
	torch.Handles(op+"(outputs)", outputs, false)
	scaled := make([]*torch.Tensor, len(outputs))
	for i, t := range outputs {
		scaled[i] = s.Scale(t)
	}
	return scaled
}

// watch makes the graph of a captured step check that the scaler has the settings and the scale of
// the capture, which a replay uses. LoadStateDict and Update write to the tensor of the scale, so
// a replay uses the new scale.
func (s *GradScaler) watch() {
	recording.Current().Watch(s, func() func() string {
		scale, growth, backoff, interval := s.scale, s.growth, s.backoff, s.interval
		return func() string {
			switch {
			case s.scale != scale:
				return "the GradScaler was closed since the step was captured"
			case s.growth != growth || s.backoff != backoff || s.interval != interval:
				return fmt.Sprintf("the GradScaler has the growth factor %v, the backoff factor %v and the growth "+
					"interval %d, but had %v, %v and %d when the step was captured", s.growth, s.backoff, s.interval,
					growth, backoff, interval)
			}
			return ""
		}
	})
}

// make creates the scale and the number of consecutive good steps as tensors.
func (s *GradScaler) make(dev torch.Device) {
	torch.NoGrad(func() {
		tracker := torch.Full(nil, s.initTracker, torch.Int32, dev)
		scale := torch.Full(nil, s.initScale, torch.Float32, dev)
		s.scale, s.tracker = torch.Disown(scale), torch.Disown(tracker)
	})
}

// Step steps the optimizer, unless a gradient is infinite or NaN. It first divides the
// gradients by the scale, unless Unscale_ has already divided them. If the optimizer was
// made with Fused(true), the step itself divides and checks them, without waiting for the
// device. If opt is a struct that embeds an optimizer and declares Step again, the scaler
// calls this Step. A disabled scaler only calls opt.Step.
//
// It panics with ErrNil for a nil optimizer; with ErrRuntime if Scale has not been
// called before, if no parameter has a gradient, or if Step was already called for the
// optimizer since the last Update; with ErrDType for float16 gradients; and as opt.Step
// does. Steps with a closure are not supported. Follows GradScaler.step.
func (s *GradScaler) Step(opt optim.Optimizer) {
	const op = "amp.GradScaler.Step"
	s.checkOptimizer(op, opt)
	if !s.enabled {
		opt.Step()
		return
	}
	s.begun(op)
	s.watch()
	st := s.state(opt)
	if st.stage == stepped {
		panic(torch.NewError(op, torch.ErrRuntime, "opt", "Step was already called since the last Update"))
	}
	var f scaled
	inOneCall, recorded := fused(opt), recording.Current() != nil
	if inOneCall || recorded {
		f = scaledOf(opt)
	}
	if f != nil && inOneCall {
		s.stepFused(op, opt, f, st)
		st.stage = stepped
		return
	}
	if st.stage == ready {
		s.unscale(op, opt, st)
	}
	if len(st.inf) == 0 {
		panic(torch.NewError(op, torch.ErrRuntime, "opt", "no parameter of the optimizer has a gradient"))
	}
	// During the recording of a step, the gradients cannot be checked here. The recorded
	// step checks them in each replay.
	if f != nil && recorded {
		s.stepWhere(f, st, nil)
	} else if finite(st.inf) {
		opt.Step()
	} else if skip, ok := opt.(interface{ SkipStep() }); ok {
		skip.SkipStep()
	}
	st.stage = stepped
}

// scaled is implemented by the optimizers of package optim.
type scaled interface {
	StepScaled(scale, foundInf *torch.Tensor)
}

// scaledOf returns opt if its StepScaled performs its step, and otherwise nil. A struct that embeds
// an optimizer may declare Step again. The StepScaled that it inherits does not know this Step.
func scaledOf(opt optim.Optimizer) scaled {
	if f, ok := opt.(scaled); ok && embedded.NoDeeper(reflect.TypeOf(opt), findStepScaled, findStep) {
		return f
	}
	return nil
}

func findStep(t reflect.Type) (reflect.Method, bool)       { return t.MethodByName("Step") }
func findStepScaled(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("StepScaled") }

// fused reports whether the optimizer was made with Fused(true). Its kernels then
// divide the gradients by the scale.
func fused(opt optim.Optimizer) bool {
	for _, g := range opt.ParamGroups() {
		if v, _ := g.Get("fused"); v == true {
			return true
		}
	}
	return false
}

func (s *GradScaler) stepFused(op string, opt optim.Optimizer, f scaled, st *optimizerState) {
	scale := s.scale
	torch.Scope(func() {
		if st.stage == ready {
			// Only check for infinities; divide by 1.
			one := torch.Full(nil, 1.0, torch.Float32, s.scale.Device())
			s.divide(op, opt, st, one, true)
		} else {
			scale = nil // Unscale_ has divided already
		}
		s.stepWhere(f, st, scale)
	})
}

// stepWhere steps an optimizer that itself skips the step if a gradient is not finite.
func (s *GradScaler) stepWhere(f scaled, st *optimizerState, scale *torch.Tensor) {
	torch.Scope(func() {
		var inf *torch.Tensor
		for _, t := range st.inf {
			t = t.To(s.scale.Device(), torch.NonBlocking(true))
			if inf != nil {
				t = inf.Add(t)
			}
			inf = t
		}
		f.StepScaled(scale, inf)
	})
}

// Update increases or reduces the scale, depending on the steps since the last Update.
// Call it at the end of an iteration, after the steps of all optimizers. It does not
// wait for the device. [NewScale] or [NewScaleTensor] sets the scale instead. A disabled
// scaler does nothing. It panics with ErrRuntime if Scale has not been called before, or
// if there was neither a step nor a new scale; with ErrValue for an invalid new scale;
// and with ErrNil for a nil option. Follows GradScaler.update.
func (s *GradScaler) Update(opts ...UpdateOption) {
	const op = "amp.GradScaler.Update"
	s.check(op)
	var set func()
	for _, o := range opts {
		switch o := o.(type) {
		case NewScale:
			set = func() { s.scale.Fill_(float64(o)) }
		case newScaleTensor:
			set = nil
			if o.t != nil && s.enabled {
				s.checkNewScale(op, o.t)
				set = func() { s.scale.Copy_(o.t.Reshape()) }
			}
		default:
			panic(torch.BadOption(op, o))
		}
	}
	if !s.enabled {
		return
	}
	s.begun(op)
	s.watch()
	if set == nil {
		set = func() { s.adapt(op) }
	}
	torch.NoGrad(func() { torch.Scope(set) })
	s.forget()
}

func (s *GradScaler) checkNewScale(op string, t *torch.Tensor) {
	if t.Device().IsCUDA() != s.cuda || t.Numel() != 1 || t.RequiresGrad() {
		panic(torch.NewError(op, torch.ErrValue, "NewScaleTensor",
			fmt.Sprintf("expected one element without gradient on the scaler's device type, got shape %v on %v",
				t.Shape(), t.Device())))
	}
}

// adapt changes the scale depending on the results of all optimizers.
func (s *GradScaler) adapt(op string) {
	var found *torch.Tensor
	for _, st := range s.optimizers {
		for _, inf := range st.inf {
			inf = inf.To(s.scale.Device(), torch.NonBlocking(true))
			if found != nil {
				inf = found.Add(inf)
			}
			found = inf
		}
	}
	if found == nil {
		panic(&torch.Error{
			Op: op, Kind: torch.ErrRuntime,
			Message: "no step since the last Update has checked for infinities",
		})
	}
	aten.UnderAmpUpdateScale_(s.scale, s.tracker, found, s.growth, s.backoff, int64(s.interval))
}

func (s *GradScaler) forget() {
	for opt, st := range s.optimizers {
		st.close()
		delete(s.optimizers, opt)
	}
}

func (st *optimizerState) close() {
	for dev, t := range st.inf {
		_ = t.Close()
		delete(st.inf, dev)
	}
}

// Close frees the scale and the state of optimizers. If the scaler is used afterwards, it starts
// again with its initial scale. Close always returns nil, and closing again does nothing.
func (s *GradScaler) Close() error {
	if s == nil {
		return nil
	}
	s.forget()
	_, _ = s.scale.Close(), s.tracker.Close()
	s.scale, s.tracker = nil, nil
	return nil
}

// check panics with ErrNil unless NewGradScaler made s.
func (s *GradScaler) check(op string) {
	if s == nil || s.optimizers == nil {
		panic(torch.NewError(op, torch.ErrNil, "receiver", "the GradScaler was not made by NewGradScaler"))
	}
}

func (s *GradScaler) checkOptimizer(op string, o optim.Optimizer) {
	s.check(op)
	if opt.IsNil(o) {
		panic(torch.NewError(op, torch.ErrNil, "opt", "expected an optimizer, got nil"))
	}
}

// begun panics if Scale has not been called yet.
func (s *GradScaler) begun(op string) {
	if s.scale == nil {
		panic(&torch.Error{
			Op: op, Kind: torch.ErrRuntime,
			Message: "nothing was scaled yet; call Scale(loss) earlier in the iteration",
		})
	}
}

func (s *GradScaler) state(opt optim.Optimizer) *optimizerState {
	st := s.optimizers[opt]
	if st == nil {
		st = &optimizerState{inf: map[torch.Device]*torch.Tensor{}}
		s.optimizers[opt] = st
	}
	return st
}

// finite waits for the devices and reports whether all gradients are finite.
func finite(inf map[torch.Device]*torch.Tensor) bool {
	sum := 0.0
	for _, t := range inf {
		sum += t.Item()
	}
	return sum == 0
}
