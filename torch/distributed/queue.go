package distributed

import (
	"context"
	"sync"
)

// queue lets callers proceed one after the other, in the order in which they called take.
type queue struct {
	mu   sync.Mutex
	last chan struct{} // closed when the last caller has left
}

func (q *queue) take() *queuePlace {
	q.mu.Lock()
	defer q.mu.Unlock()
	p := newQueuePlace(q.last)
	q.last = p.left
	return p
}

// queuePlace is a caller's place in a queue. The caller must call leave.
type queuePlace struct {
	earlier []chan struct{}
	left    chan struct{}
}

func newQueuePlace(before ...chan struct{}) *queuePlace {
	p := &queuePlace{left: make(chan struct{})}
	for _, b := range before {
		if b != nil {
			p.earlier = append(p.earlier, b)
		}
	}
	return p
}

// wait waits until all earlier callers have left. It returns false if the context or the group ends
// first.
func (p *queuePlace) wait(ctx context.Context, over <-chan struct{}) bool {
	for _, b := range p.earlier {
		select {
		case <-b:
			continue
		default:
		}
		select {
		case <-b:
		case <-ctx.Done():
			return false
		case <-over:
			return false
		}
	}
	return true
}

// leave lets the next caller proceed, after all earlier callers have left too.
func (p *queuePlace) leave() {
	for i, b := range p.earlier {
		select {
		case <-b:
		default:
			go func() {
				for _, b := range p.earlier[i:] {
					<-b
				}
				close(p.left)
			}()
			return
		}
	}
	close(p.left)
}

// waitTurn waits for the caller's turn in a queue of the group. If the context ends first, the
// group stays usable.
func (g *ProcessGroup) waitTurn(ctx context.Context, op string, q *queue) (*queuePlace, error) {
	p := q.take()
	if p.wait(ctx, g.done) {
		return p, nil
	}
	p.leave()
	if err := g.checkOpen(op); err != nil {
		return nil, err
	}
	return nil, g.asGroupError(contextError(op, contextCause(ctx)), op)
}

// waitTurnOf waits for the turn of a background call, which already has its place. If the context
// ends first, the group ends too, because later calls wait behind that place.
func (g *ProcessGroup) waitTurnOf(ctx context.Context, c *call, p *queuePlace) error {
	if p.wait(ctx, g.done) {
		return nil
	}
	if err := g.checkOpen(c.op); err != nil {
		return err
	}
	return g.gaveUpError(c, contextError(c.op, contextCause(ctx)))
}

// contextCause returns why a context has ended. If it was canceled because the deadline
// of another context passed, the result is DeadlineExceeded.
func contextCause(ctx context.Context) error {
	// giveUp was called with exactly this error, so the comparison needs no errors.Is.
	if context.Cause(ctx) == context.DeadlineExceeded { //nolint:errorlint // it is what was given
		return context.DeadlineExceeded
	}
	return ctx.Err()
}

// outlastingContext returns a context for work that continues after a call has returned. It has the
// call's deadline, and giveUp cancels it.
func outlastingContext(ctx context.Context) (own context.Context, giveUp context.CancelCauseFunc) {
	own, giveUp = context.WithCancelCause(context.WithoutCancel(ctx))
	if end, timed := ctx.Deadline(); timed {
		until, cancel := context.WithDeadline(own, end)
		context.AfterFunc(own, cancel)
		own = until
	}
	return own, giveUp
}
