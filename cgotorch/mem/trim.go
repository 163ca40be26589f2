package mem

import (
	"runtime"
	"time"
)

// idle is how long memory stays in the cache unused before it goes back to the
// system. The allocator sees to it while the program allocates; a program that
// does nothing still collects garbage every two minutes, and each collection
// looks after the cache here.
const idle = 10 * time.Second

// A mark is garbage from the start: its cleanup runs after each collection.
type mark struct{ self *mark }

func init() { arm(time.Now()) }

func arm(last time.Time) {
	m := &mark{}
	m.self = m // a pointer inside keeps it out of the blocks that tiny objects share
	runtime.AddCleanup(m, func(last time.Time) {
		// A program that collects a thousand times a second shall not look at
		// its free blocks as often.
		if now := time.Now(); now.Sub(last) > time.Second {
			CPUTrim(idle.Milliseconds())
			last = now
		}
		arm(last)
	}, last)
}
