package serving_test

import (
	"context"
	"fmt"
	"log"
	"sync"

	"github.com/gotorch/gotorch/transformers"
	"github.com/gotorch/gotorch/transformers/generation"
	"github.com/gotorch/gotorch/transformers/models/gpt2"
	"github.com/gotorch/gotorch/transformers/serving"
)

// Example generates three texts at once, with a small model with random weights.
func Example() {
	config := gpt2.DefaultConfig()
	config.VocabSize, config.Embd, config.Layers, config.Heads = 100, 32, 2, 4
	model, err := gpt2.NewForCausalLM(config)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = model.Close() }()
	model.Eval()
	engine := serving.NewEngine(model, serving.CacheTokens(1024))
	defer func() { _ = engine.Close() }()

	var clients sync.WaitGroup
	for i := range 3 {
		clients.Go(func() {
			prompt := []int64{int64(i), 5, 7}
			for _, err := range engine.Submit(context.Background(), prompt, 0, generation.MaxNewTokens(10)) {
				if err != nil {
					log.Print(err)
				}
			}
		})
	}
	clients.Wait()
	stats := engine.Stats()
	fmt.Println(stats.Finished, "requests,", stats.NewTokens, "tokens")
	// Output: 3 requests, 30 tokens
}

// ExampleEmbedder computes embeddings for two clients at once, with a model such as
// all-MiniLM-L6-v2 from a folder of the hub.
func ExampleEmbedder() {
	model, err := transformers.LoadSentenceTransformer("all-MiniLM-L6-v2")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = model.Close() }()
	embedder := serving.NewEmbedder(model, serving.BatchTokens(2048))
	defer func() { _ = embedder.Close() }()

	var clients sync.WaitGroup
	for _, text := range []string{"A cat sleeps.", "The market fell."} {
		clients.Go(func() {
			tokens, err := model.Tokenize([]string{text})
			if err != nil {
				log.Print(err)
				return
			}
			rows, err := embedder.Embed(context.Background(), tokens)
			if err != nil {
				log.Print(err)
				return
			}
			fmt.Println(text, len(rows[0]))
		})
	}
	clients.Wait()
}
