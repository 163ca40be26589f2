package torch

import "sync/atomic"

// counter is a number that many goroutines change and few read. It is spread
// over cache lines, or two cores that do nothing but make tensors would spend
// their time handing one line to and fro.
type counter struct {
	shards [counterShards]struct {
		n    atomic.Int64
		tell atomic.Int64 // add reports when n passes this
		_    [48]byte
	}
}

const (
	counterShards = 16
	counterStep   = 128
)

// add changes the number. near is the address of an object that the caller has
// just made or used: allocators give each processor pages of its own, so the
// page chooses a shard that this core has probably written last. It reports
// whether the shard has grown by counterStep since the last call of told.
func (c *counter) add(near uintptr, delta int64) (grown bool) {
	s := &c.shards[near>>13%counterShards]
	return s.n.Add(delta) > s.tell.Load()
}

// told has add report growth from here on.
func (c *counter) told() {
	for i := range c.shards {
		s := &c.shards[i]
		// Most shards have not changed: a store would take their lines away from the
		// cores that use them.
		if next := s.n.Load() + counterStep; s.tell.Load() != next {
			s.tell.Store(next)
		}
	}
}

// load returns the sum, exact whenever nobody is changing it.
func (c *counter) load() int64 {
	var sum int64
	for i := range c.shards {
		sum += c.shards[i].n.Load()
	}
	return sum
}
