package parallel_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/ranks"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/parallel"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
	"github.com/gotorch/gotorch/torchtest"
)

// If a rank omits a Backward, or its Forward fails, it is out of step with the other ranks. All
// ranks then fail soon, whatever the sizes of the buckets. Gloo itself would crash a process that
// receives more than it expects, and wait forever if it receives less.
func TestBackwardLeftOut(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	type network = *parallel.DistributedDataParallel
	step := func(net network, n int64) error {
		return torch.Try(func() { net.Forward(torch.Ones(torch.Shape{2, n})).Sum().Backward() })
	}
	for name, other := range map[string]func(g *distributed.ProcessGroup, net network, n int64) error{
		"and another collective": func(g *distributed.ProcessGroup, net network, n int64) error {
			net.Forward(torch.Ones(torch.Shape{2, n}))
			return g.AllReduce(background, torch.Ones(torch.Shape{3}))
		},
		"and an object": func(g *distributed.ProcessGroup, net network, n int64) error {
			net.Forward(torch.Ones(torch.Shape{2, n}))
			var all []bool
			return g.AllGatherObject(background, true, &all)
		},
		"since Forward failed": func(g *distributed.ProcessGroup, net network, n int64) error {
			require.ErrorIs(t, step(net, n+1), torch.ErrShape)
			return g.AllReduce(background, torch.Ones(torch.Shape{3}))
		},
		"for ever": func(_ *distributed.ProcessGroup, net network, n int64) error {
			net.Forward(torch.Ones(torch.Shape{2, n}))
			return nil // the group is closed afterwards
		},
	} {
		for _, n := range []int64{1, 5, 6, 700} { // sizes for buckets that are smaller and larger than a comparison
			t.Run(fmt.Sprint(name, "/", n), func(t *testing.T) {
				errs := ranks.Run(t, 2, func(g *distributed.ProcessGroup) error {
					model := nn.NewLinear(n, 1)
					defer model.Close()
					net, err := parallel.NewDistributedDataParallel(ranks.Soon(t), model, g)
					if err != nil {
						return err
					}
					defer net.Release()
					if err := step(net, n); err != nil {
						return err
					}
					if g.Rank() == 1 {
						return other(g, net, n)
					}
					return step(net, n)
				})
				if name == "for ever" {
					require.ErrorIs(t, errs[0], distributed.ErrPeer)
					require.NoError(t, errs[1])
					return
				}
				require.ErrorIs(t, errs[0], distributed.ErrMismatch)
				require.ErrorIs(t, errs[1], distributed.ErrMismatch)
				require.ErrorContains(t, errs[0], "Backward")
			})
		}
	}
}

// If one rank omits a Backward, its next Backward takes the place of the omitted one, as in Python.
func TestNextBackwardTakesItsPlace(t *testing.T) {
	errs := ranks.Run(t, 2, func(g *distributed.ProcessGroup) error {
		model := nn.NewLinear(4, 2)
		defer model.Close()
		net, err := parallel.NewDistributedDataParallel(ranks.Soon(t), model, g)
		if err != nil {
			return err
		}
		defer net.Release()
		for i := range 3 {
			if err := torch.Try(func() {
				loss := net.Forward(torch.Ones(torch.Shape{3, 4})).Sum()
				if g.Rank() == 0 || i != 1 {
					loss.Backward()
				}
			}); err != nil {
				return err
			}
		}
		return nil
	})
	require.ErrorIs(t, errs[0], distributed.ErrPeer) // rank 0 waits for a third Backward
	require.NoError(t, errs[1])
}
