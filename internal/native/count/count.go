// Package count provides a counter that many goroutines change and few goroutines read.
package count

import "sync/atomic"

// Counter is spread over several cache lines. With a single cache line, cores that only
// create tensors would spend their time passing that line back and forth. The zero
// Counter is ready to use.
type Counter struct {
	shard [shards]struct {
		n    atomic.Int64
		tell atomic.Int64 // Add returns true if n is larger than this
		_    [48]byte
	}
}

const (
	shards = 16
	step   = 128
)

// Add adds delta to the number. near is the address of an object that the caller has just
// created or used. Allocators give each processor its own pages, so the address selects a
// shard that this core probably wrote last. Add reports whether this shard has grown by
// more than step since the last call of Told.
func (c *Counter) Add(near uintptr, delta int64) (grown bool) {
	s := &c.shard[near>>13%shards]
	return s.n.Add(delta) > s.tell.Load()
}

// Told makes Add report growth relative to the values that the shards have now.
func (c *Counter) Told() {
	for i := range c.shard {
		s := &c.shard[i]
		// Most shards have not changed. Storing would take their cache lines from the
		// cores that use them.
		if next := s.n.Load() + step; s.tell.Load() != next {
			s.tell.Store(next)
		}
	}
}

// Load returns the sum. It is exact if no goroutine is changing the counter.
func (c *Counter) Load() int64 {
	var sum int64
	for i := range c.shard {
		sum += c.shard[i].n.Load()
	}
	return sum
}
