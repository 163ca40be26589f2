package gpt2_test

import (
	"fmt"
	"log"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers/models"
	"github.com/gotorch/gotorch/transformers/models/gpt2"
)

// Example computes a loss of a small model with random weights, and its gradients.
func Example() {
	config := gpt2.DefaultConfig()
	config.VocabSize, config.Embd, config.Layers, config.Heads = 100, 32, 2, 4
	model, err := gpt2.NewForCausalLM(config)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = model.Close() }()

	torch.Scope(func() {
		text := torch.FromSlice([]int64{1, 5, 7, 9}, 1, 4)
		logits := model.Forward(text)
		fmt.Println(logits.Shape())
		loss := models.CausalLoss(logits, text)
		loss.Backward()
		fmt.Println(loss.Shape(), model.Transformer.WTE.ModuleBase().Parameters()[0].Grad().Shape())
	})
	// Output:
	// (1, 4, 100)
	// () (100, 32)
}
