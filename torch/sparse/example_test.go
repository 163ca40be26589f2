package sparse_test

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/sparse"
)

// A sparse matrix stores only its nonzero elements.
func Example() {
	torch.Scope(func() {
		a := torch.NewTensor([][]float32{{0, 2}, {3, 0}}).ToSparse()
		fmt.Println(a)
		b := torch.FromSlice([]float32{1, 10}, 2, 1)
		fmt.Println(sparse.Mm(a, b).Float32s())
		fmt.Println(sparse.Sum(a).Item())
	})
	// Output:
	// tensor(indices=tensor([[0, 1],
	//                        [1, 0]]),
	//        values=tensor([2., 3.]),
	//        size=(2, 2), nnz=2, layout=torch.sparse_coo)
	// [20 3]
	// 5
}
