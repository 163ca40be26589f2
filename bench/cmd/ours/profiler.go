package main

import (
	"slices"

	F "github.com/gotorch/gotorch/nn/functional"

	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/profiler"
)

func init() { cases["profiler.step"] = profiled }

// profiled runs the steps of mlp.step in turns of 50, alternately without and with a
// profile. A turn includes starting and stopping the profile. profiled returns the median
// time that profiling adds to a step.
func profiled(a args) result {
	const steps = 50
	net := network()
	defer net.Close()
	opt := optim.NewAdamW(net.Parameters(), optim.LR(1e-3))
	defer opt.Close()
	x, target := batch()
	defer x.Close()
	defer target.Close()
	turn := func() {
		for range steps {
			torch.Scope(func() {
				loss := F.CrossEntropy(net.Forward(x), target)
				opt.ZeroGrad()
				loss.Backward()
				opt.Step()
			})
		}
	}
	turn()
	var total int64
	added := make([]int64, max(a.iterations/steps, 1))
	for i := range added {
		without := timed(1, turn)
		with := timed(1, func() {
			if _, err := profiler.Run(func(*profiler.Profile) { turn() }); err != nil {
				panic(err)
			}
		})
		total += with
		added[i] = (with - without) / steps
	}
	slices.Sort(added)
	return result{total, map[string]int64{"added": added[len(added)/2]}}
}
