package transformers_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/gotorch/gotorch/torch"
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

// ExampleSentenceTransformer finds the text that is closest to a question, with a model such as
// all-MiniLM-L6-v2 from a folder of the hub.
func ExampleSentenceTransformer() {
	model, err := transformers.LoadSentenceTransformer("all-MiniLM-L6-v2")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = model.Close() }()

	texts := []string{"A cat sleeps on the sofa.", "The stock market fell.", "Which animal rests?"}
	x, err := model.Encode(context.Background(), texts)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = x.Close() }()
	torch.Scope(func() { // the embeddings have length 1, so products are cosines
		question := x.Select(0, 2)
		fmt.Println(texts[x.Narrow(0, 0, 2).Mv(question).ArgMax().ItemInt()])
	})
}
