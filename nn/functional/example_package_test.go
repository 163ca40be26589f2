package functional_test

import (
	"fmt"

	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// Functions hold no state: the caller passes the weights.
func Example() {
	torch.Scope(func() {
		x := torch.NewTensor([][]float32{{1, -2}, {-3, 4}})
		w := torch.NewTensor([][]float32{{1, 1}})
		fmt.Println(F.ReLU(x))
		fmt.Println(F.Softmax(x, 1).Sum(torch.Dim(1)))
		fmt.Println(F.Linear(x, w, nil))
		fmt.Println(F.MSELoss(x, torch.ZerosLike(x)))
	})
	// Output:
	// tensor([[1., 0.],
	//         [0., 4.]])
	// tensor([1., 1.])
	// tensor([[-1.],
	//         [ 1.]])
	// tensor(7.5000)
}
