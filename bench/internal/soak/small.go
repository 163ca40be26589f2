package soak

import (
	"fmt"
	"math"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// smallOperators plays an episode of a game and learns from it, like a beginner's first
// draft. It runs thousands of operators on a few elements each, without scopes or Close,
// and keeps the graph of every step until the end.
func smallOperators(w *Worker) error {
	policy := nn.NewSequential(nn.NewLinear(4, 16), nn.NewTanh(), nn.NewLinear(16, 2))
	opt := optim.NewSGD(policy.Parameters(), optim.LR(1e-3))
	defer policy.Close()
	defer opt.Close()
	state := [4]float32{1, 0, 0, 0}
	var logs []*torch.Tensor
	var rewards []float64
	for range 50 + w.Rand.IntN(100) {
		p := policy.Forward(torch.FromSlice(state[:]).Unsqueeze(0)).Softmax(1)
		action := int64(0)
		if w.Rand.Float64() > p.Index(0, 0).Item() {
			action = 1
		}
		logs = append(logs, p.Index(0, action).Log())
		state = [4]float32{state[3], state[0], -state[1], float32(action)}
		rewards = append(rewards, float64(action))
	}
	loss, left := torch.Zeros(nil), 0.0
	for i := len(logs) - 1; i >= 0; i-- {
		left = rewards[i] + 0.99*left
		loss = loss.Sub(logs[i].MulScalar(left))
	}
	opt.ZeroGrad()
	loss.Backward()
	opt.Step()
	if v := loss.Item(); math.IsNaN(v) || math.IsInf(v, 0) {
		return fmt.Errorf("the loss of an episode is %v", v)
	}
	return nil
}

// scalars creates many one-element tensors and leaves them to the collector.
func scalars(w *Worker) error {
	x, n := torch.Zeros(torch.Shape{1}), 1000+w.Rand.IntN(9000)
	for range n {
		x = x.AddScalar(1)
	}
	if got := x.Item(); got != float64(n) {
		return fmt.Errorf("counting to %d ended at %v", n, got)
	}
	return nil
}
