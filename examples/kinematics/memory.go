package main

import (
	"fmt"
	"io"
	"time"

	"github.com/gotorch/gotorch/examples/kinematics/robot"
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

// study compares the time and memory of many solves with and without scopes and Clear.
type study struct {
	changed        int // number of solves with cleanup that changed the live bytes
	tidy, careless usage
}

type usage struct {
	took time.Duration
	// Peak in bytes, without the bytes that are live between solves.
	peak int64
}

// memoryStudy solves many times in two ways. The first is how the program does it: with a
// scope for each iteration, and Clear. The second uses neither and leaves everything to
// the garbage collector.
func memoryStudy(c config, chain *robot.SerialChain, out io.Writer) error {
	s := compare(c, chain)
	fmt.Fprintf(out, "%d solves of %d targets, %d attempts each, then the same without cleaning up\n", c.memory,
		c.problems, c.retries)
	fmt.Fprintf(out, "  solves after which other bytes were alive than before: %d\n", s.changed)
	fmt.Fprintf(out, "  peak %8.2f MiB and %8.2f MiB: %.0f %% less\n",
		mib(s.tidy.peak), mib(s.careless.peak), 100*(1-float64(s.tidy.peak)/float64(s.careless.peak)))
	fmt.Fprintf(out, "  time %8.2f s   and %8.2f s:   %+.1f %%\n",
		s.tidy.took.Seconds(), s.careless.took.Seconds(), 100*(s.tidy.took.Seconds()/s.careless.took.Seconds()-1))
	return s.check()
}

// check returns an error if a solve with cleanup left bytes behind.
func (s study) check() error {
	if s.changed != 0 {
		return fmt.Errorf("the number of live native bytes differed after %d of the solves that free their tensors",
			s.changed)
	}
	return nil
}

func mib(bytes int64) float64 { return float64(bytes) / (1 << 20) }

// compare measures the solves with and without cleanup. It alternates between them ten
// times, so that other load on the machine affects both.
func compare(c config, chain *robot.SerialChain) (s study) {
	settings := c.settings()
	tidy := robot.NewPseudoInverseIK(chain, settings)
	defer tidy.Close()
	settings.Scope = func(fn func()) { fn() }
	careless := robot.NewPseudoInverseIK(chain, settings)
	defer careless.Close()
	targets := torch.Disown(torch.Tidy(func() *torch.Tensor {
		return chain.ForwardKinematics(chain.RandomPositions(int64(c.problems)))
	}))
	defer targets.Close()

	before := memory.Allocated(torch.CPU)
	clean := func() {
		solution := tidy.Solve(targets)
		solution.Clear()
		tidy.Clear()
		if memory.Allocated(torch.CPU) != before {
			s.changed++
		}
	}
	clean() // warm-up, because libraries allocate memory in the first solve
	careless.Solve(targets)
	s.changed = 0
	for left := c.memory; left > 0; {
		n := min(left, (c.memory+9)/10)
		left -= n
		careless.Clear()
		memory.Collect()
		s.tidy.add(n, before, clean)
		s.careless.add(n, before, func() { careless.Solve(targets) })
	}
	careless.Clear()
	memory.Collect()
	return s
}

// add measures n solves and adds them to u.
func (u *usage) add(n int, before int64, solve func()) {
	memory.ResetPeak(torch.CPU)
	start := time.Now()
	for range n {
		solve()
	}
	u.took += time.Since(start)
	u.peak = max(u.peak, memory.MaxAllocated(torch.CPU)-before)
}
