package soak

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/nn/parallel"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
)

// twoRanks trains on two ranks, which are goroutines, with random options. At the end
// both ranks have the same parameters. If rank 1 leaves early, rank 0 gets an error.
func twoRanks(w *Worker) error {
	store, err := distributed.NewHashStore()
	if err != nil {
		return err
	}
	defer store.Close()
	job := &ranksJob{store: store, seed: w.Rand.Uint64(), leaves: -1, check: w.Rand.IntN(2) == 0}
	if w.Rand.IntN(4) == 0 {
		job.leaves = w.Rand.IntN(8)
	}
	var errs [2]error
	var both sync.WaitGroup
	for r := range errs {
		both.Go(func() { errs[r] = job.rank(r) })
	}
	both.Wait()
	if job.leaves < 0 {
		if job.sums[0] != job.sums[1] {
			return fmt.Errorf("ranks differ: %v", job.sums)
		}
		return errors.Join(errs[0], errs[1])
	}
	if errs[1] != nil || !errors.Is(errs[0], distributed.ErrPeer) {
		return fmt.Errorf("rank 1 left after %d steps: %w", job.leaves, errors.Join(errs[0], errs[1]))
	}
	return nil
}

type ranksJob struct {
	store  *distributed.Store
	seed   uint64
	leaves int // rank 1 leaves after this number of steps; -1: never
	check  bool
	sums   [2]float64
}

func (j *ranksJob) rank(r int) (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	g, err := distributed.InitProcessGroup(ctx, distributed.Gloo, distributed.WithStore(j.store), distributed.Rank(r),
		distributed.WorldSize(2), distributed.Interfaces("lo"), distributed.Check(j.check))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	random := rand.New(rand.NewPCG(j.seed, 0)) // Both ranks draw the same options.
	model := nn.NewSequential(nn.NewLinear(16, 32), nn.NewBatchNorm1d(32), nn.NewReLU(), nn.NewLinear(32, 4))
	net, err := parallel.NewDistributedDataParallel(ctx, model, g,
		parallel.BucketCapMB(0.0005+random.Float64()*0.01), parallel.GradientAsBucketView(random.IntN(2) == 0),
		parallel.FindUnusedParameters(random.IntN(2) == 0), parallel.StaticGraph(random.IntN(3) == 0))
	if err != nil {
		return errors.Join(err, model.Close())
	}
	defer net.Close()
	if random.IntN(3) == 0 {
		if err := net.RegisterCommHook(parallel.BF16CompressHook); err != nil {
			return err
		}
	}
	opt := optim.NewSGD(net.Parameters(), optim.LR(0.01), optim.Momentum(0.9))
	defer opt.Close()
	for step := range 8 {
		if r == 1 && step == j.leaves {
			return nil
		}
		if err := torch.Try(func() { torch.Scope(func() { rankStep(net, opt) }) }); err != nil {
			return err
		}
	}
	torch.Scope(func() {
		for _, p := range model.Parameters() {
			j.sums[r] += p.Detach().Sum(torch.Float64).Item()
		}
	})
	return nil
}

func rankStep(net *parallel.DistributedDataParallel, opt *optim.SGD) {
	x, y := torch.Randn(torch.Shape{8, 16}), torch.RandIntTo(4, torch.Shape{8})
	opt.ZeroGrad()
	F.CrossEntropy(net.Forward(x), y).Backward()
	opt.Step()
}
