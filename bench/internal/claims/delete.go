package claims

import (
	"errors"
	"fmt"

	"github.com/gotorch/gotorch/memory"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

var deleteOutputs = Claim{
	Name:     "claim.delete_outputs_before_backward",
	Says:     "Deleting outputs before backward is an error",
	Measured: "backward passes that fail, or give other gradients, after a tensor that they need was closed",
	Unit:     "of 1",
	Range:    Range{1, 1},
	measure: func(s *sheet) {
		cnn := convNet(s.pick(64, 4))
		s.closing(cnn, "output closed", cnn.forward, func(_, out *torch.Tensor) { out.Close() })
		s.closing(cnn, "output and input closed", cnn.forward, func(x, out *torch.Tensor) {
			closeAll([]*torch.Tensor{x, out})
		})
		cnn.Close()

		mlp := operatorMLP(s.pick(1024, 4))
		tidied := func(x *torch.Tensor) *torch.Tensor {
			return torch.Tidy(func() *torch.Tensor { return mlp.forward(x) })
		}
		s.closing(mlp, "each temporary and the output closed", tidied, func(_, out *torch.Tensor) { out.Close() })
		mlp.Close()

		s.note("closed loss: Backward refused", closedLoss(), "errors of 1")
	},
}

// closing runs one step with all tensors open, and one step that closes tensors before
// its backward pass. It checks that the gradients of both are bitwise equal.
func (s *sheet) closing(t *training, what string, forward func(*torch.Tensor) *torch.Tensor,
	closer func(x, out *torch.Tensor),
) {
	what = t.name + ", " + what
	run := func(forward func(*torch.Tensor) *torch.Tensor, closer func(x, out *torch.Tensor)) (grads []*torch.Tensor,
		atBackward int64, err error,
	) {
		before := memory.Requested(torch.CPU)
		torch.Scope(func() {
			x := t.x.Clone()
			out := forward(x)
			loss := F.CrossEntropy(out, t.target)
			closer(x, out)
			atBackward = memory.Requested(torch.CPU) - before
			if err = torch.Try(func() { loss.Backward() }); err != nil {
				return
			}
			for _, p := range t.params {
				grads = append(grads, torch.Keep(p.Grad().Clone()))
			}
		})
		t.opt.ZeroGrad()
		return grads, atBackward, err
	}
	open, heldOpen, err := run(t.forward, func(_, _ *torch.Tensor) {})
	defer closeAll(open)
	if err != nil {
		panic(err)
	}
	closed, heldClosed, err := run(forward, closer)
	defer closeAll(closed)

	failed := 0.0
	if err != nil || !equal(open, closed) {
		failed = 1
	}
	s.judge(what, failed)
	s.note(what+": gradients equal", equalCount(open, closed), fmt.Sprintf("of %d", len(open)))
	s.note(what+": held at backward, nothing closed", float64(heldOpen), "bytes")
	s.note(what+": held at backward", float64(heldClosed), "bytes")
}

func equal(a, b []*torch.Tensor) bool { return int(equalCount(a, b)) == len(a) }

// equalCount returns how many gradients in a equal the gradient at the same index in b.
func equalCount(a, b []*torch.Tensor) float64 {
	n := 0
	for i := range min(len(a), len(b)) {
		if a[i].Equal(b[i]) {
			n++
		}
	}
	return float64(n)
}

// closedLoss returns 1 if calling Backward on a closed loss is an error, and 0 otherwise.
func closedLoss() float64 {
	var err error
	torch.Scope(func() {
		loss := torch.Ones(torch.Shape{4}, torch.RequiresGrad(true)).Sum()
		loss.Close()
		err = torch.Try(func() { loss.Backward() })
	})
	if errors.Is(err, torch.ErrClosed) {
		return 1
	}
	return 0
}
