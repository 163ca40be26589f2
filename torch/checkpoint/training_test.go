package checkpoint_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/optim/schedule"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/amp"
	"github.com/gotorch/gotorch/torch/checkpoint"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torchtest"
)

const roleVariable = "GOTORCH_CHECKPOINT_TEST"

func TestMain(m *testing.M) {
	// Losses are compared bit for bit, even across processes. Unless MKL_CBWR is set
	// before MKL is first used, MKL on some processors sums in an order that depends on
	// memory alignment.
	if err := os.Setenv("MKL_CBWR", "AUTO"); err != nil {
		panic(err)
	}
	if dir := os.Getenv(roleVariable); dir != "" {
		if err := victim(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// training has a model with dropout, a shuffled loader, an optimizer with momentum, a
// schedule and a scaler.
type training struct {
	model  *nn.Sequential
	opt    *optim.SGD
	sched  *schedule.StepLR
	scaler *amp.GradScaler
	loader *data.Loader
	set    *data.TensorDataset
	place  place
}

type place struct {
	Epoch, Batch, Step int
	Names              []string
	Best               *float64
}

const (
	batches = 5 // per epoch
	epochs  = 4
)

func newTraining() *training {
	torch.ManualSeed(7)
	t := &training{model: nn.NewSequential(nn.NewLinear(6, 8), nn.NewBatchNorm1d(8), nn.NewDropout(0.3),
		nn.NewLinear(8, 3))}
	torch.Scope(func() {
		x := torch.Randn(torch.Shape{4 * batches, 6})
		y := torch.RandInt(0, 3, torch.Shape{4 * batches})
		t.set = data.NewTensorDataset(torch.Disown(x), torch.Disown(y))
	})
	t.loader = data.NewLoader(t.set, data.BatchSize(4), data.Shuffle(true))
	t.opt = optim.NewSGD(t.model.Parameters(), optim.LR(0.1), optim.Momentum(0.9))
	t.sched = schedule.NewStepLR(t.opt, 3, schedule.Gamma(0.7))
	t.scaler = amp.NewGradScaler(amp.Device(torch.CPU), amp.GrowthInterval(4))
	return t
}

func (t *training) state() checkpoint.State {
	return checkpoint.State{
		"model": t.model, "optimizer": t.opt, "scheduler": t.sched, "scaler": t.scaler, "loader": t.loader,
		"place": &t.place,
	}
}

func (t *training) Close() {
	_ = t.model.Close()
	_ = t.opt.Close()
	_ = t.scaler.Close()
	_ = t.set.Close()
}

// run trains until the training is complete or the function after returns false.
func (t *training) run(after func(loss float64) bool) {
	for t.place.Epoch < epochs {
		for batch := range t.loader.All() {
			loss := F.CrossEntropy(t.model.Forward(batch.Input), batch.Target)
			t.opt.ZeroGrad()
			t.scaler.Scale(loss).Backward()
			t.scaler.Step(t.opt)
			t.scaler.Update()
			t.sched.Step()
			t.place.Step++
			t.place.Batch++
			if t.place.Batch == batches {
				t.place.Batch = 0
				t.place.Epoch++
			}
			if !after(loss.Item()) {
				return
			}
		}
	}
}

// undisturbed returns the losses of a training run that was never interrupted.
func undisturbed() (losses []float64) {
	t := newTraining()
	defer t.Close()
	t.run(func(loss float64) bool { losses = append(losses, loss); return true })
	return losses
}

func open(t *testing.T, dir string, opts ...checkpoint.Option) *checkpoint.Manager {
	t.Helper()
	m, err := checkpoint.Open(dir, opts...)
	require.NoError(t, err)
	return m
}

// A training run that is interrupted and resumed has the same losses as an uninterrupted
// run, bit for bit, at whatever step it was interrupted.
func TestLossesAfterResume(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	want := undisturbed()
	require.Len(t, want, batches*epochs)
	for _, async := range []bool{false, true} {
		for _, every := range []int{1, 3, batches, 2*batches + 1} {
			dir := t.TempDir()
			var got []float64
			for range len(want) + 1 {
				tr := newTraining()
				torch.ManualSeed(uint64(len(got)) + 99) // another process would begin with a different seed
				m := open(t, dir, checkpoint.Keep(2), checkpoint.Async(async))
				r, err := m.Resume(tr.state())
				if len(got) == 0 {
					require.ErrorIs(t, err, os.ErrNotExist)
					tr.Close()
					tr = newTraining()
				} else {
					require.NoError(t, err)
					assert.Equal(t, len(got), r.Step)
					assert.Empty(t, r.Skipped)
					assert.Empty(t, r.Unused)
				}
				left := every
				tr.run(func(loss float64) bool {
					got = append(got, loss)
					require.NoError(t, m.Save(t.Context(), len(got), tr.state()))
					left--
					return left > 0
				})
				require.NoError(t, m.Close())
				tr.Close()
				if len(got) == len(want) {
					break
				}
			}
			require.Equal(t, want, got, "async %v, every %d", async, every)
			all, err := checkpoint.List(dir)
			require.NoError(t, err)
			assert.Len(t, all, 2)
		}
	}
}

// victim trains and saves at each step until it is killed. It prints its progress, and
// writes the losses to a file.
func victim(dir string) error {
	t := newTraining()
	defer t.Close()
	async := os.Getenv(roleVariable+"_ASYNC") != ""
	m, err := checkpoint.Open(dir, checkpoint.Keep(3), checkpoint.Async(async))
	if err != nil {
		return err
	}
	at, err := m.Resume(t.state())
	switch {
	case errors.Is(err, os.ErrNotExist):
		fmt.Println("resumed 0 0")
	case err != nil:
		return err
	default:
		fmt.Println("resumed", at.Step, len(at.Skipped))
	}
	losses, err := os.OpenFile(filepath.Join(dir, "losses"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	m.Writing(func() { fmt.Println("writing") })
	for {
		t.run(func(loss float64) bool {
			step := t.place.Step
			if _, err = io.WriteString(losses, fmt.Sprintln(step, math.Float64bits(loss))); err != nil {
				return false
			}
			fmt.Println("saving")
			if err = m.Save(context.Background(), step, t.state()); err != nil {
				return false
			}
			if async {
				// the last step whose file is certainly complete, because Async is still
				// writing this one
				step--
			}
			fmt.Println("saved", step)
			return true
		})
		if err != nil || os.Getenv(roleVariable+"_END") != "" {
			return errors.Join(err, m.Close())
		}
		// Save the same step again and again until the process is killed.
		if err := m.Save(context.Background(), t.place.Step, t.state()); err != nil {
			return err
		}
		fmt.Println("ended")
	}
}
