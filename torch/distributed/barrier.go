package distributed

import (
	"context"
	"errors"
	"regexp"
	"strconv"
	"strings"

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
// others' names that one. It takes longer than Barrier: the first rank hears from each.
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
	left, err := within(ctx, op, g.timeout)
	if err != nil {
		return g.say(err, op)
	}
	g.order.Lock()
	defer g.order.Unlock()
	g.mu.Lock()
	if err := g.over(op); err != nil {
		g.mu.Unlock()
		return err
	}
	g.using.Add(1)
	raw := g.raw
	g.mu.Unlock()
	defer g.using.Done()
	// It waits in native code, without a place at the gate, until its time is over.
	e := failure(op, raw.MonitoredBarrier(0, left.Milliseconds(), all))
	if e == nil {
		return nil
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
