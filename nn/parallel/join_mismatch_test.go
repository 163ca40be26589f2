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

// Within Join too, ranks detect that they are in different passes, even if they have no
// more inputs.
func TestJoinWithOtherPasses(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	type network = *parallel.DistributedDataParallel
	step := func(net network, x *torch.Tensor) { net.Forward(x).Sum().Backward() }
	forward := func(net network, x *torch.Tensor) { net.Forward(x) }
	forwards := func(net network, x *torch.Tensor) {
		net.Forward(x)
		net.Forward(x).Sum().Backward()
	}
	alone := func(net network, x *torch.Tensor) { net.NoSync(func() { step(net, x) }) }
	unrecorded := func(net network, x *torch.Tensor) { torch.NoGrad(func() { net.Forward(x) }) }
	options := map[string][]parallel.Option{
		"":           nil,
		"unused":     {parallel.FindUnusedParameters(true)},
		"static":     {parallel.StaticGraph(true)},
		"no buffers": {parallel.BroadcastBuffers(false)},
	}
	for _, row := range []struct {
		name   string
		odd    func(net network, x *torch.Tensor) // replaces the second step of rank 1
		others int                                // number of steps of rank 0
		third  int                                // number of steps of rank 2
	}{
		{"two Forwards", forwards, 4, 4},
		{"two Forwards beside a rank without inputs", forwards, 4, 0},
		{"a Forward without Backward", forward, 4, 4},
		{"a Forward without Backward beside a rank without inputs", forward, 1, 0},
		{"a Forward without gradients", unrecorded, 4, 4},
		{"a Forward without gradients beside a rank without inputs", unrecorded, 4, 1},
		{"NoSync", alone, 4, 4},
		{"NoSync beside a rank without inputs", alone, 4, 1},
		{"a Backward less than the last", forward, 2, 2},
	} {
		for name, opts := range options {
			t.Run(fmt.Sprint(row.name, " ", name), func(t *testing.T) {
				errs := ranks.Run(t, 3, func(g *distributed.ProcessGroup) error {
					model := nn.NewSequential(nn.NewLinear(4, 8), nn.NewBatchNorm1d(8), nn.NewLinear(8, 2))
					defer model.Close()
					net, err := parallel.NewDistributedDataParallel(ranks.Soon(t), model, g, opts...)
					if err != nil {
						return err
					}
					defer net.Release()
					net.SetContext(ranks.Soon(t))
					x := torch.Ones(torch.Shape{2, 4})
					return net.Join(ranks.Soon(t), func() error {
						switch g.Rank() {
						case 0:
							for range row.others {
								step(net, x)
							}
						case 1:
							step(net, x)
							row.odd(net, x)
						case 2:
							for range row.third {
								step(net, x)
							}
						}
						return nil
					})
				})
				for r, err := range errs {
					require.ErrorIs(t, err, distributed.ErrMismatch, "rank %d", r)
				}
			})
		}
	}
}
