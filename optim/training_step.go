package optim

import (
	"fmt"
	"reflect"

	"github.com/gotorch/gotorch/internal/embedded"
	"github.com/gotorch/gotorch/internal/native/goroutine"
	"github.com/gotorch/gotorch/internal/native/recording"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// A GraphedOption is an argument of [GraphedStep]: [BeforeStep], [Accumulate] or [GraphOptions].
//
//gotorch:options BeforeStep Accumulate GraphOptions
type GraphedOption interface{ graphedOption() }

// BeforeStep is a function that [GraphedStep] calls after the backward pass and before the
// optimizer's step, for example to clip gradients:
//
//	optim.BeforeStep(func() { nnutil.ClipGradNorm_(model.Parameters(), 1) })
//
// A nil function panics with ErrNil.
type BeforeStep func()

// Accumulate is the number of batches per optimizer step. A [GraphedStep] with
// Accumulate(n) steps the optimizer only on every n-th call, with the mean of the
// gradients of n batches: it divides each loss by n before the backward pass. An
// incomplete round continues with the next calls, unless a call panics. The default is 1;
// a number below 1 panics with ErrValue.
type Accumulate int

// GraphOptions are the options that a [GraphedStep] passes to [torch.CaptureByShape].
// torch.Optimize panics with ErrValue.
type GraphOptions []torch.GraphsOption

// TrainingStep is a training step that runs as a graph. [GraphedStep] makes it. Any goroutine may
// use it; calls run one at a time.
type TrainingStep struct {
	mu                          goroutine.Mutex // held during a Call; guards callsInRound
	graphs                      *torch.Graphs
	loss                        func(batch []*torch.Tensor) *torch.Tensor
	optimizer                   Optimizer
	beforeStep                  BeforeStep
	callsPerRound, callsInRound int // calls per round, and calls made so far in the current round
}

// GraphedStep returns a training step that runs as a graph. The step clears the
// gradients, computes the loss of a batch, runs the backward pass and steps the
// optimizer.
//
//	step := optim.GraphedStep(func(batch []*torch.Tensor) *torch.Tensor {
//		return criterion.Forward(model.Forward(batch[0]), batch[1])
//	}, opt)
//	defer step.Close()
//	for batch := range batches {
//		loss := step.Call(batch.X, batch.Y)
//	}
//
// The first three calls for each shape of batch run the step normally. Later calls replay
// a graph of the step and compute the same numbers. A replay uses the current learning
// rates, so a scheduler can step after a call. See [torch.CaptureByShape] for steps that
// cannot be captured. GraphedStep panics with ErrNil for a nil function, optimizer or
// option, with ErrValue for an invalid option, and as CaptureByShape does.
//
// The step does not use an amp.GradScaler. If the loss function scales the loss, the
// optimizer must be the program's own type, and its Step must call the scaler's Step and
// Update. For an optimizer of this package, and for a type that inherits its Step, Call
// panics with ErrRuntime.
func GraphedStep(loss func(batch []*torch.Tensor) *torch.Tensor, o Optimizer, opts ...GraphedOption) *TrainingStep {
	const op = "optim.GraphedStep"
	if loss == nil {
		panic(torch.NilFunc(op, "loss"))
	}
	if opt.IsNil(o) {
		panic(torch.NewError(op, torch.ErrNil, "o", "a nil optimizer"))
	}
	s := &TrainingStep{loss: loss, optimizer: o, callsPerRound: 1}
	var graphs []torch.GraphsOption
	for _, option := range opts {
		switch v := option.(type) {
		case BeforeStep:
			if s.beforeStep = v; v == nil {
				panic(torch.NilFunc(op, "BeforeStep"))
			}
		case Accumulate:
			if s.callsPerRound = int(v); v < 1 {
				panic(torch.NewError(op, torch.ErrValue, "Accumulate",
					fmt.Sprintf("expected 1 or more batches, got %d", int(v))))
			}
		case GraphOptions:
			graphs = v
			for _, g := range v {
				if _, ok := g.(torch.Optimize); ok {
					panic(torch.NewError(op, torch.ErrValue, "GraphOptions",
						"Optimize: a training step cannot be optimized for inference"))
				}
			}
		default:
			panic(torch.BadOption(op, v))
		}
	}
	s.graphs = torch.CaptureByShape(s.step, graphs...)
	return s
}

// step runs a step without a graph. CaptureByShape makes a separate graph for each position in a
// round.
func (s *TrainingStep) step(batch []*torch.Tensor) []*torch.Tensor {
	first, last := s.callsInRound == 0, s.callsInRound == s.callsPerRound-1
	recording.Current().Watch(s, func() func() string {
		return func() string {
			if first != (s.callsInRound == 0) || last != (s.callsInRound == s.callsPerRound-1) {
				return "the batch has a different position in its round of accumulation than the captured batch"
			}
			return ""
		}
	})
	if first {
		s.optimizer.ZeroGrad()
	}
	var loss *torch.Tensor
	if recording.WatchScaling(func() { loss = s.loss(batch) }) {
		s.mustUnscale()
	}
	if s.callsPerRound == 1 {
		loss.Backward()
	} else {
		loss.DivScalar(s.callsPerRound).Backward()
	}
	if last {
		if s.beforeStep != nil {
			s.beforeStep()
		}
		s.optimizer.Step()
	}
	return []*torch.Tensor{loss}
}

// mustUnscale panics for a scaled loss if the optimizer steps without the scaler.
func (s *TrainingStep) mustUnscale() {
	if o, ok := s.optimizer.(interface{ isOuter(o Optimizer) bool }); ok && (o.isOuter(s.optimizer) ||
		inheritsStep(s.optimizer)) {
		panic(&torch.Error{
			Op: "optim.GraphedStep", Kind: torch.ErrRuntime,
			Message: "the loss is scaled, but the step of the optimizer does not divide the gradients by the scale " +
				"or look for infinities",
			Remedy: "pass an optimizer whose Step calls the scaler's Step and Update, or capture the step with " +
				"torch.CaptureByShape",
		})
	}
}

// inheritsStep reports whether o inherits Step from an optimizer of this package that it embeds.
func inheritsStep(o Optimizer) bool {
	return embedded.NoDeeper(reflect.TypeOf(o),
		func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("StepScaled") },
		func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("Step") })
}

// isOuter reports whether o is the optimizer that embeds b, and not a program's own type
// that wraps that optimizer.
func (b *Base) isOuter(o Optimizer) bool { return b.outer == o }

// Call runs the step on a batch, which it passes to the loss function, and returns the
// loss. The loss is a new tensor without an autograd graph, and belongs to the innermost
// scope. It panics as [torch.Graphs.Call] does. With [Accumulate], a call that panics
// ends the round: the next call drops the gradients so far and begins a new round.
func (s *TrainingStep) Call(batch ...*torch.Tensor) *torch.Tensor {
	s.mustBeMade("Call")
	if !s.mu.Lock() {
		panic(torch.NewError("optim.TrainingStep.Call", torch.ErrRuntime, "receiver", "the step calls itself"))
	}
	defer s.mu.Unlock()
	next := 0 // if the call fails, the gradients of this batch may have been added
	defer func() { s.callsInRound = next }()
	loss := s.graphs.Call(batch...)[0]
	next = (s.callsInRound + 1) % s.callsPerRound
	return loss
}

// Len returns the number of graphs, including those being recorded.
func (s *TrainingStep) Len() int {
	s.mustBeMade("Len")
	return s.graphs.Len()
}

// Refused returns the reasons why steps run without a graph, each reason once. gotorch
// has printed a warning for each.
func (s *TrainingStep) Refused() []string {
	s.mustBeMade("Refused")
	return s.graphs.Refused()
}

// Close frees all graphs. It waits for a running call. If it is called inside a call, it returns
// ErrRuntime. Closing twice, or closing a nil step, does nothing.
func (s *TrainingStep) Close() error {
	if s == nil {
		return nil
	}
	return s.graphs.Close()
}

// mustBeMade panics with ErrNil for a step that GraphedStep did not make.
func (s *TrainingStep) mustBeMade(method string) {
	if s == nil || s.graphs == nil {
		panic(torch.NewError("optim.TrainingStep."+method, torch.ErrNil, "receiver",
			"expected a TrainingStep that GraphedStep returned"))
	}
}
