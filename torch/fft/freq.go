package fft

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/torch"
)

// FFTFreq returns the frequencies of the result of [FFT] for n samples that are d apart:
// 0, then the positive and the negative frequencies. Python's default for d is 1. The
// dtype is the default float type unless a [torch.DType] is given. It panics with
// ErrShape, ErrValue or ErrRuntime for a negative n, with ErrDType for an integer DType,
// and with ErrNil for a nil option. Follows torch.fft.fftfreq.
func FFTFreq(n int64, d float64, opts ...torch.CreateOption) *torch.Tensor {
	return frequencies("fft.FFTFreq(out)", n, n, opts, func(cx abi.Ctx, out abi.Tensor) abi.Status {
		return aten.FftFftfreqOut(cx, n, d, out)
	})
}

// RFFTFreq returns the n/2 + 1 frequencies of the result of [RFFT] for n samples that are
// d apart; none is negative. Otherwise it is like FFTFreq. Follows torch.fft.rfftfreq.
func RFFTFreq(n int64, d float64, opts ...torch.CreateOption) *torch.Tensor {
	half := n/2 + 1
	if n < 0 {
		half = n
	}
	return frequencies("fft.RFFTFreq(out)", n, half, opts, func(cx abi.Ctx, out abi.Tensor) abi.Status {
		return aten.FftRfftfreqOut(cx, n, d, out)
	})
}

// frequencies creates a tensor of the given size with the options, and lets f fill it.
func frequencies(op string, n, size int64, opts []torch.CreateOption,
	f func(abi.Ctx, abi.Tensor) abi.Status,
) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor {
		t := torch.Empty(torch.Shape{size}, created(op, opts)...)
		torch.NoGrad(func() {
			h := t.HandleFor(op, 0)
			r := torch.BeginRaw(op, t)
			r.Status(f(r.Ctx, h))
		})
		return t
	})
}

// created converts the options of op to options of torch.Empty.
func created(op string, opts []torch.CreateOption) []torch.EmptyOption {
	list := make([]torch.EmptyOption, len(opts))
	for i, o := range opts {
		e, ok := o.(torch.EmptyOption)
		if !ok {
			panic(torch.BadOption(op, o))
		}
		list[i] = e
	}
	return list
}
