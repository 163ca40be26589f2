package main

import (
	"os"
	"path/filepath"
	"time"

	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/export"
)

func init() {
	cases["export.resnet18.train"] = exported("resnet18", trainStep, func() *torch.Tensor {
		return torch.Ones(torch.Shape{4, 3, 64, 64})
	})
	cases["export.gpt.train"] = exported("gpt", trainStep, func() *torch.Tensor {
		return torch.Arange(8*64).View(8, 64).RemainderScalar(256)
	})
	cases["export.encoder.infer"] = exported("encoder", inferStep, func() *torch.Tensor {
		return torch.Ones(torch.Shape{1, 32, 384})
	})
}

// exported returns a case that runs a program of bench/python/exported.py. step makes a
// function that runs it once.
func exported(name string, step func(m *export.Module, x *torch.Tensor) (once func(), end func()),
	input func() *torch.Tensor,
) func(args) result {
	return func(a args) result {
		m := must(export.Load(filepath.Join(filepath.Dir(must(os.Executable())), "export."+name+".pt2")))
		x := input()
		once, end := step(m, x)
		for range a.iterations/20 + 5 {
			torch.Scope(once)
		}
		start := time.Now()
		for range a.iterations {
			torch.Scope(once)
		}
		took := time.Since(start)
		end()
		check(x.Close())
		check(m.Close())
		return result{nanos: took.Nanoseconds()}
	}
}

func trainStep(m *export.Module, x *torch.Tensor) (once, end func()) {
	opt := optim.NewSGD(m.Parameters(), optim.LR(1e-3))
	once = func() {
		opt.ZeroGrad()
		loss := m.Forward(x).Square().Mean()
		loss.Backward()
		opt.Step()
		loss.Item()
	}
	return once, func() { check(opt.Close()) }
}

func inferStep(m *export.Module, x *torch.Tensor) (once, end func()) {
	return func() { torch.InferenceMode(func() { m.Forward(x) }) }, func() {}
}
