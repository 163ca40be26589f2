package retained

import (
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

type history struct {
	losses []*torch.Tensor
	last   *torch.Tensor
	values []float64
}

func keeps(loader *data.Loader, model nn.Layer, opt optim.Optimizer, h *history) {
	var losses []*torch.Tensor
	outputs := map[int]*torch.Tensor{}
	total, sum := torch.Rand(), torch.Rand()
	step := 0
	for batch := range loader.All() {
		out := model.Forward(batch.Input)
		loss := F.MSELoss(out, batch.Target)
		opt.ZeroGrad()
		loss.Backward()
		opt.Step()
		losses = append(losses, torch.Keep(loss))   // want `appended in a training loop`
		h.losses = append(h.losses, loss)           // want `appended in a training loop`
		losses = append(losses, torch.Disown(loss)) // want `appended in a training loop`
		losses = append(losses, out.Sign())         // want `appended in a training loop`
		h.last = loss
		outputs[step] = out.Sum() // want `stored in a training loop`
		total = total.Add(loss)   // want `added up across iterations`
		sum.Add_(loss)            // want `added up across iterations`
		step++
	}
	for range step {
		torch.Scope(func() {
			loss := model.Forward(total).Sum()
			loss.Backward()
			losses = append(losses, loss.Add(loss)) // want `appended in a training loop`
		})
	}
}

func fine(loader *data.Loader, model nn.Layer, h *history) {
	var losses []*torch.Tensor
	var window []*torch.Tensor
	total := torch.Rand()
	for batch := range loader.All() {
		out := model.Forward(batch.Input)
		loss := F.MSELoss(out, batch.Target)
		loss.Backward()
		h.values = append(h.values, loss.Item())
		losses = append(losses, torch.Keep(loss.Detach()))
		losses = append(losses, out.Eq(batch.Target), batch.Input)
		losses = append(losses, torch.Disown(loss.Detach()))
		losses = append(losses, out.IsNaN(), out.GtScalar(0.5), out.ArgMax(torch.Dim(1)))
		total.Add_(loss.Detach())
		h.last = loss
		d := loss.Detach()
		losses = append(losses, d)
		window = append(window, loss)
		if len(window) > 10 {
			window = window[:0]
		}
		torch.NoGrad(func() {
			losses = append(losses, model.Forward(batch.Input))
		})
	}
}

// The steps of a sequence belong to one graph.
func unroll(loader *data.Loader, cell nn.Layer, n int) {
	for batch := range loader.All() {
		var outs []*torch.Tensor
		total := torch.Rand()
		x := batch.Input
		for range n {
			x = cell.Forward(x)
			outs = append(outs, x)
			total = total.Add(x)
		}
		F.MSELoss(torch.Stack(outs, 0), batch.Target).Add(total).Backward()
	}
}

func evaluate(loader *data.Loader, model nn.Layer) (all []*torch.Tensor) {
	for batch := range loader.All() {
		all = append(all, torch.Keep(model.Forward(batch.Input)))
	}
	return all
}
