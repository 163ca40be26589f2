// Package fft provides the discrete Fourier transforms of torch.fft, over *torch.Tensor.
//
//	spectrum := fft.RFFT(x)
//	y := fft.IRFFT(spectrum, fft.N(x.Size(-1)))
//	image := fft.FFT2(picture, fft.NormOrtho)
//	f := fft.RFFTFreq(256, 1.0/44100)
//
// Python's keyword arguments are options here, passed at the end of the call, with
// PyTorch's names and defaults. If an option is given twice, the last one counts. A nil
// option panics with ErrNil. An option that does not apply is a compile error.
//
// Every function returns a new tensor, owned by the innermost scope or else by the
// garbage collector, and panics with a *torch.Error. All functions are differentiable.
package fft
