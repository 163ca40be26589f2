package nested_test

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/nested"
)

// One tensor holds sequences of several lengths, without padding.
func Example() {
	torch.Scope(func() {
		short, long := torch.FromSlice([]float32{1, 2}), torch.FromSlice([]float32{3, 4, 5})
		both := nested.NestedTensor([]*torch.Tensor{short, long})
		fmt.Println(nested.ToPaddedTensor(both.MulScalar(10), 0))
	})
	// Output:
	// tensor([[10., 20.,  0.],
	//         [30., 40., 50.]])
}
