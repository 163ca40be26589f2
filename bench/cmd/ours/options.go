package main

import (
	"math"

	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aten"
)

func init() {
	cases["opt.sum"] = optionsOfSum
	cases["opt.conv"] = optionsOfConv
}

// dearer returns how many nanoseconds longer a call with options takes than the same call
// without options. It alternates many short turns and subtracts the fastest turns,
// because other programs on the machine affect only the slower ones.
func dearer(a args, with, without func()) result {
	const turns = 1000
	n := max(a.iterations/turns, 10)
	timed(n, without)
	var total int64
	plain, options := int64(math.MaxInt64), int64(math.MaxInt64)
	for range turns {
		plain = min(plain, timed(n, without))
		took := timed(n, with)
		options, total = min(options, took), total+took
	}
	return result{total, map[string]int64{"added": (options - plain) / int64(n)}}
}

// optionsOfSum measures the options of a sum along one dimension with KeepDim.
func optionsOfSum(a args) result {
	x := torch.Ones(torch.Shape{2, 3})
	defer x.Close()
	dim := a.get("dim", 1) // The compiler does not know this value, so it cannot remove the option.
	return dearer(a,
		func() { _ = x.Sum(torch.Dim(dim), torch.KeepDim(true)).Close() },
		func() { _ = aten.SumDimIntList(x, []int64{dim}, true, 0).Close() },
	)
}

// optionsOfConv measures a convolution with options that are set to their defaults.
func optionsOfConv(a args) result {
	x, w := torch.Ones(torch.Shape{1, 1, 3, 3}), torch.Ones(torch.Shape{1, 1, 2, 2})
	defer x.Close()
	defer w.Close()
	one, none := a.get("stride", 1), a.get("padding", 0)
	return dearer(a,
		func() { _ = F.Conv2d(x, w, nil, F.Stride(one), F.Paddings{0, none}, F.Groups(one)).Close() },
		func() { _ = F.Conv2d(x, w, nil).Close() },
	)
}
