package fft

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/torch"
)

// FFTFreq returns the frequencies of [FFT]'s result for n samples that are d
// apart, 1 in Python unless given, in its order: 0, the positive and the negative
// ones. The dtype is the default float type unless a [torch.DType] is given. The
// result is a new tensor, owned by the innermost scope, else by the collector. It
// panics with ErrShape, ErrValue or ErrRuntime for a negative n, with ErrDType for
// a DType of integers, and with ErrNil for a nil option. Follows torch.fft.fftfreq.
func FFTFreq(n int64, d float64, opts ...torch.CreateOption) *torch.Tensor {
	return frequencies("fft.FFTFreq(out)", n, n, opts, func(cx abi.Ctx, out abi.Tensor) abi.Status {
		return aten.FftFftfreqOut(cx, n, d, out)
	})
}

// RFFTFreq returns the frequencies of [RFFT]'s result for n samples that are d
// apart: n/2 + 1 of them, none negative. The rest is as for FFTFreq. The result
// is a new tensor, owned by the innermost scope, else by the collector. It panics
// as FFTFreq does. Follows torch.fft.rfftfreq.
func RFFTFreq(n int64, d float64, opts ...torch.CreateOption) *torch.Tensor {
	half := n/2 + 1
	if n < 0 {
		half = n
	}
	return frequencies("fft.RFFTFreq(out)", n, half, opts, func(cx abi.Ctx, out abi.Tensor) abi.Status {
		return aten.FftRfftfreqOut(cx, n, d, out)
	})
}

// frequencies fills a tensor of the given size, made with the options.
func frequencies(op string, n, size int64, opts []torch.CreateOption, f func(abi.Ctx, abi.Tensor) abi.Status) *torch.Tensor {
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

// created are the options as Empty takes them.
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
