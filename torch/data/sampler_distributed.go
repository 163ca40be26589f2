package data

import (
	"fmt"
	"sync/atomic"

	"github.com/gotorch/gotorch/torch"
)

// A DistributedOption is an argument of [NewDistributedSampler] that Python takes by
// keyword: [NumReplicas], [Rank], [Shuffle], [Seed] or [DropLast].
//
//gotorch:options NumReplicas Rank Shuffle Seed DropLast
type DistributedOption interface{ distributedOption() }

// NumReplicas is the number of processes that share a dataset, such as the Size of a
// distributed.ProcessGroup; num_replicas in Python. The default is 1, since there is no
// global process group; a smaller number panics with ErrValue.
type NumReplicas int

// Rank is the number of this process, from 0 to [NumReplicas]-1; rank in Python. The
// default is 0. A number out of this range panics with ErrValue.
type Rank int

// Seed is a number to which the number of the epoch is added. The sum seeds the order of the
// epoch. Seed must be the same in all processes. The default is 0. With [Shuffle](false) it
// causes ErrValue, because nothing is drawn. It is seed in Python, which ignores it then.
type Seed uint64

// DistributedSampler gives each of several processes its share of a dataset: every
// NumReplicas-th example of an order that is the same in all processes. It is a [Sampler]
// for [WithSampler]. Follows torch.utils.data.distributed.DistributedSampler.
type DistributedSampler struct {
	d              Dataset
	replicas, rank int
	shuffle, drop  bool
	seed           uint64
	epoch          atomic.Int64
}

// NewDistributedSampler returns a sampler of this process's share of d. All shares have
// the same length: some examples are repeated, or with [DropLast](true) the last ones are
// left out. Here the default of [Shuffle] is true. It panics with ErrNil for a nil
// dataset or option, with ErrValue for an invalid rank and for a [Seed] without Shuffle.
func NewDistributedSampler(d Dataset, opts ...DistributedOption) *DistributedSampler {
	const op = "data.NewDistributedSampler"
	mustBeDataset(op, d)
	s := &DistributedSampler{d: d, replicas: 1, shuffle: true}
	seeded := false
	for _, o := range opts {
		switch o := o.(type) {
		case NumReplicas:
			s.replicas = int(o)
		case Rank:
			s.rank = int(o)
		case Shuffle:
			s.shuffle = bool(o)
		case Seed:
			s.seed, seeded = uint64(o), true
		case DropLast:
			s.drop = bool(o)
		default:
			panic(torch.BadOption(op, o))
		}
	}
	if s.replicas < 1 {
		panic(torch.NewError(op, torch.ErrValue, "NumReplicas",
			fmt.Sprintf("expected a positive number, got %d", s.replicas)))
	}
	if s.rank < 0 || s.rank >= s.replicas {
		panic(torch.NewError(op, torch.ErrValue, "Rank", fmt.Sprintf("expected 0 to %d, got %d", s.replicas-1, s.rank)))
	}
	if seeded && !s.shuffle {
		panic(torch.NewError(op, torch.ErrValue, "Seed", "has no effect with Shuffle(false), which draws nothing"))
	}
	return s
}

// SetEpoch sets the number of the next epoch, which changes the order of the examples. If
// you never call it, all epochs have the same order. Follows set_epoch.
func (s *DistributedSampler) SetEpoch(epoch int) {
	mustBeMade("data.DistributedSampler.SetEpoch", s.isMade())
	s.epoch.Store(int64(epoch))
}

func (s *DistributedSampler) isMade() bool { return s != nil && s.d != nil }

// Len returns the number of examples of this process.
func (s *DistributedSampler) Len() int {
	mustBeMade("data.DistributedSampler.Len", s.isMade())
	n, r := s.d.Len(), s.replicas
	if s.drop && n%r != 0 {
		return n / r
	}
	return n/r + min(1, n%r)
}

// Begin begins an epoch; see [Sampler]. It draws the same random numbers as Python, and
// does not use the default generator.
func (s *DistributedSampler) Begin() func() (int64, bool) {
	mustBeMade("data.DistributedSampler.Begin", s.isMade())
	n, own := s.d.Len(), s.Len()
	at := func(i int) int64 { return int64(i) }
	if s.shuffle {
		seed := s.seed + uint64(s.epoch.Load())
		order := permutation(n, torch.NewGenerator(torch.CPU).ManualSeed(seed))
		at = func(i int) int64 { return order[i] }
	}
	k := 0
	return func() (int64, bool) {
		if k == own || n == 0 {
			return 0, false
		}
		// after the last example, continues with the first ones, so that all shares are
		// equally long
		i := (s.rank + k*s.replicas) % n
		k++
		return at(i), true
	}
}

// String returns a string such as "DistributedSampler(rank 1 of 4, 250 examples)".
func (s *DistributedSampler) String() string {
	if !s.isMade() {
		return "DistributedSampler(nil)"
	}
	return fmt.Sprintf("DistributedSampler(rank %d of %d, %d examples)", s.rank, s.replicas, s.Len())
}
