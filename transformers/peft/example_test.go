package peft_test

import (
	"fmt"
	"log"
	"os"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers/peft"
)

// Example trains an adapter of a small network, saves it, and loads it again.
func Example() {
	dir, err := os.MkdirTemp("", "adapter")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	model := nn.NewSequential(nn.NewLinear(8, 16), nn.NewReLU(), nn.NewLinear(16, 1))
	defer func() { _ = model.Close() }()

	adapters, err := peft.Add(model, peft.Rank(2), peft.Alpha(4), peft.TargetModules("0"))
	if err != nil {
		log.Fatal(err)
	}
	opt := optim.NewAdamW(adapters.Parameters(), optim.LR(0.05))
	defer opt.Close()
	fmt.Println(len(adapters.Parameters()), "parameters are trained")
	var first, last float64
	for step := range 50 {
		torch.Scope(func() {
			loss := model.Forward(torch.Ones(torch.Shape{4, 8})).SubScalar(3).Square().Mean()
			opt.ZeroGrad()
			loss.Backward()
			opt.Step()
			if last = loss.Item(); step == 0 {
				first = last
			}
		})
	}
	fmt.Println("the loss fell:", last < first/10)
	if err := adapters.Save(dir); err != nil {
		log.Fatal(err)
	}
	adapters.Unload() // the model is as before

	adapters, err = peft.Load(model, dir)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(adapters.Active())
	if err := adapters.Merge(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 2 parameters are trained
	// the loss fell: true
	// [default]
}
