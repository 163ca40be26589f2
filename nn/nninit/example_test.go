package nninit_test

import (
	"fmt"

	"github.com/gotorch/gotorch/nn/nninit"
	"github.com/gotorch/gotorch/torch"
)

func Example() {
	torch.ManualSeed(0)
	w := torch.Empty(torch.Shape{2, 3})
	defer w.Close()
	nninit.KaimingUniform_(w, nninit.NonlinearityReLU)
	fmt.Printf("%.4f\n", w.Float32s())
	// Output: [-0.0106 0.7586 -1.1640 -1.0408 -0.5447 0.3792]
}
