// Command kv_cache generates texts with an attention layer that caches keys and values.
//
// Clean: a cache belongs to one request. From the start it has room for the longest text,
// and it is written in place. release closes it when the text is complete.
package main

import (
	"fmt"
	"math"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

const vocabulary, width, longest = 32, 16, 24

type cache struct {
	keys, values *torch.Tensor // (longest, width)
	used         int64
}

func newCache() *cache {
	room := func() *torch.Tensor { return torch.Disown(torch.Zeros(torch.Shape{longest, width})) }
	return &cache{keys: room(), values: room()}
}

// add writes a row and returns the rows in use.
func (c *cache) add(k, v *torch.Tensor) (keys, values *torch.Tensor) {
	c.keys.SetIndex(k.Squeeze(0), c.used)
	c.values.SetIndex(v.Squeeze(0), c.used)
	c.used++
	return c.keys.Narrow(0, 0, c.used), c.values.Narrow(0, 0, c.used)
}

func (c *cache) release() {
	_ = c.keys.Close()
	_ = c.values.Close()
}

type writer struct {
	nn.Base
	table         *nn.Embedding
	q, k, v, head *nn.Linear
}

func newWriter() *writer {
	w := &writer{
		table: nn.NewEmbedding(vocabulary, width), q: nn.NewLinear(width, width),
		k: nn.NewLinear(width, width), v: nn.NewLinear(width, width), head: nn.NewLinear(width, vocabulary),
	}
	w.Init(w)
	w.Eval()
	return w
}

func (w *writer) next(c *cache, token int64) (id int64) {
	torch.Scope(func() {
		x := w.table.Forward(torch.FromSlice([]int64{token}))
		keys, values := c.add(w.k.Forward(x), w.v.Forward(x))
		weights := F.Softmax(w.q.Forward(x).MatMul(keys.T()).DivScalar(math.Sqrt(width)), -1)
		logits := w.head.Forward(x.Add(weights.MatMul(values))).Squeeze(0)
		best, ids := logits.TopK(5)
		id = ids.Index(F.Softmax(best, 0).Multinomial(1)).ItemInt()
	})
	return id
}

// write continues a text up to the token 0 or the maximum length.
func (w *writer) write(token int64) (text []int64) {
	c := newCache()
	defer c.release()
	torch.NoGrad(func() {
		for c.used < longest && token != 0 {
			token = w.next(c, token)
			text = append(text, token)
		}
	})
	return text
}

func main() {
	torch.ManualSeed(53)
	w := newWriter()
	defer w.Close()
	words := 0
	for request := range 25 {
		words += len(w.write(int64(1 + request%(vocabulary-1))))
	}
	fmt.Println("tokens:", words)
}
