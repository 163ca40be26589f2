package faults_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/nn/parallel"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/checkpoint"
	"github.com/gotorch/gotorch/torch/distributed"
)

// settings configure a rank.
type settings struct {
	Steps    int
	ByHand   bool          // gradients are averaged without DistributedDataParallel
	Every    int           // steps between checkpoints and between monitored barriers, 0 for none
	Dir      string        // folder of the checkpoints, "" for none
	Pace     time.Duration // the shortest time that a step takes
	Timeout  time.Duration // timeout of the group
	Patience time.Duration // time limit of a monitored barrier
	Hold     string        // path of a file that rank 0 waits for before the last step, "" for none
	StopIn   string        // rank 1 stops at step StopAt after its first start: before "barrier" or "step"
	StopAt   int
}

// trainer is the training of one rank.
type trainer struct {
	settings
	g     *distributed.ProcessGroup
	model *nn.Sequential
	net   *parallel.DistributedDataParallel // nil if ByHand
	opt   *optim.SGD
	saves *checkpoint.Manager // set only on rank 0; nil if Dir is ""
	at    int                 // the last step
}

// run trains, starting from the newest checkpoint if there is one.
func run(ctx context.Context, g *distributed.ProcessGroup, s settings) (o outcome, err error) {
	torch.SetNumThreads(1)
	torch.ManualSeed(1)
	t := &trainer{settings: s, g: g}
	t.model = nn.NewSequential(nn.NewLinear(32, 64), nn.NewReLU(), nn.NewLinear(64, 10))
	defer t.model.Close()
	t.opt = optim.NewSGD(t.model.Parameters(), optim.LR(0.05), optim.Momentum(0.9))
	defer t.opt.Close()
	if err := t.resume(); err != nil {
		return o, err
	}
	if t.saves != nil {
		defer func() { err = errors.Join(err, t.saves.Close()) }()
	}
	if !s.ByHand {
		if t.net, err = parallel.NewDistributedDataParallel(ctx, t.model, g); err != nil {
			return o, err
		}
		defer t.net.Release()
		t.net.SetContext(ctx)
	}
	for t.at < t.Steps && err == nil {
		err = t.next(ctx)
	}
	return outcome{Step: t.at, Digest: t.digest()}, err
}

// state returns the state that checkpoints contain.
func (t *trainer) state() checkpoint.State {
	return checkpoint.State{"model": t.model, "optimizer": t.opt, "at": &t.at}
}

// resume continues from the newest checkpoint. Rank 0 also opens the directory for
// writing.
func (t *trainer) resume() (err error) {
	if t.Dir == "" {
		return nil
	}
	if t.g.Rank() == 0 {
		if t.saves, err = checkpoint.Open(t.Dir, checkpoint.Keep(2)); err != nil {
			return err
		}
	}
	if _, err = checkpoint.Resume(t.Dir, t.state()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	say("resumed %d", t.at)
	return nil
}

// next takes one step. After every Every steps it also calls between.
func (t *trainer) next(ctx context.Context) error {
	began := time.Now()
	if t.at == t.Steps-1 && t.Hold != "" {
		if err := t.hold(ctx); err != nil {
			return err
		}
	}
	t.stopped("step")
	var err error
	if panicked := torch.Try(func() { torch.Scope(func() { err = t.step(ctx) }) }); panicked != nil {
		err = panicked
	}
	if err != nil {
		return err
	}
	t.at++
	say("step %d", t.at)
	if t.Every > 0 && t.at%t.Every == 0 {
		if err := t.between(ctx); err != nil {
			return err
		}
	}
	time.Sleep(t.Pace - time.Since(began))
	return nil
}

// step computes the gradients of this rank's batch, averages them, and updates the
// parameters.
func (t *trainer) step(ctx context.Context) error {
	shift := int64(t.at*7 + t.g.Rank()*13) // each step and each rank has its own batch
	x := torch.Arange(16*32).To(torch.Float32).View(16, 32).AddScalar(shift).Sin()
	y := torch.Arange(16).AddScalar(shift).To(torch.Int64).RemainderScalar(10)
	t.opt.ZeroGrad()
	F.CrossEntropy(t.forward(x), y).Backward()
	if err := t.average(ctx); err != nil {
		return err
	}
	t.opt.Step()
	return nil
}

func (t *trainer) forward(x *torch.Tensor) *torch.Tensor {
	if t.ByHand {
		return t.model.Forward(x)
	}
	return t.net.Forward(x)
}

// average averages the gradients, unless Backward has averaged them.
func (t *trainer) average(ctx context.Context) error {
	if !t.ByHand {
		return nil
	}
	for _, p := range t.model.Parameters() {
		if err := t.g.AllReduce(ctx, p.Grad()); err != nil {
			return err
		}
		p.Grad().DivScalar_(t.g.Size())
	}
	return nil
}

// between saves a checkpoint and detects ranks that hang.
func (t *trainer) between(ctx context.Context) error {
	if t.saves != nil {
		if err := t.saves.Save(ctx, t.at, t.state()); err != nil {
			return err
		}
		say("saved %d", t.at)
	}
	if t.StopIn == "barrier" && t.at == t.StopAt {
		// Wait until rank 0 has finished the step, which it cannot do without rank 1.
		if err := t.g.Barrier(ctx); err != nil {
			return err
		}
	}
	t.stopped("barrier")
	ctx, cancel := context.WithTimeout(ctx, t.Patience)
	defer cancel()
	return t.g.MonitoredBarrier(ctx)
}

// stopped stops this process with SIGSTOP if the settings say that the rank hangs at this point.
func (t *trainer) stopped(in string) {
	if in == t.StopIn && t.at == t.StopAt && t.g.Rank() == 1 && os.Getenv("TORCHELASTIC_RESTART_COUNT") == "0" {
		say("stops")
		_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
		select {} // SIGSTOP may stop the other threads before this one
	}
}

// hold makes all ranks wait until rank 0 sees a file.
func (t *trainer) hold(ctx context.Context) error {
	there := torch.Zeros(torch.Shape{1})
	defer func() { _ = there.Close() }()
	say("holds")
	for {
		if _, err := os.Stat(t.Hold); err == nil {
			torch.NoGrad(func() { there.Fill_(1) })
		}
		if err := t.g.Broadcast(ctx, there, 0); err != nil {
			return err
		}
		if there.Item() == 1 {
			return nil
		}
		time.Sleep(t.Pace)
	}
}

// digest returns a hash of the parameters' bits.
func (t *trainer) digest() string {
	h := sha256.New()
	torch.Scope(func() {
		for _, p := range t.model.Parameters() {
			_, _ = h.Write(p.Detach().Flatten().ViewDType(torch.Uint8).Uint8s()) // cannot fail
		}
	})
	return hex.EncodeToString(h.Sum(nil))
}
