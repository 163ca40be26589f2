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

// MaxBatch is the largest number of requests in a forward pass. The default is 32; a
// number below 1 panics with ErrValue.
type MaxBatch int

// MaxDelay is the longest time that a request waits for other requests although a forward
// pass could start. It waits only if the previous pass had more requests than are queued
// now. The default, 0, starts a pass with the requests present. A negative delay panics
// with ErrValue.
type MaxDelay time.Duration

// MaxQueue is the largest number of queued requests, not counting those in a pass. The
// default is 16 times MaxBatch; a number below MaxBatch panics with ErrValue.
type MaxQueue int

// RefuseWhenFull says whether a request gets ErrQueueFull immediately when the queue is
// full. If false, the default, the request waits for room until its context is done.
type RefuseWhenFull bool

// Workers is the number of forward passes that may run at the same time. The default is
// 1, which gives the operators all threads and makes the largest batches. A number below
// 1 panics with ErrValue.
type Workers int

// InputShape is the shape of a request, without the batch dimension. A request of a
// different shape is refused with ErrShape before it joins others. -1 stands for any
// size; requests whose sizes differ there never share a forward pass. The default, nil,
// allows every shape. A size below -1 panics with ErrValue.
type InputShape torch.Shape

// InputShapes is InputShape for a function of several tensors ([NewBatcherAll]): one
// shape for each tensor. The number of tensors is checked too. A nil shape allows any
// shape of its tensor. The default, nil, allows any number of tensors of any shape.
type InputShapes []torch.Shape

// settings holds the values of the options.
type settings struct {
	maxBatch int
	maxDelay time.Duration
	maxQueue int
	refuse   bool
	workers  int
	shapes   []torch.Shape // the shapes of the inputs, or nil for any
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
