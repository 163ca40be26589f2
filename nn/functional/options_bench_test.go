package functional_test

import (
	"testing"

	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// BenchmarkConv2d measures the cost of passing options to a convolution. The options
// have their default values, so the convolution computes the same with and without
// them.
func BenchmarkConv2d(b *testing.B) {
	x, w := torch.Ones(torch.Shape{1, 1, 3, 3}), torch.Ones(torch.Shape{1, 1, 3, 3})
	torch.NoGrad(func() {
		b.Run("plain", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_ = F.Conv2d(x, w, nil).Close()
			}
		})
		b.Run("options", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_ = F.Conv2d(x, w, nil, F.Stride(1), F.Paddings{0, 0}, F.Dilation(1), F.Groups(1)).Close()
			}
		})
	})
}
