package kvcache

import "github.com/gotorch/gotorch/torch"

// An EncoderDecoder is the cache of a decoder that also attends to the features of an
// encoder. It keeps the keys and values of these features, which are the same for all
// tokens. Follows transformers.EncoderDecoderCache.
type EncoderDecoder struct {
	Cache // of the decoder's own tokens
	cross []layer
}

// NewEncoderDecoder returns a cache that keeps a decoder's own tokens in self, which it
// owns. It panics with ErrNil if self is nil.
func NewEncoderDecoder(self Cache) *EncoderDecoder {
	if self == nil {
		panic(torch.NewError("kvcache.NewEncoderDecoder", torch.ErrNil, "self", "no cache"))
	}
	return &EncoderDecoder{Cache: self}
}

// Cross returns the keys and values (N, heads, S, D) of the encoder's features for a layer.
// The first call gets them from compute, and the cache keeps them. The results belong to
// the cache. It panics with ErrIndex for a negative layer, and with ErrAutograd if a
// gradient would have to pass through the cache.
func (c *EncoderDecoder) Cross(i int, compute func() (key, value *torch.Tensor)) (keys, values *torch.Tensor) {
	const op = "EncoderDecoder.Cross"
	if i < 0 {
		panic(torch.NewError(op, torch.ErrIndex, "layer", "it is negative"))
	}
	for len(c.cross) <= i {
		c.cross = append(c.cross, layer{})
	}
	l := &c.cross[i]
	if l.keys == nil {
		out := torch.TidyAll(func() []*torch.Tensor {
			k, v := compute()
			if torch.IsGradEnabled() && (k.RequiresGrad() || v.RequiresGrad()) {
				panic(torch.NewError(op, torch.ErrAutograd, "key",
					"a cache passes no gradients on; run the model in torch.NoGrad or torch.InferenceMode"))
			}
			return []*torch.Tensor{k.Contiguous(), v.Contiguous()}
		})
		l.keys, l.values = torch.Disown(out[0]), torch.Disown(out[1])
	}
	return l.keys, l.values
}

// Bytes implements [Cache].
func (c *EncoderDecoder) Bytes() int64 {
	n := c.Cache.Bytes()
	for _, l := range c.cross {
		if l.keys != nil {
			n += l.keys.NBytes() + l.values.NBytes()
		}
	}
	return n
}

// Reorder makes row i of the cache what row rows[i] was; see [Contiguous.Reorder]. It panics
// with ErrUnsupported if the cache of the decoder's tokens cannot do that.
func (c *EncoderDecoder) Reorder(rows *torch.Tensor) {
	r, ok := c.Cache.(interface{ Reorder(*torch.Tensor) })
	if !ok {
		panic(torch.NewError("EncoderDecoder.Reorder", torch.ErrUnsupported, "receiver",
			"its cache has no method Reorder"))
	}
	r.Reorder(rows)
	for i := range c.cross {
		c.cross[i].reorder(rows)
	}
}

// Close implements [Cache].
func (c *EncoderDecoder) Close() error {
	for i := range c.cross {
		c.cross[i].close()
	}
	c.cross = nil
	return c.Cache.Close()
}
