package main

import (
	"fmt"
	"math"
	"os"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers"
	"github.com/gotorch/gotorch/transformers/models"
)

// window is the number of tokens of each part of a text.
const window = 512

// perplexity prints the perplexity of a text: e to the mean cross entropy of each token
// given those before it in its part.
func perplexity(lm *transformers.LM, path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	encoding, err := lm.Tokenizer.Encode(string(text))
	if err != nil {
		return err
	}
	total, n := 0.0, 0
	for at := 0; at+1 < len(encoding.IDs); at += window {
		part := encoding.IDs[at:min(at+window, len(encoding.IDs))]
		if len(part) < 2 {
			break
		}
		torch.NoGrad(func() {
			torch.Scope(func() {
				ids := torch.FromSlice(part, 1, int64(len(part)))
				total += models.CausalLoss(lm.Model.Forward(ids), ids).Item() * float64(len(part)-1)
			})
		})
		n += len(part) - 1
	}
	fmt.Printf("perplexity %.4f of %d tokens\n", math.Exp(total/float64(n)), n)
	return nil
}
