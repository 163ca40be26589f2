package generation_test

import (
	"context"
	"fmt"
	"log"

	"github.com/gotorch/gotorch/transformers/generation"
	"github.com/gotorch/gotorch/transformers/models/gpt2"
)

// newModel returns a small model with random weights.
func newModel() *gpt2.ForCausalLM {
	config := gpt2.DefaultConfig()
	config.VocabSize, config.Embd, config.Layers, config.Heads = 100, 32, 2, 4
	model, err := gpt2.NewForCausalLM(config)
	if err != nil {
		log.Fatal(err)
	}
	model.Eval()
	return model
}

// Example continues two prompts.
func Example() {
	model := newModel()
	defer func() { _ = model.Close() }()

	prompts := [][]int64{{1, 2, 3}, {7}}
	ids, err := generation.Generate(context.Background(), model, prompts, generation.MaxNewTokens(5))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(ids), "results of", len(ids[0]), "tokens")
	// Output: 2 results of 5 tokens
}

// ExampleStream samples tokens and stops early.
func ExampleStream() {
	model := newModel()
	defer func() { _ = model.Close() }()

	n := 0
	for id, err := range generation.Stream(context.Background(), model, []int64{1, 2, 3}, generation.DoSample(true)) {
		if err != nil {
			log.Fatal(err)
		}
		if n++; id < 0 || n == 4 {
			break // this frees the memory of the generation
		}
	}
	fmt.Println(n, "tokens")
	// Output: 4 tokens
}
