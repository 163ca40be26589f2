package kvcache

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

// A Cache keeps the keys and values of earlier tokens. A model's forward pass appends the
// new ones and attends to all of them.
//
// A cache belongs to one generation: only one goroutine may use it at a time.
type Cache interface {
	// Update appends the keys and values (N, heads, T, D) of T new tokens to a layer, and
	// returns those that the new tokens attend to, (N, heads, length, D). The results are
	// views or new tensors of the caller's scope; they are valid until the next Update of
	// the layer.
	Update(layer int, key, value *torch.Tensor) (keys, values *torch.Tensor)

	// Sizes returns how many keys an Update of n new tokens will return for a layer, and
	// the position of the first of them.
	Sizes(layer int, n int64) (length, first int64)

	// Len returns the number of tokens in the cache.
	Len() int64

	// Room returns how many more tokens fit.
	Room() int64

	// Bytes returns the native memory that the cache holds.
	Bytes() int64

	// Close frees the memory. The cache cannot be used afterwards.
	Close() error
}

// slack is the number of positions by which a growing or sliding layer is larger than
// needed, so that it need not be copied for each token.
const slack = 256

// A Contiguous cache keeps each layer in one buffer. Its rows can be reordered, and its
// last tokens dropped. Follows transformers.DynamicCache, StaticCache and
// SlidingWindowCache.
type Contiguous struct {
	spec     Spec
	capacity int64 // 0 means that the cache grows
	layers   []layer
	closed   bool
}

// New returns an empty cache for a model with this spec. It allocates nothing until the
// first Update: only then is the batch size known. It panics with ErrValue for a spec
// without layers or with sizes that are not positive.
func New(spec Spec, opts ...Option) *Contiguous {
	const op = "kvcache.New"
	c := &Contiguous{spec: spec}
	for _, o := range opts {
		switch o := o.(type) {
		case Capacity:
			if c.capacity = int64(o); o < 1 {
				panic(torch.NewError(op, torch.ErrValue, "Capacity",
					fmt.Sprintf("expected a positive number, got %d", o)))
			}
		default:
			panic(torch.BadOption(op, o))
		}
	}
	spec.check(op)
	c.layers = make([]layer, len(spec.Layers))
	return c
}

// Update implements [Cache]. The first Update decides on the dtype and the device. Update
// panics with ErrNil for a nil tensor, with ErrShape if key and value do not fit the layer,
// with ErrIndex for a layer that does not exist and for tokens beyond the capacity, with
// ErrAutograd if a gradient would have to pass through the cache, and with ErrClosed after
// Close.
func (c *Contiguous) Update(i int, key, value *torch.Tensor) (keys, values *torch.Tensor) {
	const op = "kvcache.Contiguous.Update"
	c.check(op, i)
	spec, l := c.spec.Layers[i], &c.layers[i]
	for j, t := range []*torch.Tensor{key, value} {
		name := [...]string{"key", "value"}[j]
		if t == nil {
			panic(torch.NewError(op, torch.ErrNil, name, "no tensor"))
		}
		s := t.Shape()
		if len(s) != 4 || s[1] != spec.Heads || s[3] != spec.HeadDim || l.keys != nil && s[0] != l.keys.Size(0) {
			panic(torch.NewError(op, torch.ErrShape, name, fmt.Sprintf(
				"expected (N, %d, T, %d) with the N of earlier tokens, got %v", spec.Heads, spec.HeadDim, s)))
		}
		if torch.IsGradEnabled() && t.RequiresGrad() {
			panic(torch.NewError(op, torch.ErrAutograd, name,
				"a cache passes no gradients on; run the model in torch.NoGrad or torch.InferenceMode"))
		}
	}
	n := key.Size(2)
	if v := value.Shape(); v[0] != key.Size(0) || v[2] != n {
		panic(torch.NewError(op, torch.ErrShape, "value", fmt.Sprintf("expected the shape of key, %v, got %v",
			key.Shape(), v)))
	}
	if room := c.room(i); n > room {
		panic(torch.NewError(op, torch.ErrIndex, "key", fmt.Sprintf(
			"%d tokens do not fit: the cache holds %d of %d", n, l.seen, c.capacity)))
	}
	return l.update(spec, c.capacity, key, value)
}

// Sizes implements [Cache].
func (c *Contiguous) Sizes(i int, n int64) (length, first int64) {
	c.check("kvcache.Contiguous.Sizes", i)
	l := &c.layers[i]
	kept := l.kept(c.spec.Layers[i].Window)
	return kept + n, l.seen - kept
}

// Len implements [Cache].
func (c *Contiguous) Len() int64 { return c.layers[0].seen }

// Room implements [Cache]. A cache without a capacity has room for 1<<62 tokens.
func (c *Contiguous) Room() int64 { return c.room(0) }

func (c *Contiguous) room(i int) int64 {
	if c.capacity == 0 {
		return 1 << 62
	}
	return c.capacity - c.layers[i].seen
}

// Bytes implements [Cache].
func (c *Contiguous) Bytes() int64 {
	var n int64
	for _, l := range c.layers {
		if l.keys != nil {
			n += l.keys.NBytes() + l.values.NBytes()
		}
	}
	return n
}

// Close implements [Cache].
func (c *Contiguous) Close() error {
	c.closed = true
	for i := range c.layers {
		c.layers[i].close()
	}
	return nil
}

// Reorder makes row i of the cache what row rows[i] was. rows may have another number of
// rows than the cache. Beam search calls it. It panics with ErrIndex for a row that does
// not exist.
func (c *Contiguous) Reorder(rows *torch.Tensor) {
	c.check("kvcache.Contiguous.Reorder", 0)
	for i := range c.layers {
		c.layers[i].reorder(rows)
	}
}

// Crop drops all tokens from position n on. It panics with ErrValue if n is negative or
// greater than Len, and if a layer with a window has forgotten tokens that it would need.
// Follows transformers.DynamicCache.crop.
func (c *Contiguous) Crop(n int64) {
	const op = "kvcache.Contiguous.Crop"
	c.check(op, 0)
	if n < 0 || n > c.Len() {
		panic(torch.NewError(op, torch.ErrValue, "n", fmt.Sprintf("expected 0 to %d, got %d", c.Len(), n)))
	}
	for i, l := range c.layers {
		if w := c.spec.Layers[i].Window; w > 0 && n > 0 && n < l.seen && l.first > 0 && n-l.first < w-1 {
			panic(torch.NewError(op, torch.ErrValue, "n", fmt.Sprintf(
				"layer %d has a window of %d tokens and has forgotten those before position %d", i, w, l.first)))
		}
	}
	for i := range c.layers {
		c.layers[i].crop(n)
	}
}

func (c *Contiguous) check(op string, layer int) {
	if c.closed {
		panic(torch.NewError(op, torch.ErrClosed, "receiver", "the cache is closed"))
	}
	if layer < 0 || layer >= len(c.layers) {
		panic(torch.NewError(op, torch.ErrIndex, "layer",
			fmt.Sprintf("expected 0 to %d, got %d", len(c.layers)-1, layer)))
	}
}
