package memory_test

import (
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// BenchmarkChecks measures the cost of the checks in the training of a small MLP: the CPU
// time of a step, and of the check after it. docs/leaks.md contains the results.
func BenchmarkChecks(b *testing.B) {
	p := &running{}
	defer p.end()
	mlp := p.trainer(nn.NewSequential(nn.NewLinear(784, 128), nn.NewReLU(), nn.NewLinear(128, 10)), 64, 784)
	step := scoped(func(int) { mlp.step() })
	steps := 0
	run := func(b *testing.B, name string, check func()) {
		b.Helper()
		b.Run(name, func(b *testing.B) {
			var training, checking time.Duration
			for b.Loop() {
				start := cpuTime(b)
				step(steps)
				stepped := cpuTime(b)
				check()
				training += stepped - start
				checking += cpuTime(b) - stepped
				steps++
			}
			b.ReportMetric(float64(training.Microseconds())/float64(b.N), "step-µs")
			b.ReportMetric(float64(checking.Microseconds())/float64(b.N), "check-µs")
		})
	}

	run(b, "none", func() {})
	c := memory.StartLeakCheck()
	run(b, "LeakCheck.Step", c.Step)
	require.True(b, c.Stop().None())
	for name, collect := range map[string]bool{"Monitor.Sample": false, "Monitor.Sample, collecting": true} {
		m, err := memory.NewMonitor(memory.MonitorOptions{Collect: collect})
		require.NoError(b, err)
		run(b, name, func() { m.Sample() })
	}
	run(b, "Objects", func() { memory.Objects() })

	defer memory.TrackTensors(memory.TrackTensors(1))
	var kept []*torch.Tensor
	defer func() { closeAll(kept...)() }()
	w := torch.Ones(torch.Shape{4}, torch.RequiresGrad(true))
	for range 5000 {
		kept = append(kept, torch.Ones(torch.Shape{4}), w.Exp())
	}
	kept = append(kept, w)
	run(b, "10,001 listed tensors/Objects", func() { memory.Objects() })
	run(b, "10,001 listed tensors/LiveTensors", func() { memory.LiveTensors() })
}

// cpuTime returns the CPU time of the process, which depends less on other processes than
// wall-clock time does.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
