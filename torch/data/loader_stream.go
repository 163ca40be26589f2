package data

import (
	"context"
	"iter"

	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/internal/native/trace"
	"github.com/gotorch/gotorch/torch"
)

// ownedBatch is a batch that belongs to no scope yet. The receiver must free the tensors in
// the field owned.
type ownedBatch struct {
	example     Example
	owned       []*torch.Tensor
	pendingCopy *arrival // the copy to a device that is in flight, or nil
}

// adopt makes the goroutine's innermost scope the owner of the batch's tensors.
func (b ownedBatch) adopt() Example {
	b.pendingCopy.await(b.example)
	for _, t := range b.owned {
		own.Adopt(t)
	}
	return b.example
}

// streamBatcher joins the examples of an iterable dataset into batches.
type streamBatcher struct {
	*batchMaker
	skip        int    // the number of batches to make only to draw their random numbers
	beforeSkip  func() // called before the first skipped batch
	afterSkip   func() // called after the last skipped batch
	emit        func(ownedBatch) bool
	number      int   // of the next batch
	numExamples int64 // examples so far
	buffer      []Example
	owned       []*torch.Tensor // the tensors in buffer that run took from scopes
}

// run reads the stream until the stream ends, until emit returns false, or until an error
// occurs. It needs no enclosing scope.
func (s *streamBatcher) run(info WorkerInfo) error {
	if s.skip > 0 && s.beforeSkip != nil {
		s.beforeSkip()
	}
	var failed error
	defer func() { closeAll(s.owned) }()
	err := tryTo(func() (err error) {
		torch.Scope(func() {
			own.Mark(own.Load)
			more := true
			s.currentExample.Store(0)
			err = s.stream.Iterate(info, func(e Example) bool {
				if more {
					s.currentExample.Store(-1)
					more, failed = s.take(e)
					s.currentExample.Store(s.numExamples)
				}
				return more
			})
		})
		return err
	})
	s.currentExample.Store(-1)
	if failed != nil {
		return failed
	}
	if err != nil {
		return s.batchError(s.number, s.numExamples, err)
	}
	if len(s.buffer) == 0 || s.opts.dropLast || s.stopped.Load() {
		return nil
	}
	_, err = s.batch()
	return err
}

// take adds an example to the current batch. more reports whether to read the next example.
func (s *streamBatcher) take(e Example) (more bool, err error) {
	if s.stopped.Load() {
		return false, nil
	}
	if err := s.mustNotBeEmpty(&e); err != nil {
		return false, s.batchError(s.number, s.numExamples, err)
	}
	s.numExamples++
	s.owned = append(s.owned, e.disown()...)
	s.buffer = append(s.buffer, e)
	if s.opts.batchSize == BatchSizeNone || len(s.buffer) == int(s.opts.batchSize) {
		more, err = s.batch()
		own.Sweep()
		return more, err
	}
	return true, nil
}

// batch makes a batch of the examples in the buffer and passes it to emit.
func (s *streamBatcher) batch() (more bool, err error) {
	examples := s.buffer
	if s.skip > 0 && s.opts.collate == nil && s.opts.transform == nil {
		s.endBatch()
		return true, nil
	}
	var b ownedBatch
	torch.Scope(func() {
		b.example, err = s.finish(s.number, func() (Example, error) {
			switch {
			case s.opts.collate != nil:
				return s.opts.collate(examples), nil
			case s.opts.batchSize == BatchSizeNone:
				return examples[0], nil
			}
			return Stack(examples), nil
		})
		if err == nil {
			b.owned, b.pendingCopy = b.example.disown(), s.pendingCopy
		}
	})
	if err != nil {
		return false, err
	}
	// the batch may contain tensors of its examples, which must not be freed with them
	b.owned = append(b.owned, takeFrom(s.owned, b.example.all())...)
	if s.skip > 0 {
		closeAll(b.owned)
		s.endBatch()
		return true, nil
	}
	s.endBatch()
	return s.emit(b), nil
}

// takeFrom returns the tensors that are in both lists, and sets them to nil in list.
func takeFrom(list, these []*torch.Tensor) (taken []*torch.Tensor) {
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

// endBatch frees the examples of the last batch and begins the next batch. It calls
// afterSkip if the last batch was also the last to be skipped.
func (s *streamBatcher) endBatch() {
	closeAll(s.owned)
	s.buffer, s.owned = nil, nil
	s.number++
	if s.skip > 0 {
		if s.skip--; s.skip == 0 {
			s.afterSkip()
		}
	}
}

// streamProducer makes the batches of an iterable dataset without workers. The dataset
// calls yield for each example, but the loop calls next for each batch. The dataset
// therefore runs on a separate goroutine, which runs only while the loop waits in next.
type streamProducer struct {
	nextBatch func() (ownedBatch, bool)
	stop      func()
	err       error
	maker     *batchMaker
}

func newStreamProducer(m *batchMaker, by trace.ID, skip int, before, after func()) *streamProducer {
	p := &streamProducer{maker: m}
	inherit := own.Inherit(true)
	p.nextBatch, p.stop = iter.Pull(func(yield func(ownedBatch) bool) {
		inherit(func() {
			emit := func(b ownedBatch) (more bool) {
				own.Idle(func() { more = yield(b) })
				return more
			}
			s := streamBatcher{batchMaker: m, skip: skip, beforeSkip: before, afterSkip: after, emit: emit}
			trace.For(by, func() { p.err = s.run(WorkerInfo{}) })
		})
	})
	return p
}

func (p *streamProducer) next(context.Context) (Example, bool, error) {
	var b ownedBatch
	var ok bool
	own.Idle(func() { b, ok = p.nextBatch() })
	// marks the generator as used, because the dataset may have drawn random numbers
	torch.DefaultGenerator(torch.CPU)
	if !ok {
		return Example{}, false, p.err
	}
	return b.adopt(), true, nil
}

func (p *streamProducer) close() bool {
	p.maker.stopped.Store(true)
	own.Idle(p.stop)
	return true
}
