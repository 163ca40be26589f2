package data

import (
	"context"
	"iter"

	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/internal/native/trace"
	"github.com/gotorch/gotorch/torch"
)

// made is a batch that belongs to no scope yet. The receiver must free the tensors in
// owned.
type made struct {
	e     Example
	owned []*torch.Tensor
	ready *arrival // the copy to a device in flight, if any
}

// adopted makes the innermost scope of the goroutine the owner of the tensors.
func (b made) adopted() Example {
	b.ready.await(b.e)
	for _, t := range b.owned {
		own.Adopt(t)
	}
	return b.e
}

// streaming joins the examples of an iterable dataset to batches.
type streaming struct {
	*maker
	skip   int    // batches that are made again only for their random numbers
	before func() // called before the first skipped batch
	after  func() // and after the last
	emit   func(made) bool
	number int   // of the next batch
	given  int64 // examples so far
	buffer []Example
	owned  []*torch.Tensor // the tensors of buffer that were taken from scopes
}

// run reads the stream to its end, until emit returns false, or until an error. It needs
// no enclosing scope.
func (s *streaming) run(info WorkerInfo) error {
	if s.skip > 0 && s.before != nil {
		s.before()
	}
	var failed error
	defer func() { closeAll(s.owned) }()
	err := caught(func() (err error) {
		torch.Scope(func() {
			own.Mark(own.Load)
			more := true
			s.at.Store(0)
			err = s.stream.Iterate(info, func(e Example) bool {
				if more {
					s.at.Store(-1)
					more, failed = s.take(e)
					s.at.Store(s.given)
				}
				return more
			})
		})
		return err
	})
	s.at.Store(-1)
	if failed != nil {
		return failed
	}
	if err != nil {
		return s.failure(s.number, s.given, err)
	}
	if len(s.buffer) == 0 || s.opts.dropLast || s.stopped.Load() {
		return nil
	}
	_, err = s.batch()
	return err
}

// take adds an example to the batch, and reports whether more are wanted.
func (s *streaming) take(e Example) (more bool, err error) {
	if s.stopped.Load() {
		return false, nil
	}
	if err := s.something(&e); err != nil {
		return false, s.failure(s.number, s.given, err)
	}
	s.given++
	s.owned = append(s.owned, e.disowned()...)
	s.buffer = append(s.buffer, e)
	if s.opts.batchSize == BatchSizeNone || len(s.buffer) == int(s.opts.batchSize) {
		more, err = s.batch()
		own.Sweep()
		return more, err
	}
	return true, nil
}

// batch makes a batch of the examples so far and emits it.
func (s *streaming) batch() (more bool, err error) {
	examples := s.buffer
	if s.skip > 0 && s.opts.collate == nil && s.opts.transform == nil {
		s.passed()
		return true, nil
	}
	var b made
	torch.Scope(func() {
		b.e, err = s.finished(s.number, func() (Example, error) {
			switch {
			case s.opts.collate != nil:
				return s.opts.collate(examples), nil
			case s.opts.batchSize == BatchSizeNone:
				return examples[0], nil
			}
			return Stack(examples), nil
		})
		if err == nil {
			b.owned, b.ready = b.e.disowned(), s.ready
		}
	})
	if err != nil {
		return false, err
	}
	b.owned = append(b.owned, without(s.owned, b.e.all())...) // an example's own tensors
	if s.skip > 0 {
		closeAll(b.owned)
		s.passed()
		return true, nil
	}
	s.passed()
	return s.emit(b), nil
}

// without removes from list the tensors that are among these, and returns them.
func without(list, these []*torch.Tensor) (taken []*torch.Tensor) {
	for i, t := range list {
		for _, o := range these {
			if t == o && t != nil {
				taken = append(taken, t)
				list[i] = nil
			}
		}
	}
	return taken
}

// passed frees the examples of the last batch.
func (s *streaming) passed() {
	closeAll(s.owned)
	s.buffer, s.owned = nil, nil
	s.number++
	if s.skip > 0 {
		if s.skip--; s.skip == 0 {
			s.after()
		}
	}
}

// pulled makes the batches of an iterable dataset without workers. Since both the
// dataset's Iterate and the loop call back, Iterate runs on a goroutine that alternates
// with the loop's.
type pulled struct {
	next_ func() (made, bool)
	stop  func()
	err   error
	m     *maker
}

func pull(m *maker, by trace.ID, skip int, before, after func()) *pulled {
	p := &pulled{m: m}
	inherit := own.Inherit(true)
	p.next_, p.stop = iter.Pull(func(yield func(made) bool) {
		inherit(func() {
			emit := func(b made) (more bool) {
				own.Idle(func() { more = yield(b) })
				return more
			}
			s := streaming{maker: m, skip: skip, before: before, after: after, emit: emit}
			trace.For(by, func() { p.err = s.run(WorkerInfo{}) })
		})
	})
	return p
}

func (p *pulled) next(context.Context) (Example, bool, error) {
	var b made
	var ok bool
	own.Idle(func() { b, ok = p.next_() })
	torch.DefaultGenerator(torch.CPU) // counts as drawn from, since the stream may draw
	if !ok {
		return Example{}, false, p.err
	}
	return b.adopted(), true, nil
}

func (p *pulled) close() {
	p.m.stopped.Store(true)
	own.Idle(p.stop)
}
