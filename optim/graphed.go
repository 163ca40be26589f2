package optim

import (
	"fmt"
	"sync"

	"github.com/gotorch/gotorch/internal/native/recording"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// A GraphedOption is an argument of [GraphedStep]: [BeforeStep], [Accumulate] or [GraphOptions].
//
//gotorch:options BeforeStep Accumulate GraphOptions
type GraphedOption interface{ graphedOption() }

// BeforeStep is what [GraphedStep] does between the backward pass and the step of the optimizer,
// where gradients are clipped:
//
//	optim.BeforeStep(func() { nnutil.ClipGradNorm_(model.Parameters(), 1) })
//
// A nil function is ErrNil.
type BeforeStep func()

// Accumulate has a [GraphedStep] step the optimizer at each n-th call alone, with the mean of
// the gradients of n batches: it divides the losses by n before their backward passes. Gradients of a
// round that is not complete wait for the next calls. The default is 1; a number below 1 is ErrValue.
type Accumulate int

// GraphOptions are options of the graphs that [torch.CaptureByShape] makes for a [GraphedStep].
type GraphOptions []torch.GraphsOption

// TrainingStep is a step of training that graphs run; [GraphedStep] makes one. Any goroutine may
// use it, one at a time: others wait.
type TrainingStep struct {
	mu     sync.Mutex
	graphs *torch.Graphs
	loss   func(batch []*torch.Tensor) *torch.Tensor
	o      Optimizer
	before BeforeStep
	n, i   int // calls of a round, and those that were made of the present one
}

// GraphedStep returns a training step that is run by graphs: it drops the gradients, computes
// the loss of a batch, runs the backward pass and steps the optimizer.
//
//	step := optim.GraphedStep(func(batch []*torch.Tensor) *torch.Tensor {
//		return criterion.Forward(model.Forward(batch[0]), batch[1])
//	}, opt)
//	defer step.Close()
//	for batch := range batches {
//		loss := step.Call(batch.X, batch.Y)
//	}
//
// The first three calls of each kind of batch run the step as it is, those after that replay a
// graph of it; the numbers are the same. Learning rates are those of the time, so schedulers
// step after a call. [torch.CaptureByShape] has what happens where a step cannot be captured.
// It panics with ErrNil for a nil function, optimizer or option, with ErrValue for a number that an
// option may not have, and as CaptureByShape does.
func GraphedStep(loss func(batch []*torch.Tensor) *torch.Tensor, o Optimizer, opts ...GraphedOption) *TrainingStep {
	const op = "optim.GraphedStep"
	if loss == nil {
		panic(torch.NilFunc(op, "loss"))
	}
	if opt.IsNil(o) {
		panic(torch.NewError(op, torch.ErrNil, "o", "a nil optimizer"))
	}
	s := &TrainingStep{loss: loss, o: o, n: 1}
	var graphs []torch.GraphsOption
	for _, option := range opts {
		switch v := option.(type) {
		case BeforeStep:
			if s.before = v; v == nil {
				panic(torch.NilFunc(op, "BeforeStep"))
			}
		case Accumulate:
			if s.n = int(v); v < 1 {
				panic(torch.NewError(op, torch.ErrValue, "Accumulate", fmt.Sprintf("expected 1 or more batches, got %d", int(v))))
			}
		case GraphOptions:
			graphs = v
		default:
			panic(torch.BadOption(op, v))
		}
	}
	s.graphs = torch.CaptureByShape(s.step, graphs...)
	return s
}

// step makes a step without a graph. Which part of a round it is tells graphs of a kind of batch apart.
func (s *TrainingStep) step(batch []*torch.Tensor) []*torch.Tensor {
	first, last := s.i == 0, s.i == s.n-1
	recording.Current().Watch(s, func() func() string {
		return func() string {
			if first != (s.i == 0) || last != (s.i == s.n-1) {
				return "the batch is another of those that gradients are accumulated of"
			}
			return ""
		}
	})
	if first {
		s.o.ZeroGrad()
	}
	loss := s.loss(batch)
	if s.n == 1 {
		loss.Backward()
	} else {
		loss.DivScalar(s.n).Backward()
	}
	if last {
		if s.before != nil {
			s.before()
		}
		s.o.Step()
	}
	return []*torch.Tensor{loss}
}

// Call makes a step with a batch, which loss gets, and returns the loss: a new tensor without history, owned by the
// innermost scope, else by the collector. It panics as [torch.Graphs.Call] does.
func (s *TrainingStep) Call(batch ...*torch.Tensor) *torch.Tensor {
	s.made("Call")
	s.mu.Lock()
	defer s.mu.Unlock()
	loss := s.graphs.Call(batch...)[0]
	s.i = (s.i + 1) % s.n
	return loss
}

// Len returns how many graphs there are, those that are being recorded included.
func (s *TrainingStep) Len() int {
	s.made("Len")
	return s.graphs.Len()
}

// Refused says why steps are run without a graph, each reason once: what was warned of.
func (s *TrainingStep) Refused() []string {
	s.made("Refused")
	return s.graphs.Refused()
}

// Close frees all graphs. It waits for a call; within one it is ErrRuntime. Closing twice, and a nil step, is no error.
func (s *TrainingStep) Close() error {
	if s == nil {
		return nil
	}
	return s.graphs.Close()
}

// made panics with ErrNil for a step that GraphedStep did not make.
func (s *TrainingStep) made(method string) {
	if s == nil || s.graphs == nil {
		panic(torch.NewError("optim.TrainingStep."+method, torch.ErrNil, "receiver", "a step that GraphedStep did not make"))
	}
}
