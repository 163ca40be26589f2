package distributed

import (
	"context"
	"slices"
	"strconv"

	"github.com/gotorch/gotorch/torch"
)

// NewGroup makes a smaller group of some ranks of this group. All ranks of this group
// must call it with the same ranks, even those that will not be members. Non-members get
// a group whose Rank is -1 and whose collectives fail. NewGroup waits for the members. If
// the ranks compare their calls, an error on one rank causes ErrMismatch on all. Follows
// new_group.
func (g *ProcessGroup) NewGroup(ctx context.Context, ranks []int, opts ...SubgroupOption) (*ProcessGroup, error) {
	const op = "distributed.ProcessGroup.NewGroup"
	if err := g.checkReady(op); err != nil {
		return nil, err
	}
	s, refused := g.readSubgroup(op, opts)
	return g.newGroup(ctx, op, ranks, s, refused)
}

// readSubgroup reads the options of a smaller group. The group inherits the settings that
// Python does not have. As in Python, it does not inherit the timeout.
func (g *ProcessGroup) readSubgroup(op string, opts []SubgroupOption) (settings, error) {
	s := defaultSettings()
	s.interfaces, s.check = g.interfaces, g.wantsCallCheck
	for _, o := range opts {
		if err := s.readCommon(op, o); err != nil {
			return s, err
		}
	}
	return s, nil
}

// checkRanks returns an error unless ranks, which are sorted, are distinct ranks of this group.
func (g *ProcessGroup) checkRanks(op string, ranks []int) error {
	if len(ranks) == 0 {
		return argumentError(op, torch.ErrValue, "ranks", "is empty")
	}
	for i, r := range ranks {
		switch {
		case !slices.Contains(g.ranks, r):
			return argumentError(op, torch.ErrValue, "ranks", "the group has no rank %d", r)
		case i > 0 && ranks[i-1] == r:
			return argumentError(op, torch.ErrValue, "ranks", "rank %d is listed twice", r)
		}
	}
	return nil
}

// checkSameOnAll compares the text on all ranks, if the group compares calls. refused is the error
// about this rank's arguments, which is also reported to the other ranks.
func (g *ProcessGroup) checkSameOnAll(ctx context.Context, op, text string, refused error) error {
	if !g.checksCalls {
		return refused
	}
	p, err := g.waitTurn(ctx, op, &g.order)
	if err != nil {
		return err
	}
	defer p.leave()
	return firstError(g.checkAgreement(ctx, &call{op: op, text: text}, refused), refused)
}

func (g *ProcessGroup) newGroup(ctx context.Context, op string, ranks []int, s settings,
	refused error,
) (*ProcessGroup, error) {
	ranks = slices.Sorted(slices.Values(ranks))
	refused = firstError(refused, g.checkRanks(op, ranks))
	if err := g.checkSameOnAll(ctx, op, shortOp(op)+" of "+formatRanks(ranks), refused); err != nil {
		return nil, err
	}
	g.mu.Lock()
	g.subgroups++
	name := strconv.Itoa(g.subgroups)
	g.mu.Unlock()
	store, err := NewPrefixStore(g.name+"/", g.store)
	if err != nil {
		return nil, err
	}
	sub := &ProcessGroup{
		backend: g.backend, name: name, rank: slices.Index(ranks, g.globalRank), ranks: ranks,
		globalRank: g.globalRank, store: store,
		ownStore:  true,
		storeHost: g.storeHost, timeout: s.timeout, interfaces: s.interfaces, wantsCallCheck: s.check,
	}
	if sub.rank < 0 {
		_ = store.Close()
		return sub, nil
	}
	if err := sub.join(ctx, op, s.timeout); err != nil {
		_ = store.Close()
		return nil, err
	}
	return sub, nil
}

// NewSubgroups divides the group into smaller groups of consecutive ranks, each with size
// ranks. It returns the group that contains this rank. An error on one rank causes
// ErrMismatch on all, as for NewGroup. Follows new_subgroups.
func (g *ProcessGroup) NewSubgroups(ctx context.Context, size int, opts ...SubgroupOption) (*ProcessGroup, error) {
	const op = "distributed.ProcessGroup.NewSubgroups"
	if err := g.checkReady(op); err != nil {
		return nil, err
	}
	s, refused := g.readSubgroup(op, opts)
	if refused == nil && (size < 1 || len(g.ranks)%size != 0) {
		refused = argumentError(op, torch.ErrValue, "size", "expected a divisor of %d, got %d", len(g.ranks), size)
	}
	// Compare before the first group is made, because a rank whose arguments are invalid makes no
	// group.
	if err := g.checkSameOnAll(ctx, op, shortOp(op)+" of "+strconv.Itoa(size), refused); err != nil {
		return nil, err
	}
	var mine *ProcessGroup
	for ranks := range slices.Chunk(g.ranks, size) {
		sub, err := g.newGroup(ctx, op, ranks, s, nil)
		if err != nil {
			if mine != nil {
				_ = mine.Close()
			}
			return nil, err
		}
		if sub.rank >= 0 {
			mine = sub
		}
	}
	return mine, nil
}
