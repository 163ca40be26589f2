// Command kv_reset generates tokens with a small attention model that caches keys and
// values.
//
// Leaky: reset has a value receiver. It empties only a copy of the cache, so the
// decoder's own cache keeps the keys and values of all earlier requests, and every token
// makes it longer. Replaced tensors are closed properly, but the current ones keep
// growing.
package main

import (
	"fmt"
	"math"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

const vocabulary, width, layers = 40, 16, 2

type kv struct{ keys, values *torch.Tensor } // (T, width), or nil

// extend appends a row to the keys and the values.
func (c *kv) extend(k, v *torch.Tensor) {
	c.keys, c.values = join(c.keys, k), join(c.values, v)
}

// reset empties the cache; the garbage collector frees the tensors.
func (c kv) reset() {
	c.keys, c.values = nil, nil
}

func join(old, row *torch.Tensor) *torch.Tensor {
	if old == nil {
		return torch.Disown(row.Clone())
	}
	defer old.Close()
	return torch.Disown(torch.Cat([]*torch.Tensor{old, row})) // want leak
}

type decoder struct {
	table   *nn.Embedding
	q, k, v [layers]*nn.Linear
	caches  [layers]kv
}

func newDecoder() *decoder {
	d := &decoder{table: nn.NewEmbedding(vocabulary, width)}
	for i := range layers {
		d.q[i], d.k[i], d.v[i] = nn.NewLinear(width, width), nn.NewLinear(width, width), nn.NewLinear(width, width)
	}
	return d
}

// next returns the next token.
func (d *decoder) next(token int64) (following int64) {
	torch.Scope(func() {
		x := d.table.Forward(torch.FromSlice([]int64{token}))
		for i := range layers {
			d.caches[i].extend(d.k[i].Forward(x), d.v[i].Forward(x))
			scores := d.q[i].Forward(x).MatMul(d.caches[i].keys.T()).DivScalar(math.Sqrt(width))
			x = x.Add(F.Softmax(scores, -1).MatMul(d.caches[i].values))
		}
		logits := x.MatMul(d.table.Weight.T()).Squeeze(0)
		following = F.Softmax(logits, 0).Multinomial(1).ItemInt()
	})
	return following
}

func (d *decoder) generate(first int64, n int) (tokens []int64) {
	torch.NoGrad(func() {
		for range n {
			first = d.next(first)
			tokens = append(tokens, first)
		}
	})
	for i := range d.caches {
		d.caches[i].reset()
	}
	return tokens
}

func main() {
	torch.ManualSeed(31)
	d := newDecoder()
	counts := map[int64]int{}
	for request := range 40 {
		for _, t := range d.generate(int64(request)%vocabulary, 6) {
			counts[t]++
		}
	}
	fmt.Println(len(counts), "different tokens")
}
