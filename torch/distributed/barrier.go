package distributed

import (
	"context"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/gotorch/gotorch/torch"
)

// A BarrierOption says how [ProcessGroup.MonitoredBarrier] goes: [WaitAllRanks].
type BarrierOption interface{ barrierOption() }

// WaitAllRanks has rank 0 name all ranks that did not come (true), and not the first alone.
// The default is false.
type WaitAllRanks bool

func (WaitAllRanks) barrierOption() {}

// MonitoredBarrier is [ProcessGroup.Barrier] whose error on the first rank of the group names
// who did not come before the context's deadline, or without one the group's timeout. The
// others' names that one. It takes longer than Barrier: the first rank hears from each. A
// context that is cancelled ends the waiting, and the group.
// Follows monitored_barrier.
func (g *ProcessGroup) MonitoredBarrier(ctx context.Context, opts ...BarrierOption) error {
	const op = "distributed.ProcessGroup.MonitoredBarrier"
	all := false
	for _, o := range opts {
		switch o := o.(type) {
		case WaitAllRanks:
			all = bool(o)
		default:
			return torch.BadOption(op, o)
		}
	}
	if err := g.ready(op); err != nil {
		return err
	}
	p, err := g.turn(ctx, op, &g.order)
	if err != nil {
		return err
	}
	defer p.leave()
	left, err := within(ctx, op, g.timeout)
	if err != nil {
		return g.say(err, op)
	}
	g.mu.Lock()
	if err := g.refusal(op); err != nil {
		g.mu.Unlock()
		return err
	}
	g.using.Add(1)
	g.barriers++
	raw := g.raw
	g.mu.Unlock()
	ended := make(chan *Error, 1)
	go func() {
		defer g.using.Done()
		// It waits in native code, without a place at the gate, until its time is over.
		ended <- failure(op, raw.MonitoredBarrier(0, left.Milliseconds(), all))
		g.mu.Lock()
		defer g.mu.Unlock()
		g.barriers--
	}()
	e, err := g.monitored(ctx, op, ended)
	if e == nil {
		return err
	}
	e.Rank, e.World = g.rank, len(g.ranks)
	for _, r := range named(e.Detail) {
		if !errors.Is(e.Kind, ErrInUse) && r < len(g.ranks) && r != g.rank {
			e.Kind = ErrTimeout
			e.Ranks = append(e.Ranks, g.ranks[r])
		}
	}
	if len(e.Ranks) == 0 && errors.Is(e.Kind, ErrPeer) { // the connection does not say whose it was
		g.watch.rollCall(e)
	}
	g.end(e)
	return e
}

// monitored waits for a barrier that runs. What ends sooner than it leaves it behind, to
// end by itself: err says what that was.
func (g *ProcessGroup) monitored(ctx context.Context, op string, ended <-chan *Error) (e *Error, err error) {
	canceled := ctx.Done()
	if _, timed := ctx.Deadline(); timed {
		// The barrier's own time is over then, and its error names ranks.
		late := make(chan struct{})
		stop := context.AfterFunc(ctx, func() {
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				time.Sleep(patience)
			}
			close(late)
		})
		defer stop()
		canceled = late
	}
	select {
	case e := <-ended:
		return e, nil
	case <-canceled:
		return nil, g.gaveUp(&call{op: op}, given(op, ctx.Err()))
	case <-g.over:
		g.mu.Lock()
		why := g.ended
		g.mu.Unlock()
		if why == nil {
			why = &Error{Kind: ErrClosed, Detail: "the group was closed"}
		}
		return nil, g.gaveUp(&call{op: op}, why)
	}
}

var (
	oneRank   = regexp.MustCompile(`[Rr]ank (\d+) failed`)
	someRanks = regexp.MustCompile(`[Rr]anks ([\d, ]+) failed`)
	rankZero  = regexp.MustCompile(`rank 0`)
)

// named returns the ranks in the group that an error of libtorch's says have not come.
func named(text string) []int {
	var ranks []int
	add := func(s string) {
		if n, err := strconv.Atoi(strings.TrimSpace(s)); err == nil {
			ranks = append(ranks, n)
		}
	}
	if m := someRanks.FindStringSubmatch(text); m != nil {
		for _, s := range strings.Split(m[1], ",") {
			add(s)
		}
		return ranks
	}
	if m := oneRank.FindStringSubmatch(text); m != nil {
		add(m[1])
	} else if rankZero.MatchString(text) {
		add("0")
	}
	return ranks
}
