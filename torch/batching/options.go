package batching

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/gotorch/gotorch/torch"
)

// An Option is an argument of [NewBatcher] and [NewBatcherAll]: [MaxBatch], [MaxDelay], [MaxQueue],
// [RefuseWhenFull], [Workers], [InputShape] or [InputShapes].
//
//gotorch:options MaxBatch MaxDelay MaxQueue RefuseWhenFull Workers InputShape InputShapes
type Option interface{ option() }

// MaxBatch is how many requests a forward pass gets at most. The default is 32;
// anything less than 1 is ErrValue.
type MaxBatch int

// MaxDelay is how long a request waits at most for others to share its forward pass,
// while one could start. It waits only if the pass before had more requests than are
// there now. The default is 0: a pass starts with what is there. Less is ErrValue.
type MaxDelay time.Duration

// MaxQueue is how many requests wait for a forward pass at most; those in a pass do not
// count. The default is 16 times MaxBatch; anything less than MaxBatch is ErrValue.
type MaxQueue int

// RefuseWhenFull says what a request gets that finds the queue full: ErrQueueFull at
// once (true), or it waits for a place until its context is done (false, the default).
type RefuseWhenFull bool

// Workers is how many forward passes may run at the same time. The default is 1, which
// leaves the operators all of their threads and makes the largest batches. Anything
// less than 1 is ErrValue.
type Workers int

// InputShape is the shape of a request, without the dimension of the batch. A request
// of another shape is refused with ErrShape before it meets others. -1 stands for any
// size; requests whose sizes differ there never share a forward pass. With the default,
// nil, every shape may come. Less than -1 is ErrValue.
type InputShape torch.Shape

// InputShapes is InputShape for a function of several tensors ([NewBatcherAll]), one shape for
// each; how many there are is checked too. A nil shape in it stands for any shape, and
// nil, the default, for any number of tensors.
type InputShapes []torch.Shape

// settings is a list of Options, read.
type settings struct {
	maxBatch int
	maxDelay time.Duration
	maxQueue int
	refuse   bool
	workers  int
	shapes   []torch.Shape // of the inputs, or nil
}

func readOptions(op string, opts []Option) settings {
	s := settings{maxBatch: 32, workers: 1, maxQueue: -1}
	queue, queued := 0, false
	for _, o := range opts {
		switch o := o.(type) {
		case MaxBatch:
			s.maxBatch = int(o)
		case MaxDelay:
			s.maxDelay = time.Duration(o)
		case MaxQueue:
			queue, queued = int(o), true
		case RefuseWhenFull:
			s.refuse = bool(o)
		case Workers:
			s.workers = int(o)
		case InputShape:
			s.shapes = nil
			if o != nil {
				s.shapes = []torch.Shape{slices.Clone(torch.Shape(o))}
			}
		case InputShapes:
			s.shapes = nil
			for _, shape := range o {
				s.shapes = append(s.shapes, slices.Clone(shape))
			}
		default:
			panic(torch.BadOption(op, o))
		}
	}
	s.maxQueue = 16 * min(s.maxBatch, math.MaxInt/16)
	s.maxQueue = max(s.maxQueue, s.maxBatch)
	if queued {
		s.maxQueue = queue
	}
	s.check(op)
	return s
}

func (s *settings) check(op string) {
	wrong := func(arg, format string, values ...any) {
		panic(torch.NewError(op, torch.ErrValue, arg, fmt.Sprintf(format, values...)))
	}
	if s.maxBatch < 1 {
		wrong("MaxBatch", "expected at least 1 request, got %d", s.maxBatch)
	}
	if s.maxDelay < 0 {
		wrong("MaxDelay", "expected 0 or more, got %v", s.maxDelay)
	}
	if s.maxQueue < s.maxBatch {
		wrong("MaxQueue", "expected at least MaxBatch, which is %d, got %d", s.maxBatch, s.maxQueue)
	}
	if s.workers < 1 {
		wrong("Workers", "expected at least 1, got %d", s.workers)
	}
	for _, shape := range s.shapes {
		for _, n := range shape {
			if n < -1 {
				wrong("InputShape", "expected sizes, or -1 for any, got %v", shape)
			}
		}
	}
}
