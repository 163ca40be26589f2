// Package count keeps a number that many goroutines change and few read.
package count

import "sync/atomic"

// Counter is spread over cache lines, or two cores that do nothing but make tensors
// would spend their time handing one line to and fro. The zero Counter is ready to use.
type Counter struct {
	shard [shards]struct {
		n    atomic.Int64
		tell atomic.Int64 // add reports when n passes this
		_    [48]byte
	}
}

const (
	shards = 16
	step   = 128
)

// Add changes the number. near is the address of an object that the caller has
// just made or used: allocators give each processor pages of its own, so the
// page chooses a shard that this core has probably written last. It reports
// whether the shard has grown by step since the last call of Told.
func (c *Counter) Add(near uintptr, delta int64) (grown bool) {
	s := &c.shard[near>>13%shards]
	return s.n.Add(delta) > s.tell.Load()
}

// Told has Add report growth from here on.
func (c *Counter) Told() {
	for i := range c.shard {
		s := &c.shard[i]
		// Most shards have not changed: a store would take their lines away from the
		// cores that use them.
		if next := s.n.Load() + step; s.tell.Load() != next {
			s.tell.Store(next)
		}
	}
}

// Load returns the sum, exact whenever nobody is changing it.
func (c *Counter) Load() int64 {
	var sum int64
	for i := range c.shard {
		sum += c.shard[i].n.Load()
	}
	return sum
}
