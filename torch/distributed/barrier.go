package distributed

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	native "github.com/gotorch/gotorch/cgotorch/c10d"
	"github.com/gotorch/gotorch/torch"
)

// A BarrierOption configures [ProcessGroup.MonitoredBarrier]: [WaitAllRanks].
//
//gotorch:options WaitAllRanks
type BarrierOption interface{ barrierOption() }

// WaitAllRanks (true) makes rank 0 name all missing ranks, instead of only the first. The
// default is false.
type WaitAllRanks bool

// MonitoredBarrier is [ProcessGroup.Barrier] with an error that names the missing ranks.
// If some ranks do not arrive before the context's deadline, the group's first rank
// returns an error that names them; the errors of the other ranks name the first rank.
// Without a deadline the group's timeout applies. MonitoredBarrier is slower than
// Barrier, because the first rank receives a message from each other rank. Canceling the
// context ends the wait and the group.
//
// If some ranks are Python processes, MonitoredBarrier calls libtorch's barrier. The
// messages of libtorch's barrier have tags that the program's sends and receives may also
// use, and a collision would end a process. So MonitoredBarrier fails with torch.ErrValue
// while this rank has pending sends or receives. It cannot detect messages that this rank
// has sent and that another rank has not received yet.
//
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
	if err := g.checkReady(op); err != nil {
		return err
	}
	p, err := g.waitTurn(ctx, op, &g.order)
	if err != nil {
		return err
	}
	defer p.leave()
	left, err := timeLimit(ctx, op, g.timeout)
	if err != nil {
		return g.asGroupError(err, op)
	}
	if g.allGo {
		return g.barrierByMessages(ctx, op, time.Now().Add(left), all)
	}
	return g.libtorchBarrier(ctx, op, left, all)
}

// libtorchBarrier runs libtorch's monitored barrier, in which Python ranks can take part.
func (g *ProcessGroup) libtorchBarrier(ctx context.Context, op string, left time.Duration, all bool) error {
	g.mu.Lock()
	if err := firstError(g.whyEnded(op), g.checkNoPairs(op)); err != nil {
		g.mu.Unlock()
		return err
	}
	g.users.Add(1)
	g.barriers++
	raw := g.raw
	g.mu.Unlock()
	ended := make(chan *Error, 1)
	go func() {
		defer g.users.Done()
		// MonitoredBarrier waits in native code, at most until the barrier's timeout. It takes no
		// place at the gate, which limits how many goroutines run operators.
		ended <- nativeError(op, raw.MonitoredBarrier(0, left.Milliseconds(), all))
		g.mu.Lock()
		defer g.mu.Unlock()
		g.barriers--
	}()
	e, err := g.waitMonitored(ctx, op, ended)
	if e == nil {
		return err
	}
	e.Rank, e.World = g.rank, len(g.ranks)
	for _, r := range missingRanks(e.Detail) {
		if !errors.Is(e.Kind, ErrInUse) && r < len(g.ranks) && r != g.rank {
			e.Kind = ErrTimeout
			e.Ranks = append(e.Ranks, g.ranks[r])
		}
	}
	// libtorch's error does not say which rank's connection failed.
	if len(e.Ranks) == 0 && errors.Is(e.Kind, ErrPeer) {
		g.watch.addGoneRanks(e)
	}
	g.endGroup(e)
	return e
}

// waitMonitored waits for a running barrier. If the context or the group ends first, it returns the
// reason in err, and the barrier ends later in the background.
func (g *ProcessGroup) waitMonitored(ctx context.Context, op string, ended <-chan *Error) (e *Error, err error) {
	canceled := ctx.Done()
	if _, timed := ctx.Deadline(); timed {
		// The barrier times out at the same moment, and its error names ranks: wait a little for
		// that error.
		late := make(chan struct{})
		stop := context.AfterFunc(ctx, func() {
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				time.Sleep(rollCallTime)
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
		return nil, g.gaveUpError(&call{op: op}, contextError(op, ctx.Err()))
	case <-g.done:
		g.mu.Lock()
		why := g.ended
		g.mu.Unlock()
		if why == nil {
			why = &Error{Kind: ErrClosed, Detail: "the group was closed"}
		}
		return nil, g.gaveUpError(&call{op: op}, why)
	}
}

// checkNoPairs returns an error while this rank has pending sends or receives, whose tags
// a libtorch barrier may also use. The caller must hold mu.
func (g *ProcessGroup) checkNoPairs(op string) error {
	for _, i := range g.pending {
		if i.peer != everyone {
			return argumentError(op, torch.ErrValue, "receiver",
				"rank %d has a pending send or receive, which could be "+
					"mistaken for a message of the barrier, because some ranks are Python processes", g.globalRank)
		}
	}
	return nil
}

// The tags of a monitored barrier's messages are larger than any tag that a program may use.
// libtorch's own barrier uses tags from the program's range.
const (
	tagCame = mostTag + 1 + iota
	tagLeave
)

// barrierByMessages is a monitored barrier for groups of Go ranks only: the first rank receives a
// message from each other rank and then sends one to each.
func (g *ProcessGroup) barrierByMessages(ctx context.Context, op string, end time.Time, all bool) error {
	return g.tryScoped(func() error {
		if g.rank != 0 {
			return g.answerBarrier(ctx, op, end)
		}
		came := make([]*flight, len(g.ranks))
		defer func() { // a message is still pending only if the group has ended
			for _, f := range came {
				if f != nil {
					f.cleanup.Stop()
					g.forget(f.interrupt)
				}
			}
		}()
		for r := 1; r < len(g.ranks); r++ {
			var err error
			if came[r], err = g.signal(op, native.Recv, r, tagCame, end); err != nil {
				return err
			}
		}
		var missing []int
		for r := 1; r < len(g.ranks); r++ {
			late, err := came[r].waitUntil(ctx, end)
			switch {
			case err != nil && !late:
				return err
			case late:
				missing = append(missing, g.ranks[r])
			}
			if late && !all {
				break
			}
		}
		if missing != nil {
			return g.endForMissing(op, missing, "did not arrive at the barrier in time")
		}
		for r := 1; r < len(g.ranks); r++ {
			f, err := g.signal(op, native.Send, r, tagLeave, end)
			if err != nil {
				return err
			}
			if late, err := f.waitUntil(ctx, end); late {
				return g.endForMissing(op, []int{g.ranks[r]}, "does not accept messages")
			} else if err != nil {
				return err
			}
		}
		return nil
	})
}

// answerBarrier is barrierByMessages on all ranks but the first.
func (g *ProcessGroup) answerBarrier(ctx context.Context, op string, end time.Time) error {
	for _, step := range []struct {
		what native.Op
		tag  int
	}{{native.Send, tagCame}, {native.Recv, tagLeave}} {
		f, err := g.signal(op, step.what, 0, step.tag, end)
		if err != nil {
			return err
		}
		if late, err := f.waitUntil(ctx, end); late {
			return g.endForMissing(op, g.ranks[:1],
				"did not confirm in time that all ranks have arrived; its own error "+
					"names the missing ranks, unless it is missing itself")
		} else if err != nil {
			return err
		}
	}
	return nil
}

// signal begins to send or receive one byte of a barrier.
func (g *ProcessGroup) signal(op string, what native.Op, rank, tag int, end time.Time) (*flight, error) {
	// When Gloo's own timeout expires, it closes connections. That timeout must therefore be later
	// than the barrier's.
	ctx, cancel := context.WithDeadline(context.Background(), end.Add(rollCallTime))
	defer cancel()
	c := &call{Call: native.Call{Op: what, Root: rank, Tag: tag}, op: op, text: shortOp(op)}
	c.outs = []*torch.Tensor{torch.Zeros(torch.Shape{1}, torch.Uint8, torch.CPU)}
	return g.begin(ctx, c)
}

// waitUntil waits for the end of a flight, at most until end. late reports whether end
// has passed; that does not end the group. The context's deadline is ignored.
func (f *flight) waitUntil(ctx context.Context, end time.Time) (late bool, err error) {
	over := &Error{Kind: ErrClosed, Detail: "the time limit has passed"}
	timer := time.AfterFunc(max(time.Until(end), arrivalTime), func() { f.interrupt.endWait(over) })
	defer timer.Stop()
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	stop := context.AfterFunc(ctx, func() {
		if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			cancel()
		}
	})
	defer stop()
	err = f.wait(own)
	f.interrupt.mu.Lock()
	defer f.interrupt.mu.Unlock()
	return err != nil && f.interrupt.why == error(over), err //nolint:errorlint // this one
}

// arrivalTime is long enough to notice a message that has already arrived.
const arrivalTime = 10 * time.Millisecond

// endForMissing ends the group because some ranks did not arrive in time.
func (g *ProcessGroup) endForMissing(op string, ranks []int, what string) *Error {
	e := &Error{Op: op, Kind: ErrTimeout, Rank: g.rank, World: len(g.ranks), Ranks: slices.Clone(ranks), Detail: what}
	g.endGroup(e)
	return e
}

var (
	oneRank   = regexp.MustCompile(`[Rr]ank (\d+) failed`)
	someRanks = regexp.MustCompile(`[Rr]anks ([\d, ]+) failed`)
	rankZero  = regexp.MustCompile(`rank 0`)
)

// missingRanks returns the ranks that libtorch's error text names as missing.
func missingRanks(text string) []int {
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
