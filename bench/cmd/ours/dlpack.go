package main

import (
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/dlpack"
)

func init() { cases["dlpack"] = roundTrip }

// roundTrip exports a tensor of 1 KiB to DLPack and imports it again.
func roundTrip(a args) result {
	x := torch.Ones(torch.Shape{256})
	defer x.Close()
	return result{nanos: timed(a.iterations, func() {
		_ = must(dlpack.FromDLPack(dlpack.ToDLPack(x))).Close()
	})}
}
