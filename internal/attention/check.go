package attention

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/torch"
)

// check reports whether the inputs have a batch dimension. It panics if sizes do not
// match.
func (c *Call) check(query, key, value *torch.Tensor) bool {
	fail := func(kind error, arg, format string, args ...any) {
		panic(torch.NewError(c.Op, kind, arg, fmt.Sprintf(format, args...)))
	}
	widths := [...]int64{c.Embed, c.Embed, c.Embed}
	if c.In == nil {
		widths[1], widths[2] = c.K.Size(-1), c.V.Size(-1)
	}
	d := query.Dim()
	for i, t := range []*torch.Tensor{query, key, value} {
		if t.Dim() != d || d != 2 && d != 3 || t.Size(-1) != widths[i] {
			fail(torch.ErrShape, []string{"query", "key", "value"}[i],
				"expected 2 or 3 dimensions, as many as query, the last of size %d, got size %v", widths[i], t.Shape())
		}
	}
	n, l, s := int64(1), query.Size(0), key.Size(0)
	if d == 3 {
		n = query.Size(1)
	}
	for i, t := range []*torch.Tensor{key, value} {
		if t.Size(0) != s || d == 3 && t.Size(1) != n {
			fail(torch.ErrShape, []string{"key", "value"}[i],
				"expected %d keys and values for each of %d sequences, got size %v", s, n, t.Shape())
		}
	}
	s = c.checkStatic(n, s)
	for _, m := range []struct {
		arg string
		t   *torch.Tensor
	}{{"AttnMask", c.Mask}, {"KeyPaddingMask", c.Padding}} {
		if m.t != nil && m.t.DType() != torch.Bool && !m.t.IsFloatingPoint() {
			fail(torch.ErrDType, m.arg, "expected a bool or floating-point mask, got %v", m.t.DType())
		}
	}
	if m := c.Mask; m != nil {
		square, each := torch.Shape{l, s}, torch.Shape{n * c.Heads, l, s}
		if got := m.Shape(); !got.Equal(square) && !got.Equal(each) {
			fail(torch.ErrShape, "AttnMask", "expected size %v or %v, got %v", square, each, got)
		}
	}
	if p := c.Padding; p != nil {
		want := torch.Shape{n, s}[3-d:]
		if got := p.Shape(); !got.Equal(want) {
			fail(torch.ErrShape, "KeyPaddingMask", "expected size %v, got %v", want, got)
		}
		if c.Mask != nil && c.Mask.DType() != p.DType() {
			cgotorch.Warn("Support for mismatched key_padding_mask and attn_mask is deprecated. Use same type for " +
				"both instead.")
		}
	}
	return d == 3
}

// checkStatic checks StaticK and StaticV, and returns the number of keys.
func (c *Call) checkStatic(n, s int64) int64 {
	if (c.BiasK == nil) != (c.BiasV == nil) {
		panic(torch.NewError(c.Op, torch.ErrNil, "bias_k, bias_v", "give both or neither"))
	}
	for i, t := range []*torch.Tensor{c.StaticK, c.StaticV} {
		if t == nil {
			continue
		}
		arg := []string{"StaticK", "StaticV"}[i]
		if c.BiasK != nil {
			panic(torch.NewError(c.Op, torch.ErrValue, arg, "cannot be combined with key and value biases"))
		}
		if t.Dim() != 3 || t.Size(0) != n*c.Heads || t.Size(2) != c.Embed/c.Heads {
			panic(torch.NewError(c.Op, torch.ErrShape, arg, fmt.Sprintf("expected size (%d, S, %d), got %v", n*c.Heads,
				c.Embed/c.Heads, t.Shape())))
		}
		if i == 0 {
			s = t.Size(1)
		}
	}
	return s
}
