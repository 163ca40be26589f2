package distributed_test

import (
	"fmt"
	"testing"

	"github.com/gotorch/gotorch/internal/ranks"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/cuda"
	"github.com/gotorch/gotorch/torch/distributed"
)

// A collective of Gloo on CUDA tensors waits for the work on the caller's stream, even if it begins
// in the background, and later work on the stream that waits for it uses the result.
func TestCUDAStreamOfGloo(t *testing.T) {
	needCUDA(t)
	for _, check := range []bool{true, false} {
		for name, sum := range map[string]func(g *distributed.ProcessGroup, x *torch.Tensor) error{
			"AllReduce": func(g *distributed.ProcessGroup, x *torch.Tensor) error { return g.AllReduce(background, x) },
			"AllReduceAsync": func(g *distributed.ProcessGroup, x *torch.Tensor) error {
				work, err := g.AllReduceAsync(background, x)
				if err != nil {
					return err
				}
				return work.Wait(background)
			},
		} {
			ranks.AllWell(t, 2, func(g *distributed.ProcessGroup) (err error) {
				own := torch.CUDA.At(g.Rank() % cuda.DeviceCount())
				x := torch.Full(torch.Shape{1 << 10}, float64(g.Rank()+1)).To(own)
				cuda.Synchronize(own)
				cuda.NewStream(cuda.Device(own)).Do(func() {
					y := x.Clone()
					if err = sum(g, y); err != nil {
						return
					}
					if got := y.CPU().Float32s()[0]; got != 3 {
						err = fmt.Errorf("%s: the sum is %v, not 3", name, got)
					}
				})
				return err
			}, distributed.Check(check))
		}
	}
}
