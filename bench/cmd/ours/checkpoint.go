package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/checkpoint"
)

func init() {
	cases["checkpoint.save"] = checkpointSave
	cases["checkpoint.async"] = checkpointAsync
}

const checkpointTensors, checkpointSize = 32, 1 << 21 // of float32: 256 MiB

// checkpointed calls fn with a checkpoint manager and the state to save.
func checkpointed(fn func(m *checkpoint.Manager, state nn.StateDict), opts ...checkpoint.Option) {
	dir := filepath.Join(filepath.Dir(must(os.Executable())), "checkpoints")
	check(os.RemoveAll(dir))
	defer func() { check(os.RemoveAll(dir)) }()
	m := must(checkpoint.Open(dir, append(opts, checkpoint.Keep(1))...))
	torch.Scope(func() {
		var state nn.StateDict
		for i := range checkpointTensors {
			state = append(state, nn.NamedTensor{
				Name:   fmt.Sprintf("layer.%d", i),
				Tensor: torch.Full(torch.Shape{checkpointSize}, float32(i)),
			})
		}
		fn(m, state)
	})
	check(m.Close())
}

// checkpointSave times saves that return only when the data is on disk.
func checkpointSave(a args) (r result) {
	checkpointed(func(m *checkpoint.Manager, state nn.StateDict) {
		save := func() { check(m.Save(context.Background(), 1, checkpoint.State{"model": state})) }
		save()
		start := time.Now()
		for range a.iterations {
			save()
		}
		r.nanos = time.Since(start).Nanoseconds()
	})
	return r
}

// checkpointAsync times two things alternately, while nothing is being written: calls
// that start a save in the background, and copies of the same tensors to existing memory.
// It returns the median of each.
func checkpointAsync(a args) (r result) {
	checkpointed(func(m *checkpoint.Manager, state nn.StateDict) {
		copies := state.Clone()
		defer func() {
			for _, n := range copies {
				_ = n.Tensor.Close()
			}
		}()
		save := func() { check(m.Save(context.Background(), 1, checkpoint.State{"model": state})) }
		wait := func() { check(m.Wait(context.Background())) }
		save()
		wait()
		took := func(fn func()) int64 {
			start := time.Now()
			fn()
			return time.Since(start).Nanoseconds()
		}
		var stalls, plain []int64
		for range a.iterations {
			stalls = append(stalls, took(save))
			wait()
			plain = append(plain, took(func() {
				for i, n := range state {
					copies[i].Tensor.Copy_(n.Tensor)
				}
			}))
		}
		slices.Sort(stalls)
		slices.Sort(plain)
		r.named = map[string]int64{"stall": stalls[len(stalls)/2], "copy": plain[len(plain)/2]}
	}, checkpoint.Async(true))
	return r
}
