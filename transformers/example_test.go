package transformers_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/gotorch/gotorch/transformers"
	"github.com/gotorch/gotorch/transformers/chat"
	"github.com/gotorch/gotorch/transformers/generation"
)

// Example answers a conversation with a model from a folder of the hub or a GGUF file.
func Example() {
	lm, err := transformers.Load("SmolLM2-135M-Instruct")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = lm.Close() }()

	messages := []chat.Message{{Role: "user", Content: "What is the capital of France?"}}
	answer := lm.StreamChat(context.Background(), messages, generation.MaxNewTokens(50))
	for text, err := range answer {
		if err != nil {
			log.Fatal(err)
		}
		_, _ = fmt.Fprint(os.Stdout, text)
	}
}
