package memory_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/internal/thorough"
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// unusedAfter are leaky programs that do not use their state after the last step. The state is
// garbage as soon as the step function is.
var unusedAfter = []program{
	{"list", func(*running) func(int) {
		var kept []*torch.Tensor
		return func(int) { kept = append(kept, torch.Ones(torch.Shape{64})) }
	}},
	{"method", func(*running) func(int) { return new(recorder).step }},
	{"losses with their graphs", func(*running) func(int) {
		//torchvet:ignore looptensor the collector has it afterwards
		model, x := nn.NewLinear(8, 1), torch.Randn(torch.Shape{4, 8})
		var losses []*torch.Tensor
		return func(int) { losses = append(losses, model.Forward(x).Sum()) }
	}},
	{"map", func(*running) func(int) {
		cache := map[int]*torch.Tensor{}
		return func(i int) { cache[i] = torch.Ones(torch.Shape{64}) }
	}},
	{"hooks", func(*running) func(int) {
		w := torch.Ones(torch.Shape{4}).RequiresGrad_(true)
		return func(int) {
			//torchvet:ignore growing the leak that is looked for
			w.RegisterHook(func(*torch.Tensor) *torch.Tensor { return nil })
		}
	}},
	{"generators", func(*running) func(int) {
		var gs []*torch.Generator
		return func(int) { gs = append(gs, torch.NewGenerator(torch.CPU)) }
	}},
}

type recorder struct{ kept []*torch.Tensor }

func (r *recorder) step(int) { r.kept = append(r.kept, torch.Ones(torch.Shape{64})) }

// A leak is found even if the program does not use the leaked tensors after the last step.
func TestStateThatIsNotUsedAfterwards(t *testing.T) {
	for _, p := range unusedAfter {
		t.Run(p.name, func(t *testing.T) {
			var f failure
			assert.False(t, memory.AssertNoGrowth(&f, checkedSteps, p.start(&running{})))
			assert.Contains(t, f.text, "100 more")

			step := p.start(&running{})
			c := memory.StartLeakCheck()
			for i := range checkedSteps {
				step(i)
				c.Step()
			}
			left := c.Stop()
			assert.False(t, left.None())
			assert.Regexp(t, "^100 more ", left.String(), "at the last look")
		})
	}
	memory.Collect()
}

// queue is a list of tensors whose length the program sets.
type queue struct{ ts []*torch.Tensor }

func (q *queue) resize(n int) {
	for len(q.ts) > n {
		_ = q.ts[len(q.ts)-1].Close()
		q.ts = q.ts[:len(q.ts)-1]
	}
	for len(q.ts) < n {
		q.ts = append(q.ts, torch.Disown(small()))
	}
}

// bounded contains random sequences of list lengths that stay within bounds.
var bounded = map[string]func(r *rand.Rand) (length func() int){
	"random walk in 0 to 20": func(r *rand.Rand) func() int {
		n := r.IntN(21)
		return func() int { n = min(max(n+2*r.IntN(2)-1, 0), 20); return n }
	},
	"lazy random walk in 0 to 20": func(r *rand.Rand) func() int {
		n := 0
		return func() int { n = min(max(n+r.IntN(3)-1, 0), 20); return n }
	},
	"list of an epoch of 60": func(r *rand.Rand) func() int {
		n := r.IntN(60)
		return func() int { n = (n + 1) % 60; return n }
	},
	"bursts": func(r *rand.Rand) func() int {
		return func() int { return r.IntN(2) * r.IntN(20) }
	},
}

// Lists whose length varies within bounds seldom look like leaks.
func TestBoundedListsThatMove(t *testing.T) {
	runs := thorough.Or(25, 5)
	for name, start := range bounded {
		alarms := 0
		for seed := range runs {
			var q queue
			length := start(rand.New(rand.NewPCG(uint64(seed), 1)))
			if !memory.AssertNoGrowth(&failure{}, checkedSteps, func(int) { q.resize(length()) }) {
				alarms++
			}
			q.resize(0)
		}
		t.Logf("%s: %d alarms in %d runs", name, alarms, runs)
		assert.LessOrEqual(t, alarms, runs/10, name)
	}
}

// Emptying a list does not hide a leak by another line.
func TestEmptiedListHidesNoLeak(t *testing.T) {
	for _, steps := range []int{100, 400} {
		t.Run(fmt.Sprint(steps), func(t *testing.T) {
			var list queue
			var kept []*torch.Tensor
			var f failure
			assert.False(t, memory.AssertNoGrowth(&f, steps, func(i int) {
				kept = append(kept, torch.Ones(torch.Shape{64}))
				list.resize(len(list.ts) + 2)
				if len(list.ts) > steps {
					list.resize(0)
				}
			}))
			assert.Contains(t, f.text, fmt.Sprintf("%d more tensors are open", steps))
			assert.Regexp(t, `\+\d+ B .* programs_unused_test\.go:\d+ .*func1`, f.text)
			list.resize(0)
			closeAll(kept...)()
		})
	}
}

// If tensors of one line replace tensors of another line, memory does not grow.
func TestLineThatReplacesAnotherIsNoLeak(t *testing.T) {
	var q queue
	q.resize(200)
	memory.AssertNoGrowth(t, 100, func(i int) {
		_ = q.ts[i].Close()
		q.ts[i] = torch.Ones(torch.Shape{64})
	})
	q.resize(0)
	filled := make([]*torch.Tensor, 300)
	memory.AssertNoGrowth(t, 100, func(i int) {
		for j := range filled {
			if filled[j] == nil {
				filled[j] = small()
			}
		}
		_ = filled[i].Close()
		filled[i] = torch.Ones(torch.Shape{64})
	})
	closeAll(filled...)()
}
