// Command moco_queue learns representations by contrast with a queue of earlier keys, as
// MoCo does.
//
// Clean: the queue is one tensor of 128 rows. New keys, which have no graph, overwrite
// the oldest rows in place. The loss uses a detached clone of the queue, because the
// backward pass needs values that do not change.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

const in, width, rows, batch, temperature = 12, 8, 128, 16, 0.2

type moco struct {
	nn.Base
	query, key *nn.Sequential
	queue      *torch.Tensor // (rows, width), a buffer
	at         int64
}

func encoder() *nn.Sequential {
	return nn.NewSequential(nn.NewLinear(in, 32), nn.NewReLU(), nn.NewLinear(32, width))
}

func newMoco() *moco {
	m := &moco{query: encoder()}
	m.key = nn.DeepCopy(m.query).(*nn.Sequential)
	m.Init(m)
	m.key.SetRequiresGrad(false)
	m.queue = m.RegisterBuffer("queue", F.Normalize(torch.Randn(torch.Shape{rows, width}), F.Dim(1)))
	return m
}

// Forward returns the similarities of two views of a batch, of shape (N, 1 + rows). The
// right key is in column 0.
func (m *moco) Forward(x, y *torch.Tensor) *torch.Tensor {
	return m.Call2(x, y, func(x, y *torch.Tensor) *torch.Tensor {
		q := F.Normalize(m.query.Forward(x), F.Dim(1))
		var k *torch.Tensor
		torch.NoGrad(func() {
			m.follow()
			k = F.Normalize(m.key.Forward(y), F.Dim(1))
		})
		same := q.Mul(k).Sum(torch.Dim(1), torch.KeepDim(true))
		other := q.MatMul(m.queue.Clone().T())
		torch.NoGrad(func() { m.enqueue(k) })
		return torch.Cat([]*torch.Tensor{same, other}, 1).DivScalar(temperature)
	})
}

// follow moves the weights of the key encoder toward those of the query encoder.
func (m *moco) follow() {
	keys := m.key.Parameters()
	for i, p := range m.query.Parameters() {
		keys[i].LerpScalar_(p, 0.05)
	}
}

func (m *moco) enqueue(k *torch.Tensor) {
	m.queue.Narrow(0, m.at, k.Size(0)).Copy_(k)
	m.at = (m.at + k.Size(0)) % rows
}

func main() {
	torch.ManualSeed(70)
	m := newMoco()
	defer m.Close()
	opt := optim.NewAdam(m.query.Parameters(), optim.LR(3e-3))
	defer opt.Close()
	view := func(x *torch.Tensor) *torch.Tensor { return x.Add(torch.RandnLike(x).MulScalar(0.2)) }
	total := 0.0
	for step := range torch.ScopedRange(200) {
		x := torch.Randn(torch.Shape{batch, in})
		loss := F.CrossEntropy(m.Forward(view(x), view(x)), torch.Zeros(torch.Shape{batch}, torch.Int64))
		opt.ZeroGrad()
		loss.Backward()
		opt.Step()
		total += loss.Item()
		if step%50 == 49 {
			fmt.Printf("step %d: loss %.4f\n", step+1, total/50)
			total = 0
		}
	}
}
