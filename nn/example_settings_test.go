package nn_test

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// Settings of layers are fields, which you may change: here, whether an activation works
// in place, and a dropout probability.
func Example_settings() {
	model := nn.NewSequential(nn.NewLinear(4, 8), nn.NewReLU(nn.Inplace(true)), nn.NewDropout(0.5), nn.NewLinear(8, 2))
	defer model.Close()
	for _, m := range nn.Modules(model) {
		switch m := m.(type) {
		case *nn.ReLU:
			m.Inplace = false
		case *nn.Dropout:
			m.P = 0.1
		}
	}
	head := model.At(3).(*nn.Linear)
	fmt.Println(head.InFeatures, head.OutFeatures)
	fmt.Println(model)
	// Output:
	// 8 2
	// Sequential(
	//   (0): Linear(in_features=4, out_features=8, bias=True)
	//   (1): ReLU()
	//   (2): Dropout(p=0.1, inplace=False)
	//   (3): Linear(in_features=8, out_features=2, bias=True)
	// )
}

// The input holds two bags of words, one after the other. The first bag has two words.
func ExampleEmbeddingBag() {
	table := torch.FromSlice([]float32{1, 1, 2, 2, 3, 3}, 3, 2)
	bag := nn.NewEmbeddingBagFromPretrained(table, nn.ModeSum)
	defer bag.Close()
	torch.Scope(func() {
		words, starts := torch.FromSlice([]int64{0, 2, 1}), torch.FromSlice([]int64{0, 2})
		fmt.Println(bag.Forward(words, starts).Float32s())
	})
	// Output: [4 4 2 2]
}
