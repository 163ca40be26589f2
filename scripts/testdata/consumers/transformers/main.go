// Command consumer generates text with a small language model.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers/generation"
	"github.com/gotorch/gotorch/transformers/models/gpt2"
)

func main() {
	torch.ManualSeed(0)
	c := gpt2.DefaultConfig()
	c.VocabSize, c.Positions, c.Embd, c.Layers, c.Heads = 50, 32, 16, 2, 2
	model, err := gpt2.NewForCausalLM(c)
	if err != nil {
		log.Fatal(err)
	}
	defer model.Close()
	model.Eval()
	tokens, err := generation.Generate(context.Background(), model, [][]int64{{1, 2, 3}}, generation.MaxNewTokens(5))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("new tokens", tokens)
	if len(tokens[0]) != 5 {
		log.Fatal("expected 5")
	}
}
