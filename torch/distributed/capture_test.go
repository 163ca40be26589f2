package distributed_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/internal/ranks"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
	"github.com/gotorch/gotorch/torchtest"
)

// A step that sends cannot be captured, because a replay would send nothing. The group stays usable.
func TestCollectivesAreNotCaptured(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for name, send := range map[string]func(g *distributed.ProcessGroup, x *torch.Tensor) error{
		"AllReduce": func(g *distributed.ProcessGroup, x *torch.Tensor) error { return g.AllReduce(background, x) },
		"AllReduceAsync": func(g *distributed.ProcessGroup, x *torch.Tensor) error {
			work, err := g.AllReduceAsync(background, x)
			if err != nil {
				return err
			}
			return work.Wait(background)
		},
		"Barrier": func(g *distributed.ProcessGroup, _ *torch.Tensor) error { return g.Barrier(background) },
		"MonitoredBarrier": func(g *distributed.ProcessGroup, _ *torch.Tensor) error {
			return g.MonitoredBarrier(background)
		},
		"BroadcastObject": func(g *distributed.ProcessGroup, _ *torch.Tensor) error {
			n := 1
			return g.BroadcastObject(background, &n, 0)
		},
		"Send": func(g *distributed.ProcessGroup, x *torch.Tensor) error {
			if g.Rank() == 0 {
				return g.Send(background, x, 1)
			}
			_, err := g.Recv(background, x, 0)
			return err
		},
	} {
		for _, check := range []bool{true, false} {
			ranks.AllWell(t, 2, func(g *distributed.ProcessGroup) error {
				x := torch.Full(torch.Shape{2}, float64(g.Rank()+1))
				y := torch.Zeros(torch.Shape{2})
				step := func([]*torch.Tensor) []*torch.Tensor {
					y.Copy_(x)
					if err := send(g, y); err != nil {
						panic(err)
					}
					return []*torch.Tensor{y.MulScalar(2)}
				}
				err := torch.Try(func() {
					_ = torch.Capture(func() []*torch.Tensor { return step(nil) }, torch.Inputs{x}).Close()
				})
				if !errors.Is(err, torch.ErrRuntime) {
					return fmt.Errorf("not ErrRuntime: %w", err)
				}
				assert.ErrorContains(t, err, "a replay would send nothing", name)
				assert.ErrorContains(t, err, "capture_test.go", name)

				want := step(nil)[0].Clone()
				graphs := torch.CaptureByShape(step)
				defer graphs.Close()
				for range 5 {
					if got := graphs.Call(x)[0]; !got.Equal(want) {
						return fmt.Errorf("%s without a graph: %v, not %v", name, got, want)
					}
				}
				return g.AllReduce(background, y)
			}, distributed.Check(check))
		}
	}
}
