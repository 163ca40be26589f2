package docs_test

import (
	"context"
	"errors"
	"net"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/parallel"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
	"github.com/gotorch/gotorch/torch/distributed/join"
)

// two returns a function that runs zero and one as the two ranks of a group, and returns
// the error of rank 0.
func two(zero, one func(ctx context.Context, g *distributed.ProcessGroup) error) func(t *testing.T) error {
	return func(t *testing.T) error {
		t.Helper()
		store, err := distributed.NewHashStore()
		require.NoError(t, err)
		defer store.Close()
		ctx := context.Background()
		var all sync.WaitGroup
		var first error
		for r, fn := range []func(ctx context.Context, g *distributed.ProcessGroup) error{zero, one} {
			all.Go(func() {
				g, err := distributed.InitProcessGroup(ctx, distributed.Gloo, distributed.WithStore(store),
					distributed.Rank(r), distributed.WorldSize(2), distributed.Interfaces("lo"))
				if err == nil {
					err = errors.Join(fn(ctx, g), g.Close())
				}
				if r == 0 {
					first = err
				}
			})
		}
		all.Wait()
		return first
	}
}

// sum returns a function that reduces a tensor of n elements over all ranks. Ranks with
// different n cause the mistake.
func sum(n int64) func(ctx context.Context, g *distributed.ProcessGroup) error {
	return func(ctx context.Context, g *distributed.ProcessGroup) error {
		x := torch.Ones(torch.Shape{n})
		defer x.Close()
		return g.AllReduce(ctx, x)
	}
}

// unused trains a module with an unused parameter on two ranks. The second pass reports
// the parameter. Rank 1 runs only one pass, so only rank 0 reports it.
func unused(t *testing.T) error {
	t.Helper()
	found := make(chan struct{})
	return two(func(ctx context.Context, g *distributed.ProcessGroup) error {
		defer close(found)
		return unusedPasses(ctx, g, 2)
	}, func(ctx context.Context, g *distributed.ProcessGroup) error {
		err := unusedPasses(ctx, g, 1)
		<-found
		return err
	})(t)
}

func unusedPasses(ctx context.Context, g *distributed.ProcessGroup, n int) error {
	model := nn.NewBilinear(2, 2, 1)
	net, err := parallel.NewDistributedDataParallel(ctx, model, g)
	if err != nil {
		return err
	}
	defer net.Close()
	for range n {
		err = torch.Try(func() {
			torch.Scope(func() {
				net.ForwardFunc(func() []*torch.Tensor {
					return []*torch.Tensor{model.Bias.MulScalar(2)}
				})[0].Sum().Backward()
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// inputs returns a function that trains on n inputs. Ranks with different n cause the
// mistake.
func inputs(n int) func(ctx context.Context, g *distributed.ProcessGroup) error {
	return func(ctx context.Context, g *distributed.ProcessGroup) error {
		net, err := parallel.NewDistributedDataParallel(ctx, nn.NewLinear(1, 1), g)
		if err != nil {
			return err
		}
		defer net.Close()
		return net.Join(ctx, func() error {
			for range n {
				torch.Scope(func() { net.Forward(torch.Ones(torch.Shape{1, 1})).Sum().Backward() })
			}
			return nil
		}, join.ThrowOnEarlyTermination(true))
	}
}

func leaves(context.Context, *distributed.ProcessGroup) error { return nil }

var distributedMistakes = []mistake{
	{"distributed.ErrEnvironment", distributed.ErrEnvironment, func(*testing.T) error {
		return second(distributed.InitProcessGroup(context.Background(), distributed.Gloo))
	}},
	{"distributed.ErrTimeout", distributed.ErrTimeout, func(*testing.T) error {
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		defer cancel()
		store, err := distributed.NewHashStore()
		if err != nil {
			return err
		}
		defer store.Close()
		return second(store.Get(ctx, "key"))
	}},
	{"distributed.ErrCanceled", distributed.ErrCanceled, func(*testing.T) error {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		return second(distributed.InitProcessGroup(ctx, distributed.Gloo,
			distributed.InitMethod("tcp://127.0.0.1:29500?rank=1&world_size=2")))
	}},
	{"distributed.ErrInUse", distributed.ErrInUse, func(t *testing.T) error {
		l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
		require.NoError(t, err)
		defer l.Close()
		return second(distributed.NewTCPStore(context.Background(), l.Addr().String(), distributed.IsMaster(true)))
	}},
	{"distributed.ErrMismatch", distributed.ErrMismatch, two(sum(3), sum(4))},
	{"distributed.ErrPeer", distributed.ErrPeer, two(sum(3), leaves)},
	{"torch.ErrAutograd", torch.ErrAutograd, unused},
	{"join.ErrExhausted", join.ErrExhausted, two(inputs(1), inputs(2))},
	{"distributed.ErrClosed", distributed.ErrClosed, two(func(ctx context.Context, g *distributed.ProcessGroup) error {
		_ = g.Close()
		return g.Barrier(ctx)
	}, leaves)},
	{"distributed.ErrStore", distributed.ErrStore, func(t *testing.T) error {
		server, err := distributed.NewTCPStore(context.Background(), "127.0.0.1:0", distributed.IsMaster(true))
		require.NoError(t, err)
		client, err := distributed.NewTCPStore(context.Background(),
			net.JoinHostPort("127.0.0.1", strconv.Itoa(server.Port())))
		require.NoError(t, err)
		defer client.Close()
		require.NoError(t, server.Close())
		return second(client.Check("key"))
	}},
	{"distributed.ErrNetwork", distributed.ErrNetwork, func(*testing.T) error {
		store, err := distributed.NewHashStore()
		if err != nil {
			return err
		}
		defer store.Close()
		return second(distributed.InitProcessGroup(context.Background(), distributed.Gloo, distributed.WithStore(store),
			distributed.Rank(0), distributed.WorldSize(1), distributed.Interfaces("eth99")))
	}},
}
