package torch

import "sync/atomic"

// counter is a number that many goroutines change and few read. It is spread
// over cache lines, or two cores that do nothing but make tensors would spend
// their time handing one line to and fro.
type counter struct {
	shards [counterShards]struct {
		n atomic.Int64
		_ [56]byte
	}
}

const counterShards = 16

// add changes the number. near is the address of an object that the caller has
// just made or used: allocators give each processor pages of its own, so the
// page chooses a shard that this core has probably written last.
func (c *counter) add(near uintptr, delta int64) {
	c.shards[near>>13%counterShards].n.Add(delta)
}

// load returns the sum, exact whenever nobody is changing it.
func (c *counter) load() int64 {
	var sum int64
	for i := range c.shards {
		sum += c.shards[i].n.Load()
	}
	return sum
}
