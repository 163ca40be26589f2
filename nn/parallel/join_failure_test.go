package parallel_test

import (
	"errors"
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

var errLoop = errors.New("the loop failed")

// If the loop of a rank fails, that rank gets the error immediately. The other ranks fail
// when the failed rank closes the group, long before the timeout. The test covers
// failures at any point of a step. The other ranks may have fewer or more inputs than the
// failed rank.
func TestJoinWithAFailure(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	type fails = func(net *parallel.DistributedDataParallel, x *torch.Tensor)
	before := func(*parallel.DistributedDataParallel, *torch.Tensor) {}
	in := func(net *parallel.DistributedDataParallel, x *torch.Tensor) { net.Forward(x.Narrow(1, 0, 1)) }
	between := func(net *parallel.DistributedDataParallel, x *torch.Tensor) { net.Forward(x) }
	t.Run("all", func(t *testing.T) {
		for _, row := range []struct {
			name   string
			fails  fails
			check  distributed.Check
			others int // number of inputs of every other rank, which ends before or after the failure
		}{
			{"before a step", before, true, 4},
			{"before a step", before, false, 1},
			{"in Forward", in, true, 1},
			{"in Forward", in, false, 4},
			{"between Forward and Backward", between, true, 4},
			{"between Forward and Backward", between, false, 1},
		} {
			t.Run(fmt.Sprint(row.name, row.check, row.others), func(t *testing.T) {
				t.Parallel()
				errs := ranks.Run(t, 3, func(g *distributed.ProcessGroup) error {
					model := nn.NewLinear(4, 2)
					defer model.Close()
					net, err := parallel.NewDistributedDataParallel(ranks.Soon(t), model, g)
					if err != nil {
						return err
					}
					defer net.Release()
					x := torch.Ones(torch.Shape{2, 4})
					steps := func(n int) {
						for range n {
							net.Forward(x).Sum().Backward()
						}
					}
					return net.Join(background, func() error {
						if g.Rank() != 1 {
							steps(row.others)
							return nil
						}
						steps(2)
						row.fails(net, x)
						return errLoop
					})
				}, row.check)
				if row.name == "in Forward" {
					require.ErrorIs(t, errs[1], torch.ErrShape)
				} else {
					require.ErrorIs(t, errs[1], errLoop)
				}
				require.NotErrorIs(t, errs[1], distributed.ErrPeer)
				require.ErrorIs(t, errs[0], distributed.ErrPeer)
				require.ErrorIs(t, errs[2], distributed.ErrPeer)
			})
		}
	})
}
