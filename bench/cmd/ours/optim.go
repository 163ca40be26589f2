package main

import (
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

func init() {
	cases["optim.adamw"] = func(a args) result {
		return optimStep(a, func(ps []*torch.Tensor) optim.Optimizer { return optim.NewAdamW(ps, optim.LR(1e-3)) })
	}
	cases["optim.adamw.fused"] = func(a args) result {
		return optimStep(a, func(ps []*torch.Tensor) optim.Optimizer {
			return optim.NewAdamW(ps, optim.LR(1e-3), optim.Fused(true))
		})
	}
	cases["optim.sgd"] = func(a args) result {
		return optimStep(a, func(ps []*torch.Tensor) optim.Optimizer {
			return optim.NewSGD(ps, optim.LR(1e-3), optim.Momentum(0.9))
		})
	}
	cases["optim.sgd.fused"] = func(a args) result {
		return optimStep(a, func(ps []*torch.Tensor) optim.Optimizer {
			return optim.NewSGD(ps, optim.LR(1e-3), optim.Momentum(0.9), optim.Fused(true))
		})
	}
	cases["optim.rmsprop"] = func(a args) result {
		return optimStep(a, func(ps []*torch.Tensor) optim.Optimizer { return optim.NewRMSprop(ps, optim.LR(1e-3)) })
	}
	cases["optim.rmsprop.foreach"] = func(a args) result {
		return optimStep(a, func(ps []*torch.Tensor) optim.Optimizer {
			return optim.NewRMSprop(ps, optim.LR(1e-3), optim.Foreach(true))
		})
	}
}

// optimStep times a single optimizer step for tensors of n elements.
func optimStep(a args, fresh func(ps []*torch.Tensor) optim.Optimizer) result {
	var nanos int64
	torch.Scope(func() {
		var ps []*torch.Tensor
		for range a.get("tensors", 60) {
			p := torch.Randn(torch.Shape{a.get("n", 1024)}, torch.RequiresGrad(true))
			p.SetGrad(torch.Randn(p.Shape()))
			ps = append(ps, p)
		}
		opt := fresh(ps)
		defer opt.Close()
		nanos = timed(a.iterations, opt.Step)
	})
	return result{nanos: nanos}
}
