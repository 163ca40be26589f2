package distributed_test

import (
	"context"
	"errors"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/ranks"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/cuda"
	"github.com/gotorch/gotorch/torch/distributed"
	"github.com/gotorch/gotorch/torchtest"
)

func TestNCCLWithoutCUDA(t *testing.T) {
	if torch.CUDA.At(0).Check() == nil {
		t.Skip("there is CUDA")
	}
	_, err := distributed.InitProcessGroup(background, distributed.NCCL, distributed.Rank(0), distributed.WorldSize(1))
	require.ErrorIs(t, err, torch.ErrDevice)
	assert.ErrorContains(t, err, "NCCL needs CUDA")
}

// needCUDA skips a test without CUDA. It reports whether the driver is internal/cudasim, which runs
// no kernels, so NCCL finds the devices but cannot connect them.
func needCUDA(t *testing.T) (simulated bool) {
	t.Helper()
	if err := torch.CUDA.At(0).Check(); err != nil {
		if os.Getenv("GOTORCH_NEED_CUDA") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	return os.Getenv("CUDASIM_DEVICES") != ""
}

// Gloo sends tensors on the CPU and NCCL sends tensors on CUDA, in a group and in a subgroup. The
// test uses up to two real devices.
func TestCUDANCCL(t *testing.T) {
	simulated := needCUDA(t)
	defer torchtest.CheckLeaks(t)()
	n := min(2, cuda.DeviceCount())
	sum := float32(n * (n + 1) / 2)
	errs := ranks.RunOver(t, distributed.NCCL, n, func(g *distributed.ProcessGroup) error {
		assert.Equal(t, distributed.NCCL, g.Backend())
		assert.Contains(t, g.String(), "nccl")
		own := torch.CUDA.At(g.Rank())
		one := torch.Full(torch.Shape{3}, float64(g.Rank()+1))
		ctx := ranks.Soon(t)
		sub, err := g.NewGroup(ctx, g.Ranks())
		if err != nil {
			return err
		}
		err = errors.Join(onBoth(ctx, g, one, own, sum), onBoth(ctx, sub, one, own, sum))
		return errors.Join(err, sub.Close())
	})
	for r, err := range errs {
		if !simulated {
			require.NoError(t, err, "rank %d", r)
			continue
		}
		// The first collective on CUDA fails. The collective on the CPU before it does not.
		require.ErrorIs(t, err, distributed.ErrNetwork, "rank %d", r)
		require.ErrorContains(t, err, "NCCL error")
		require.ErrorIs(t, err, distributed.ErrClosed, "rank %d: what comes after", r)
		require.NotContains(t, err.Error(), "expected")
	}
}

func onBoth(ctx context.Context, g *distributed.ProcessGroup, one *torch.Tensor, own torch.Device, sum float32) error {
	x, y := one.Clone(), one.To(own)
	if err := g.AllReduce(ctx, x); err != nil {
		return err
	}
	if err := same("on the CPU", x, sum, sum, sum); err != nil {
		return err
	}
	if err := g.AllReduce(ctx, y); err != nil {
		return errors.Join(err, g.Barrier(ctx)) // fails, because the group has ended
	}
	return same("on CUDA", y, sum, sum, sum)
}

// Each rank receives the tensor that the other rank sends.
func TestCUDANCCLPairs(t *testing.T) {
	if needCUDA(t) {
		t.Skip("the simulated driver cannot connect devices")
	}
	if cuda.DeviceCount() < 2 {
		t.Skip("there is one device")
	}
	defer torchtest.CheckLeaks(t)()
	errs := ranks.RunOver(t, distributed.NCCL, 2, func(g *distributed.ProcessGroup) error {
		x := torch.Full(torch.Shape{1 << 20}, float64(g.Rank()+1), torch.CUDA.At(g.Rank()))
		ctx := ranks.Soon(t)
		if g.Rank() == 0 {
			return g.Send(ctx, x, 1)
		}
		if _, err := g.Recv(ctx, x, 0); err != nil {
			return err
		}
		return same("received", x.Select(0, -1), 1)
	})
	for r, err := range errs {
		require.NoError(t, err, "rank %d", r)
	}
}
