package llama_test

import (
	"fmt"
	"log"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers/kvcache"
	"github.com/gotorch/gotorch/transformers/models"
	"github.com/gotorch/gotorch/transformers/models/llama"
)

// Example makes a small model with random weights and computes the logits of a text, at
// once and then of one more token with a cache.
func Example() {
	config, err := llama.ParseConfig([]byte(`{"model_type": "llama", "vocab_size": 100, "hidden_size": 32,
		"intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}`))
	if err != nil {
		log.Fatal(err)
	}
	model, err := llama.NewForCausalLM(config)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = model.Close() }()
	model.Eval()
	cache := kvcache.New(model.CacheSpec())
	defer func() { _ = cache.Close() }()

	torch.NoGrad(func() {
		torch.Scope(func() {
			text := torch.FromSlice([]int64{1, 5, 7}, 1, 3)
			fmt.Println(model.Forward(text, models.UseCache(cache)).Shape())
			next := torch.FromSlice([]int64{9}, 1, 1)
			fmt.Println(model.Forward(next, models.UseCache(cache)).Shape())
		})
	})
	fmt.Println(cache.Len(), "tokens in the cache")
	// Output:
	// (1, 3, 100)
	// (1, 1, 100)
	// 4 tokens in the cache
}
