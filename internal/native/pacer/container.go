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

// If the program sets no limit, the limit of its control group applies. The kernel kills
// processes above that limit, even if half of the memory is garbage. The group's usage
// includes memory that neither Go nor the allocator counts, such as libtorch's tables and
// the memory of other processes.

const (
	// 1/marginPart of the group's limit, at most mostMargin, stays free for allocations
	// between two readings of the group's usage.
	marginPart = 10
	mostMargin = 1 << 30
	// reread is the shortest time between two readings of the group's usage. A reading
	// takes about 200 µs. In between, only the program's own allocations are counted.
	// unlimitedReread is used for groups without a limit, which may get one later.
	reread          = 50 * time.Millisecond
	unlimitedReread = 2 * time.Second
)

// containerVariable is the environment variable that turns off the container's limit.
const containerVariable = "GOTORCH_CGROUP_LIMIT"

var container = newContainerLimit()

type containerLimit struct {
	off    bool
	start  time.Time
	mu     sync.Mutex   // held while reading
	next   atomic.Int64 // when to read the group's usage next, in ns since start
	bound  atomic.Int64 // bytes that Go and native memory may use together, as of the last reading; 0 means no bound
	group  atomic.Pointer[sysmem.Group]
	lowers atomic.Bool // whether the group's limit lowers the threshold
	said   atomic.Bool
}

func newContainerLimit() *containerLimit {
	return &containerLimit{off: containerOff(), start: time.Now()}
}

// containerOff reports whether the environment turns the container's limit off.
// GOMEMLIMIT=off means no limit at all.
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

// limit returns the number of bytes that Go and native memory may use together. It
// returns math.MaxInt64 and false if the group has no limit, or if the program has set a
// limit for the allocator.
func (c *containerLimit) limit() (bytes int64, contained bool) {
	if c.off {
		return math.MaxInt64, false
	}
	small := mem.CPU.Offered.Load() < lookEvery // a small program never reads the group's usage
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
	// The group's usage includes cached memory. Because tensors can use that memory, its
	// size is added. Cached memory that was never written to is not part of the usage, so
	// the sum may be too large: most bounds it.
	c.bound.Store(max(min(most, charged()+goBytes()+left+unused), 1))
	c.next.Store(int64(time.Since(c.start) + reread))
}

// changed makes the next call of limit read the group's usage, because a collection has
// changed it.
func (c *containerLimit) changed() {
	if c.bound.Load() > 0 {
		c.next.Store(0)
	}
}

// say warns that the group's limit has started a garbage collection. It warns only once.
func (c *containerLimit) say() {
	if !c.lowers.Load() || !c.said.CompareAndSwap(false, true) {
		return
	}
	g := c.group.Load()
	cgotorch.Warn(fmt.Sprintf("garbage is collected early "+
		"to stay below the memory limit of %d bytes of the control group %s. "+
		"Set GOMEMLIMIT for a limit of your own, or %s=off for none", g.Limit, g.Path, containerVariable))
}
