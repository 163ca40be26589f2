package fft_test

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/fft"
)

// The signal of 8 samples is the sum of a constant and a wave, so its spectrum has two
// nonzero elements.
func Example() {
	torch.Scope(func() {
		signal := torch.FromSlice([]float32{3, 1, -1, 1, 3, 1, -1, 1})
		spectrum := fft.RFFT(signal)
		fmt.Println(spectrum.Abs().Float32s())
		fmt.Println(fft.RFFTFreq(8, 1.0).Float32s())
		back := fft.IRFFT(spectrum)
		fmt.Println(back.AllClose(signal, torch.ATol(1e-6)))
	})
	// Output:
	// [8 0 8 0 0]
	// [0 0.125 0.25 0.375 0.5]
	// true
}

// FFTShift moves the low frequencies of a transformed image to the middle.
func ExampleFFT2() {
	torch.Scope(func() {
		image := torch.Ones(torch.Shape{2, 2})
		fmt.Println(fft.FFTShift(fft.FFT2(image)).Real())
	})
	// Output:
	// tensor([[0., 0.],
	//         [0., 4.]])
}
