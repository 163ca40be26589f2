// Package fft has the discrete Fourier transforms, as torch.fft, over
// *torch.Tensor.
//
//	spectrum := fft.RFFT(x)
//	y := fft.IRFFT(spectrum, fft.N(x.Size(-1)))
//	image := fft.FFT2(picture, fft.NormOrtho)
//	f := fft.RFFTFreq(256, 1.0/44100)
//
// What Python passes by keyword is an option: a small value under PyTorch's name,
// at the end of the call, with Python's default. If an option is given twice, the
// last one counts. A nil option is ErrNil. An option that does not apply does not
// compile.
//
// Every function returns a new tensor, owned by the innermost scope, else by the
// collector, and panics with a *torch.Error. Gradients flow back through all of
// them.
package fft
