package distributed_test

import (
	"context"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/pythontest"
	"github.com/gotorch/gotorch/internal/thorough"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/parallel"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
)

// train trains without DistributedDataParallel: each rank has its own batches, and AllReduce
// averages the gradients. It returns the bits of the parameters after each step.
func train(ctx context.Context, g *distributed.ProcessGroup) (any, error) {
	var steps [][]int64
	err := torch.Try(func() {
		torch.Scope(func() { steps = trainSteps(ctx, g) })
	})
	return steps, err
}

func trainSteps(ctx context.Context, g *distributed.ProcessGroup) (steps [][]int64) {
	// The numbers are the same in Go and Python, and are not random.
	w := torch.Arange(12).To(torch.Float32).View(3, 4).MulScalar(0.1).SubScalar(0.5).RequiresGrad_()
	b := torch.Zeros(torch.Shape{3}).RequiresGrad_()
	for step := range 50 {
		x := torch.Arange(32).To(torch.Float32).View(8, 4).AddScalar(float64(step + 10*g.Rank())).Sin()
		y := x.MatMul(w.T()).Add(b).Tanh().Square().Mean()
		y.Backward()
		for _, p := range []*torch.Tensor{w, b} {
			grad := p.Grad()
			if err := g.AllReduce(ctx, grad); err != nil {
				panic(torch.WrapError("train", err))
			}
			torch.NoGrad(func() { p.Sub_(grad.DivScalar(float64(g.Size())).MulScalar(0.1)) })
			grad.Zero_()
		}
		row := append(w.Detach().ViewDType(torch.Int32).Flatten().To(torch.Int64).Int64s(),
			b.Detach().ViewDType(torch.Int32).To(torch.Int64).Int64s()...)
		steps = append(steps, row)
	}
	return steps
}

// trainDDP trains with DistributedDataParallel.
func trainDDP(ctx context.Context, g *distributed.ProcessGroup) (any, error) {
	var steps [][]int64
	net := nn.NewSequential(nn.NewLinear(4, 8), nn.NewBatchNorm1d(8), nn.NewTanh(), nn.NewLinear(8, 3))
	defer func() { _ = net.Close() }()
	all, err := parallel.NewDistributedDataParallel(ctx, net, g, parallel.BucketCapMB(0.0001))
	if err != nil {
		return nil, err
	}
	defer all.Release()
	opt := optim.NewSGD(net.Parameters(), optim.LR(0.1), optim.Momentum(0.9))
	defer func() { _ = opt.Close() }()
	step := func(n int) {
		x := torch.Arange(32).To(torch.Float32).View(8, 4).AddScalar(float64(n + 10*g.Rank())).Sin()
		opt.ZeroGrad()
		all.Forward(x).Square().Mean().Backward()
		opt.Step()
		var row []int64
		for _, p := range net.Parameters() {
			row = append(row, p.Detach().ViewDType(torch.Int32).Flatten().To(torch.Int64).Int64s()...)
		}
		steps = append(steps, row)
	}
	err = torch.Try(func() {
		for n := range 50 {
			torch.Scope(func() { step(n) })
		}
	})
	return steps, err
}

// joinDDP trains with DistributedDataParallel on ranks with different numbers of inputs. The first
// Python rank and the last Go rank have the most inputs.
func joinDDP(ctx context.Context, g *distributed.ProcessGroup) (any, error) {
	net := nn.NewSequential(nn.NewLinear(4, 8), nn.NewBatchNorm1d(8), nn.NewTanh(), nn.NewLinear(8, 3))
	defer func() { _ = net.Close() }()
	all, err := parallel.NewDistributedDataParallel(ctx, net, g, parallel.BucketCapMB(0.0001))
	if err != nil {
		return nil, err
	}
	defer all.Release()
	opt := optim.NewSGD(net.Parameters(), optim.LR(0.1))
	defer func() { _ = opt.Close() }()
	step := func(n int) {
		x := torch.Arange(32).To(torch.Float32).View(8, 4).AddScalar(float64(n + 10*g.Rank())).Sin()
		opt.ZeroGrad()
		pass := func() { all.Forward(x).Square().Mean().Backward() }
		if n%3 == 2 {
			all.NoSync(pass)
			return
		}
		pass()
		opt.Step()
	}
	err = all.Join(ctx, func() error {
		for n := range []int{5, 9, 12, 3}[g.Rank()] {
			torch.Scope(func() { step(n) })
		}
		return nil
	})
	var row []int64
	for _, p := range append(net.Parameters(), net.Buffers()[:2]...) {
		row = append(row, p.Detach().ViewDType(torch.Int32).Flatten().To(torch.Int64).Int64s()...)
	}
	return row, err
}

// Two Go ranks and two Python ranks form one group. Collectives give the right results on each
// rank, and training gives the same bits after each step.
func TestPython(t *testing.T) {
	python := pythontest.Interpreter(t, "torch")
	for _, detail := range []string{"OFF", "DETAIL"} {
		for _, what := range []string{"exchange", "train", "ddp", "join"} {
			if (what == "ddp" || what == "join") && detail == "DETAIL" {
				continue // PyTorch itself crashes in this case, even without gotorch
			}
			if what == "train" && detail == "DETAIL" && !thorough.Asked() {
				continue
			}
			t.Run(what+"/"+detail, func(t *testing.T) {
				env := byEnvironment(freePort(t), 4)
				debug := "TORCH_DISTRIBUTED_DEBUG=" + detail
				ours := launch(t, what, 2, func(rank int) []string { return append(env(2*rank), debug) })
				var all []*process
				for r := range 2 {
					theirs := start(t, exec.Command(python, filepath.Join("testdata", "rank.py"), what),
						append(env(2*r+1), debug)...)
					all = append(all, ours[r], theirs)
				}
				var first string
				for r, p := range all {
					o := p.wait(t)
					require.Empty(t, o.Error, "rank %d", r)
					got, err := json.Marshal(o.Result)
					require.NoError(t, err)
					if what == "exchange" {
						assert.JSONEq(t, exchanged(r, 4), string(got), "rank %d", r)
						continue
					}
					if r == 0 {
						first = string(got)
					}
					assert.Equal(t, first, string(got), "rank %d", r)
				}
			})
		}
	}
}
