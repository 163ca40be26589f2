package functional_test

import (
	"fmt"

	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

func ExampleCrossEntropy() {
	torch.Scope(func() {
		logits := torch.FromSlice([]float32{2, 0, 0, 0, 1, 0}, 2, 3)
		target := torch.FromSlice([]int64{0, 2})
		fmt.Printf("%.4f\n", F.CrossEntropy(logits, target).Item())
		fmt.Printf("%.4f\n", F.CrossEntropy(logits, target, F.LabelSmoothing(0.1), F.ReductionSum).Item())
	})
	// Output:
	// 0.8955
	// 1.8910
}

func ExampleConv2d() {
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{1, 1, 4, 4})
		w := torch.Ones(torch.Shape{1, 1, 3, 3})
		fmt.Println(F.Conv2d(x, w, nil, F.PaddingSame).Float32s()[:4])
		fmt.Println(F.Conv2d(x, w, nil, F.Strides{1, 2}, F.Padding(1)).Shape())
	})
	// Output:
	// [4 6 6 4]
	// (1, 1, 4, 2)
}
