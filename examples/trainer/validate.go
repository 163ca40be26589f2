package main

import (
	"fmt"

	"github.com/gotorch/gotorch/memory"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// validate returns the mean loss and the accuracy on the test images. It adds up numbers
// instead of tensors, so that exactly as many bytes are in use after it as before.
func (t *trainer) validate() (loss, accuracy float64) {
	t.model.Eval()
	defer t.model.Train()
	right, n := int64(0), int64(0)
	torch.NoGrad(func() {
		for batch := range t.valid.All() {
			var out, mean *torch.Tensor
			t.autocast(func() {
				out = t.model.Forward(batch.Input)
				mean = F.CrossEntropy(out, batch.Target)
			})
			size := batch.Target.Size(0)
			loss += mean.Item() * float64(size)
			right += out.ArgMax(torch.Dim(1)).Eq(batch.Target).Sum().ItemInt()
			n += size
		}
	})
	return loss / float64(n), float64(right) / float64(n)
}

// validated runs a validation after an epoch, keeps the weights if they are the best so
// far, and saves the state.
func (t *trainer) validated(trained float64) error {
	var loss, accuracy float64
	usage := memory.Track("validation", func() { loss, accuracy = t.validate() })
	if t.left = usage.Net(); t.left != 0 {
		fmt.Printf("the validation left %d bytes behind\n", t.left)
	}
	fmt.Printf("epoch %d: loss %.4f, validation %.4f, accuracy %.4f\n", t.Epoch, trained, loss, accuracy)
	var err error
	torch.NoGrad(func() {
		torch.Scope(func() {
			weights := t.model.StateDict()
			if t.BestEpoch == 0 || loss < t.BestLoss {
				t.BestLoss, t.BestEpoch = loss, t.Epoch
				for _, n := range weights {
					t.best.Get(n.Name).Copy_(n.Tensor)
				}
			}
			err = t.metrics.validated(t.Step, trained, loss, accuracy, weights)
		})
	})
	if err != nil {
		return err
	}
	if t.out == "" {
		return nil
	}
	return t.save()
}

// history keeps the last numbers of a series. Its memory does not grow.
type history struct {
	ring []float64
	next int
}

func newHistory(size int) *history { return &history{ring: make([]float64, 0, size)} }

func (h *history) add(v float64) {
	if len(h.ring) < cap(h.ring) {
		h.ring = append(h.ring, v)
		return
	}
	h.ring[h.next] = v
	h.next = (h.next + 1) % len(h.ring)
}

// values returns the numbers, the oldest first.
func (h *history) values() []float64 {
	return append(append([]float64{}, h.ring[h.next:]...), h.ring[:h.next]...)
}
