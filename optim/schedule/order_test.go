package schedule_test

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/again"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/optim/schedule"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/amp"
)

const orderProcess = "GOTORCH_TEST_ORDER"

// mine is an optimizer that a program defines.
type mine struct{ *optim.Base }

func (m *mine) Step() { m.Run(m, nil, func() {}) }

// orders are sequences of calls before a scheduler's first step, and whether that step warns.
var orders = []struct {
	name  string
	warns bool
	first func(w *torch.Tensor, opt optim.Optimizer)
	make  func(opt optim.Optimizer) schedule.Scheduler
}{
	{"nothing", true, func(*torch.Tensor, optim.Optimizer) {}, nil},
	{"a step", false, func(_ *torch.Tensor, opt optim.Optimizer) { opt.Step() }, nil},
	{"a step with hooks", false, func(_ *torch.Tensor, opt optim.Optimizer) {
		opt.(*optim.SGD).RegisterStepPreHook(func(optim.Optimizer) {})
		opt.Step()
	}, nil},
	{"a step with a closure", false, func(w *torch.Tensor, opt optim.Optimizer) {
		opt.(*optim.SGD).StepClosure(func() *torch.Tensor { return w.Sum() })
	}, nil},
	{"a graphed step", false, func(w *torch.Tensor, opt optim.Optimizer) {
		step := optim.GraphedStep(func(batch []*torch.Tensor) *torch.Tensor { return batch[0].Mul(w).Sum() }, opt)
		step.Call(torch.Ones(torch.Shape{1}))
	}, nil},
	{"a step left out for its gradients", false, func(w *torch.Tensor, opt optim.Optimizer) {
		scaler := amp.NewGradScaler(amp.Device(torch.CPU))
		scaler.Scale(w.Sum()).Backward()
		w.SetGrad(torch.Full(torch.Shape{1}, math.Inf(1)))
		scaler.Step(opt)
	}, nil},
	{
		"a scheduler in another", true, func(*torch.Tensor, optim.Optimizer) {},
		func(opt optim.Optimizer) schedule.Scheduler {
			return schedule.NewChainedScheduler([]schedule.Scheduler{schedule.NewExponentialLR(opt, 0.5)})
		},
	},
	{
		"chains in a sequence", false, func(_ *torch.Tensor, opt optim.Optimizer) { opt.Step() },
		func(opt optim.Optimizer) schedule.Scheduler {
			chain := schedule.NewChainedScheduler([]schedule.Scheduler{schedule.NewExponentialLR(opt, 0.5)})
			return schedule.NewSequentialLR(opt, []schedule.Scheduler{chain}, nil)
		},
	},
	{"warm restarts", false, func(*torch.Tensor, optim.Optimizer) {}, func(opt optim.Optimizer) schedule.Scheduler {
		return schedule.NewCosineAnnealingWarmRestarts(opt, 2)
	}},
}

// A scheduler that steps before the optimizer's first step warns once.
func TestStepBeforeTheOptimizers(t *testing.T) {
	if os.Getenv(orderProcess) != "" {
		torch.SetWarnings(torch.WarnAlways)
		for _, o := range orders {
			_, _ = os.Stderr.WriteString("--\n")
			torch.Scope(func() {
				w := torch.Ones(torch.Shape{1}, torch.RequiresGrad(true))
				opt := optim.NewSGD([]*torch.Tensor{w}, optim.LR(1))
				var s schedule.Scheduler
				if o.make == nil {
					s = schedule.NewStepLR(opt, 2)
				} else {
					s = o.make(opt)
				}
				o.first(w, opt)
				s.Step()
				s.Step()
			})
		}
		return
	}
	cmd := again.Command("-test.run=^TestStepBeforeTheOptimizers$")
	cmd.Env = append(os.Environ(), orderProcess+"=1")
	var text strings.Builder
	cmd.Stderr = &text
	require.NoError(t, cmd.Run())
	parts := strings.Split(text.String(), "--\n")
	require.Len(t, parts, len(orders)+1, text.String())
	for i, o := range orders {
		want := 0
		if o.warns {
			want = 1
		}
		assert.Equal(t, want, strings.Count(parts[i+1], "LR.Step was called before the optimizer's Step"), "%s: %s",
			o.name, parts[i+1])
	}
}

// The steps of a program's own optimizer count too, if they go through Run.
func TestStepped(t *testing.T) {
	w := torch.Ones(torch.Shape{1}, torch.RequiresGrad(true))
	defer w.Close()
	m := &mine{optim.NewBase("Mine", []*torch.Tensor{w}, []optim.Option{optim.LR(1)})}
	defer m.Close()
	assert.False(t, m.Stepped())
	m.Step()
	assert.True(t, m.Stepped())
	skipped := optim.NewSGD([]*torch.Tensor{w}, optim.LR(1))
	defer skipped.Close()
	skipped.SkipStep()
	assert.True(t, skipped.Stepped())
}

// A sequence continues to count from LastEpoch.
func TestSequentialLastEpoch(t *testing.T) {
	w := torch.Ones(torch.Shape{1}, torch.RequiresGrad(true))
	defer w.Close()
	opt := optim.NewSGD([]*torch.Tensor{w}, optim.LR(1))
	defer opt.Close()
	opt.Step()
	parts := func() []schedule.Scheduler {
		return []schedule.Scheduler{schedule.NewConstantLR(opt), schedule.NewExponentialLR(opt, 0.5)}
	}
	s := schedule.NewSequentialLR(opt, parts(), []int{4}, schedule.LastEpoch(1))
	assert.EqualValues(t, 2, s.LastEpoch())
	var rates []float64
	for range 4 {
		s.Step()
		rates = append(rates, s.LastLR()[0])
	}
	assert.EqualValues(t, 6, s.LastEpoch())
	assert.Equal(t, []float64{1. / 3, 1, 0.5, 0.25}, rates, "as in Python")
	for _, bad := range []schedule.LastEpoch{-2, math.MaxInt64} {
		assert.ErrorIs(t, torch.Try(func() { schedule.NewSequentialLR(opt, parts(), []int{4}, bad) }), torch.ErrValue)
	}
}
