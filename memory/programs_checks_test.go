package memory_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/thorough"
	"github.com/gotorch/gotorch/memory"
)

// check runs steps of a program and says whether it found a leak, and what.
type check struct {
	name string
	run  func(t *testing.T, step func(i int)) (found bool, what string)
}

const (
	checkedSteps   = 60
	monitoredSteps = 200
)

var checks = []check{
	{"AssertNoGrowth", func(_ *testing.T, step func(i int)) (bool, string) {
		var f failure
		ok := memory.AssertNoGrowth(&f, checkedSteps, step)
		return !ok, f.text
	}},
	{"LeakCheck", func(_ *testing.T, step func(i int)) (bool, string) {
		c := memory.StartLeakCheck()
		for i := range checkedSteps {
			step(i)
			c.Step()
		}
		left := c.Stop()
		return !left.None(), left.String()
	}},
	// A sample after each step, half a second apart by the monitor's clock.
	{"Monitor", func(t *testing.T, step func(i int)) (bool, string) {
		return monitored(t, step, memory.MonitorOptions{})
	}},
	{"Monitor with the C heap", func(t *testing.T, step func(i int)) (bool, string) {
		return monitored(t, step, memory.MonitorOptions{Quantities: []memory.Quantity{
			memory.NativeBytes, memory.OpenTensors, memory.OpenNodes, memory.OpenObjects, memory.CHeapBytes,
		}})
	}},
}

func monitored(t *testing.T, step func(i int), o memory.MonitorOptions) (found bool, what string) {
	o.OnLeak = func(tr memory.Trend) { found, what = true, tr.String() }
	m, err := memory.NewMonitor(o)
	require.NoError(t, err)
	m.TickBy(time.Second / 2)
	for i := 0; i < monitoredSteps && !found; i++ {
		step(i)
		m.Sample()
	}
	return found, what
}

// Every check finds every leaky program, and none of the clean ones.
func TestChecksOfPrograms(t *testing.T) {
	every := thorough.Or(1, 5)
	for _, c := range checks {
		if c.name == "Monitor with the C heap" {
			needsCHeap(t)
		}
		wrong, missed, n := 0, 0, [2]int{}
		for i, ps := range [][]program{clean, leaky} {
			for j, p := range ps {
				if j%every != 0 {
					continue
				}
				n[i]++
				r := &running{}
				step := p.start(r)
				memory.Collect()
				found, what := c.run(t, step)
				r.end()
				memory.Collect()
				switch leaks := i == 1; {
				case found && !leaks:
					wrong++
					t.Logf("%s: false alarm in %q: %s", c.name, p.name, what)
				case !found && leaks:
					missed++
					t.Logf("%s: missed the leak in %q", c.name, p.name)
				}
			}
		}
		right := n[1] - missed
		t.Logf("%-24s %d clean, %d leaky: precision %.3f, recall %.3f", c.name, n[0], n[1], float64(right)/float64(max(right+wrong, 1)), float64(right)/float64(n[1]))
		assert.Zero(t, wrong, "%s: false alarms", c.name)
		assert.Zero(t, missed, "%s: leaks missed", c.name)
	}
}
