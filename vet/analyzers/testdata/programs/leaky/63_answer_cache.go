// Command answer_cache answers requests with the embedding of a text. If a text was
// requested before, the answer comes from a cache.
//
// Leaky: the cache has no maximum size. Each new text adds one tensor of 1 KiB, and
// nothing deletes or closes entries while the server runs.
package main

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

const (
	buckets = 512
	width   = 256
)

type embedder struct {
	bag   *nn.EmbeddingBag
	cache map[string]*torch.Tensor
	hits  int
}

func newEmbedder() *embedder {
	e := &embedder{bag: nn.NewEmbeddingBag(buckets, width), cache: map[string]*torch.Tensor{}}
	e.bag.Eval()
	return e
}

// ids hashes each word of a text into a bucket.
func ids(text string) []int64 {
	var out []int64
	for _, word := range strings.Fields(text) {
		h := fnv.New32a()
		_, _ = h.Write([]byte(word))
		out = append(out, int64(h.Sum32()%buckets))
	}
	return out
}

// embed returns the embedding of a text, (1, width). The cache owns it.
func (e *embedder) embed(text string) *torch.Tensor {
	if v, ok := e.cache[text]; ok {
		e.hits++
		return v
	}
	torch.NoGrad(func() {
		torch.Scope(func() {
			in := torch.FromSlice(ids(text)).Unsqueeze(0)
			e.cache[text] = torch.Disown(e.bag.Forward(in, nil)) // want leak
		})
	})
	return e.cache[text]
}

func main() {
	torch.ManualSeed(3)
	e := newEmbedder()
	defer e.bag.Close()
	words := strings.Fields("where is my order and when will it arrive at the new address number")
	query := torch.Randn(torch.Shape{width})
	defer query.Close()
	best := 0.0
	for request := range 300 {
		text := fmt.Sprintf("%s %s %d", words[rand.N(len(words))], words[rand.N(len(words))], request)
		if request%10 == 0 {
			text = "where is my order"
		}
		torch.Scope(func() { best = max(best, e.embed(text).MatMul(query).Item()) })
	}
	fmt.Printf("%d hits, best score %.3f\n", e.hits, best)
}
