package memory_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/thorough"
	"github.com/gotorch/gotorch/memory"
)

// check is a leak tool. Its function runs steps of a program, and returns whether it found a leak, with a report.
type check struct {
	name string
	run  func(t *testing.T, step func(i int)) (found bool, what string)
}

const (
	checkedSteps   = 100
	monitoredSteps = 200
)

const heapCheck = "Monitor with the C heap"

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
	// The Monitor samples after each step. Its clock advances by half a second per step.
	{"Monitor", func(t *testing.T, step func(i int)) (bool, string) {
		return monitored(t, step, memory.MonitorOptions{})
	}},
	{heapCheck, func(t *testing.T, step func(i int)) (bool, string) {
		return monitored(t, step, memory.MonitorOptions{Quantities: []memory.Quantity{
			memory.NativeBytes, memory.OpenTensors, memory.OpenNodes, memory.OpenObjects, memory.CHeapBytes,
		}})
	}},
}

func monitored(t *testing.T, step func(i int), o memory.MonitorOptions) (found bool, what string) {
	o.OnLeak = func(tr memory.Alert) { found, what = true, tr.String() }
	m, err := memory.NewMonitor(o)
	require.NoError(t, err)
	m.TickBy(time.Second / 2)
	for i := 0; i < monitoredSteps && !found; i++ {
		step(i)
		m.Sample()
	}
	return found, what
}

// Every check finds every leaky program and reports no clean one.
func TestChecksOfPrograms(t *testing.T) {
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) {
			if c.name == heapCheck {
				needsCHeap(t)
			}
			c.runAll(t, thorough.Or(1, 5))
		})
	}
}

// runAll runs the check on some of the programs, and prints its error rates.
func (c check) runAll(t *testing.T, every int) {
	var alarms, all [2]int // of the clean and of the leaky ones
	for i, ps := range [][]program{clean, leaky} {
		for j := 0; j < len(ps); j += every {
			r := &running{}
			step := ps[j].start(r)
			memory.Collect()
			found, what := c.run(t, step)
			r.end()
			memory.Collect()
			all[i]++
			if found {
				alarms[i]++
			}
			leaks := i == 1
			assert.Equal(t, leaks, found, "%s: %s", ps[j].name, what)
		}
	}
	precision, recall := float64(alarms[1])/float64(max(alarms[0]+alarms[1], 1)), float64(alarms[1])/float64(all[1])
	t.Logf("%d clean programs, %d leaky ones: precision %.3f, recall %.3f", all[0], all[1], precision, recall)
}
