package distributed

import (
	"context"
	"slices"
	"strconv"

	"github.com/gotorch/gotorch/torch"
)

// NewGroup makes a smaller group of some ranks of this one; all ranks of this one have to
// call it, with the same ranks, also those that will be no members. Theirs is a group
// whose Rank is -1 and whose collectives fail. It waits for the members. Follows new_group.
func (g *ProcessGroup) NewGroup(ctx context.Context, ranks []int, opts ...SubgroupOption) (*ProcessGroup, error) {
	const op = "distributed.ProcessGroup.NewGroup"
	if err := g.must(op); err != nil {
		return nil, err
	}
	s, err := g.subgroup(op, opts)
	if err != nil {
		return nil, err
	}
	return g.newGroup(ctx, op, ranks, s)
}

// subgroup reads the options of a smaller group. What Python has no word for is as in this
// one; the timeout is not, as in Python.
func (g *ProcessGroup) subgroup(op string, opts []SubgroupOption) (settings, error) {
	s := defaults()
	s.interfaces, s.check = g.interfaces, g.wantsCheck
	for _, o := range opts {
		if err := s.any(op, o); err != nil {
			return s, err
		}
	}
	return s, nil
}

func (g *ProcessGroup) newGroup(ctx context.Context, op string, ranks []int, s settings) (*ProcessGroup, error) {
	ranks = slices.Sorted(slices.Values(ranks))
	if len(ranks) == 0 {
		return nil, wrong(op, torch.ErrValue, "ranks", "is empty")
	}
	for i, r := range ranks {
		switch {
		case !slices.Contains(g.ranks, r):
			return nil, wrong(op, torch.ErrValue, "ranks", "there is no rank %d in the group", r)
		case i > 0 && ranks[i-1] == r:
			return nil, wrong(op, torch.ErrValue, "ranks", "rank %d is there twice", r)
		}
	}
	if g.checked {
		p, err := g.turn(ctx, op, &g.order)
		if err != nil {
			return nil, err
		}
		err = g.agree(ctx, &call{op: op, text: shortOp(op) + " of " + numbers(ranks)}, nil)
		p.leave()
		if err != nil {
			return nil, err
		}
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
		backend: g.backend, name: name, rank: slices.Index(ranks, g.me), ranks: ranks, me: g.me, store: store, ownStore: true,
		hosted: g.hosted, timeout: s.timeout, interfaces: s.interfaces, wantsCheck: s.check,
	}
	if sub.rank < 0 {
		_ = store.Close()
		return sub, nil
	}
	if err := sub.join(ctx, op); err != nil {
		_ = store.Close()
		return nil, err
	}
	return sub, nil
}

// NewSubgroups divides the group into groups of so many consecutive ranks each, and
// returns this rank's. Follows new_subgroups.
func (g *ProcessGroup) NewSubgroups(ctx context.Context, size int, opts ...SubgroupOption) (*ProcessGroup, error) {
	const op = "distributed.ProcessGroup.NewSubgroups"
	if err := g.must(op); err != nil {
		return nil, err
	}
	if size < 1 || len(g.ranks)%size != 0 {
		return nil, wrong(op, torch.ErrValue, "size", "expected a divisor of %d, got %d", len(g.ranks), size)
	}
	s, err := g.subgroup(op, opts)
	if err != nil {
		return nil, err
	}
	var mine *ProcessGroup
	for ranks := range slices.Chunk(g.ranks, size) {
		sub, err := g.newGroup(ctx, op, ranks, s)
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
