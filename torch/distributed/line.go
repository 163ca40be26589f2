package distributed

import (
	"context"
	"sync"
)

// line lets callers proceed one after the other, in the order in which they came.
type line struct {
	mu   sync.Mutex
	last chan struct{} // closed when the last one has left
}

func (l *line) take() *place {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := newPlace(l.last)
	l.last = p.own
	return p
}

// place is a caller's place in a line, until leave.
type place struct {
	before []chan struct{}
	own    chan struct{}
}

func newPlace(before ...chan struct{}) *place {
	p := &place{own: make(chan struct{})}
	for _, b := range before {
		if b != nil {
			p.before = append(p.before, b)
		}
	}
	return p
}

// wait waits until all callers before have left. It returns false if the context or the
// group ends first.
func (p *place) wait(ctx context.Context, over <-chan struct{}) bool {
	for _, b := range p.before {
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

// leave lets the next caller proceed, once all before have left too.
func (p *place) leave() {
	for i, b := range p.before {
		select {
		case <-b:
		default:
			go func() {
				for _, b := range p.before[i:] {
					<-b
				}
				close(p.own)
			}()
			return
		}
	}
	close(p.own)
}

// turn waits for the caller's turn in a line of the group. If the context ends before,
// the group stays usable.
func (g *ProcessGroup) turn(ctx context.Context, op string, l *line) (*place, error) {
	p := l.take()
	if p.wait(ctx, g.over) {
		return p, nil
	}
	p.leave()
	if err := g.must(op); err != nil {
		return nil, err
	}
	return nil, g.say(given(op, reason(ctx)), op)
}

// came waits for the turn of a background call, which already has its place. Giving it up
// gives up the group, since later calls have their places behind it.
func (g *ProcessGroup) came(ctx context.Context, c *call, p *place) error {
	if p.wait(ctx, g.over) {
		return nil
	}
	if err := g.must(c.op); err != nil {
		return err
	}
	return g.gaveUp(c, given(c.op, reason(ctx)))
}

// reason returns why a context has ended; a deadline that cancelled another context
// counts as a deadline.
func reason(ctx context.Context) error {
	if context.Cause(ctx) == context.DeadlineExceeded { //nolint:errorlint // it is what was given
		return context.DeadlineExceeded
	}
	return ctx.Err()
}

// lasting returns a context for work that continues after a call has returned. It has the
// call's deadline, and giveUp cancels it.
func lasting(ctx context.Context) (own context.Context, giveUp context.CancelCauseFunc) {
	own, giveUp = context.WithCancelCause(context.WithoutCancel(ctx))
	if end, timed := ctx.Deadline(); timed {
		until, cancel := context.WithDeadline(own, end)
		context.AfterFunc(own, cancel)
		own = until
	}
	return own, giveUp
}
