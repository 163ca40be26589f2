package pacer

import (
	"fmt"
	"math"
	"os"
	"sync"
	"sync/atomic"
	"time"

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
	// reread is how often the group's usage is read again at most, which takes some 200 µs: what
	// the program itself has allocated since counts without that. unlimitedReread is for
	// groups without a limit, which may get one.
	reread          = 50 * time.Millisecond
	unlimitedReread = 2 * time.Second
)

// containerVariable is the environment variable that turns the container's limit off.
const containerVariable = "GOTORCH_CGROUP_LIMIT"

var container = newContainerLimit()

type containerLimit struct {
	off    bool
	start  time.Time
	mu     sync.Mutex   // held while reading
	next   atomic.Int64 // when the group is read again, a time.Duration from the start
	bound  atomic.Int64 // what Go and native memory may take together by the last reading, 0 for any
	group  atomic.Pointer[sysmem.Group]
	lowers atomic.Bool // whether the threshold is lower for it
	said   atomic.Bool
}

func newContainerLimit() *containerLimit {
	return &containerLimit{off: containerOff(), start: time.Now()}
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
	small := mem.CPU.Offered.Load() < lookEvery // programs never read it
	if !small && int64(time.Since(c.start)) >= c.next.Load() && c.mu.TryLock() {
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
	g, ok := sysmem.Tightest()
	if !ok {
		c.bound.Store(0)
		c.next.Store(int64(time.Since(c.start) + unlimitedReread))
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
	c.next.Store(int64(time.Since(c.start) + reread))
}

// changed has the next limit read the group's usage, since a collection has changed it.
func (c *containerLimit) changed() {
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
