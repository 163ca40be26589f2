// Command consumer runs one of torchvision's models.
package main

import (
	"fmt"
	"log"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/vision/models"
)

func main() {
	torch.ManualSeed(0)
	model := models.NewSqueezeNet1_1(models.NumClasses(10))
	defer model.Close()
	model.Eval()
	torch.NoGrad(func() {
		logits := model.Forward(torch.Randn(torch.Shape{2, 3, 64, 64}))
		fmt.Println("logits of shape", logits.Shape())
		if !logits.Shape().Equal(torch.Shape{2, 10}) {
			log.Fatal("expected (2, 10)")
		}
	})
}
