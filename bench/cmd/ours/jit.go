package main

import (
	"os"
	"path/filepath"
	"time"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/jit"
)

func init() {
	cases["jit.resnet18"] = scripted("resnet18", torch.Shape{1, 3, 224, 224})
	cases["jit.mlp"] = scripted("mlp", torch.Shape{16, 32})
}

// scripted returns a case that runs a TorchScript module of bench/python/scripted.py.
func scripted(name string, shape torch.Shape) func(args) result {
	return func(a args) result {
		model := must(jit.Load(filepath.Join(filepath.Dir(must(os.Executable())), "jit."+name+".pt")))
		x := torch.Ones(shape)
		took := time.Duration(0)
		torch.InferenceMode(func() {
			run := func(n int) {
				for range n {
					torch.Scope(func() { model.Forward(x) })
				}
			}
			run(a.iterations/20 + 5)
			start := time.Now()
			run(a.iterations)
			took = time.Since(start)
		})
		check(x.Close())
		check(model.Close())
		return result{nanos: took.Nanoseconds()}
	}
}
