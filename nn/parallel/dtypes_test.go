package parallel_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/gotorch/gotorch/internal/ranks"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/parallel"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
	"github.com/gotorch/gotorch/torchtest"
)

// A buffer that Gloo cannot send is rejected before anything is sent: when the module is wrapped,
// and also later. Complex buffers can be sent.
func TestBuffersThatGlooCannotSend(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	ranks.AllWell(t, 2, func(g *distributed.ProcessGroup) error {
		wrap := func(d torch.DType, opts ...parallel.Option) (*parallel.DistributedDataParallel, error) {
			model := nn.NewLinear(4, 2)
			model.RegisterBuffer("b", torch.Zeros(torch.Shape{2}, d))
			return parallel.NewDistributedDataParallel(ranks.Soon(t), model, g, opts...)
		}
		if _, err := wrap(torch.Int16); !errors.Is(err, torch.ErrDType) {
			return fmt.Errorf("not ErrDType: %w", err)
		}
		step := func(net *parallel.DistributedDataParallel, err error) error {
			if err != nil {
				return err
			}
			defer net.Close()
			return torch.Try(func() { net.Forward(torch.Ones(torch.Shape{2, 4})).Sum().Backward() })
		}
		return errors.Join(step(wrap(torch.Int16, parallel.Ignore{"b"})), step(wrap(torch.Complex64)),
			g.Barrier(ranks.Soon(t)))
	})
}
