package pacer

import (
	"fmt"
	"math"
	"os"
	"sync"
	"sync/atomic"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/mem"
	"github.com/gotorch/gotorch/internal/sysmem"
)

// Without a limit of the program's own, a control group's is one: the kernel kills what
// goes above it, though garbage may fill half of it. The group's usage says what neither Go
// nor the allocator knows of, from libtorch's tables to the other processes in it.

const (
	// marginPart of the group's limit, and no more than mostMargin, stays free, for what
	// comes between two readings.
	marginPart = 10
	mostMargin = 1 << 30
	// leastReread is how many bytes are allocated at least until the group's usage is read
	// again, which takes some 100 µs; rereadPart is the part of what it has left.
	leastReread = 64 << 20
	rereadPart  = 4
)

// containerVariable is the environment variable that turns the container's limit off.
const containerVariable = "GOTORCH_CGROUP_LIMIT"

var container = newContainerLimit()

type containerLimit struct {
	off    bool
	mu     sync.Mutex   // held while reading
	next   atomic.Int64 // mem.CPU.Offered at which the group is read again
	bound  atomic.Int64 // what Go and native memory may take together by the last reading, 0 for any
	group  atomic.Pointer[sysmem.Group]
	lowers atomic.Bool // whether the threshold is lower for it
	said   atomic.Bool
}

func newContainerLimit() *containerLimit {
	c := &containerLimit{off: containerOff()}
	c.next.Store(lookEvery) // small programs never read it
	return c
}

// containerOff reads the environment. GOMEMLIMIT=off asks for no limit at all.
func containerOff() bool {
	switch value := os.Getenv("GOTORCH_CGROUP_LIMIT"); value {
	case "off":
		return true
	case "", "on":
	default:
		cgotorch.Warn(fmt.Sprintf("%s=%q is neither on nor off; it counts as on", containerVariable, value))
	}
	return os.Getenv("GOMEMLIMIT") == "off"
}

// limit is what Go and native memory may take together. It reports false, and math.MaxInt64,
// without a group's limit, and where the program has set one for the allocator.
func (c *containerLimit) limit() (bytes int64, contained bool) {
	if c.off {
		return math.MaxInt64, false
	}
	if mem.CPU.Offered.Load() >= c.next.Load() && c.mu.TryLock() {
		c.read()
		c.mu.Unlock()
	}
	if b := c.bound.Load(); b > 0 && mem.CPULimit() == 0 {
		return b, true
	}
	return math.MaxInt64, false
}

// read reads the group's usage.
func (c *containerLimit) read() {
	offered := mem.CPU.Offered.Load()
	g, ok := sysmem.Tightest()
	if !ok {
		free, _, _ := sysmem.Machine() // without an answer the least interval
		c.bound.Store(0)
		c.next.Store(offered + max(leastReread, free/rereadPart))
		return
	}
	var s mem.Stats
	mem.CPUStats(&s)
	unused := s.ReservedBytes[0].Current - s.AllocatedBytes[0].Current
	most := g.Limit - min(g.Limit/marginPart, mostMargin)
	left := most - g.Used
	c.group.Store(&g)
	// What the allocator keeps counts as used, and is there for tensors. Memory that nobody
	// has written to yet does not count, hence the lesser of both.
	c.bound.Store(max(min(most, charged()+goBytes()+left+unused), 1))
	c.next.Store(offered + max(leastReread, left/rereadPart))
}

// reread has the next limit read the group's usage: a collection has changed it.
func (c *containerLimit) reread() {
	if c.bound.Load() > 0 {
		c.next.Store(0)
	}
}

// say warns when the group's limit starts a collection, once.
func (c *containerLimit) say() {
	if !c.lowers.Load() || !c.said.CompareAndSwap(false, true) {
		return
	}
	g := c.group.Load()
	cgotorch.Warn(fmt.Sprintf("garbage is collected early to stay below the memory limit of %d bytes of the control group %s. "+
		"Set GOMEMLIMIT for a limit of your own, or %s=off for none", g.Limit, g.Path, containerVariable))
}
