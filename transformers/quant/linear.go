package quant

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch/blocks"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers/gguf"
)

// Supported reports whether there are kernels for blocks of this type.
func Supported(t gguf.Type) bool {
	bytes, _ := blocks.Size(int64(t))
	return bytes > 0
}

// matrix is a matrix (out, in) in blocks.
type matrix struct {
	blocks  *torch.Tensor // uint8 (out, bytes of a row)
	kind    gguf.Type
	out, in int64
}

// newMatrix checks the blocks. It panics with ErrNil, ErrShape, ErrDType or ErrNotImplemented.
func newMatrix(op string, b *torch.Tensor, t gguf.Type) matrix {
	bytes, weights := blocks.Size(int64(t))
	switch {
	case bytes == 0:
		panic(torch.NewError(op, torch.ErrNotImplemented, "kind", fmt.Sprintf("there are no kernels for %v", t)))
	case b == nil:
		panic(torch.NewError(op, torch.ErrNil, "blocks", "no tensor"))
	case b.DType() != torch.Uint8:
		panic(torch.NewError(op, torch.ErrDType, "blocks", fmt.Sprintf("expected uint8, got %v", b.DType())))
	case b.Dim() != 2 || b.Size(1)%bytes != 0 || !b.IsContiguous():
		panic(torch.NewError(op, torch.ErrShape, "blocks", fmt.Sprintf(
			"expected contiguous rows of whole blocks, which have %d bytes, got %v", bytes, b.Shape())))
	}
	return matrix{b, t, b.Size(0), b.Size(1) / bytes * weights}
}

// Linear is nn.Linear with a quantised matrix.
type Linear struct {
	nn.Base
	Bias                    *torch.Tensor // or nil
	InFeatures, OutFeatures int64
	m                       matrix
}

// NewLinear returns a layer that multiplies by the blocks, a uint8 tensor of shape
// (out, bytes of a row) on the CPU, and adds bias, of shape (out) or nil. The layer owns
// both. It panics with ErrNil, ErrShape, ErrDType or ErrNotImplemented if they do not fit.
func NewLinear(b *torch.Tensor, t gguf.Type, bias *torch.Tensor) *Linear {
	const op = "quant.NewLinear"
	l := &Linear{m: newMatrix(op, b, t)}
	if bias != nil && (bias.Dim() != 1 || bias.Size(0) != l.m.out) {
		panic(torch.NewError(op, torch.ErrShape, "bias", fmt.Sprintf("expected (%d), got %v", l.m.out, bias.Shape())))
	}
	l.InFeatures, l.OutFeatures = l.m.in, l.m.out
	l.Init(l)
	l.SetExtraRepr(fmt.Sprintf("in_features=%d, out_features=%d, bias=%t, type=%v", l.m.in, l.m.out, bias != nil, t))
	l.RegisterBuffer("blocks", b, nn.Persistent(false))
	if bias != nil {
		l.Bias = l.RegisterParameter("bias", bias)
	}
	return l
}

// Type returns the type of the blocks.
func (l *Linear) Type() gguf.Type { return l.m.kind }

// Forward takes x of shape (*, in) and returns a new tensor of shape (*, out) in x's dtype.
// With at most 16 rows, it rounds x to 16 bits and multiplies integers. With more, it
// computes in float32.
func (l *Linear) Forward(x *torch.Tensor) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor {
		const op = "quant.Linear(input, blocks, bias)"
		h, w, b := x.HandleFor(op, 0), l.m.blocks.HandleFor(op, 1), l.Bias.OptionalHandleFor(op, 2)
		r := torch.BeginRaw(op, x, l.m.blocks, l.Bias)
		return r.Tensor(blocks.Linear(r.Ctx, h, w, b, int64(l.m.kind)))
	})
}

// Dequantize returns the matrix as a new float32 tensor (out, in).
func (l *Linear) Dequantize() *torch.Tensor { return l.m.dequantize() }

func (m matrix) dequantize() *torch.Tensor {
	const op = "quant.Dequantize(blocks)"
	h := m.blocks.HandleFor(op, 0)
	r := torch.BeginRaw(op, m.blocks)
	return r.Tensor(blocks.Dequantize(r.Ctx, h, int64(m.kind)))
}

// Embedding is nn.Embedding with a quantised matrix.
type Embedding struct {
	nn.Base
	m matrix
}

// NewEmbedding returns a layer whose rows are those of the blocks; see [NewLinear].
func NewEmbedding(b *torch.Tensor, t gguf.Type) *Embedding {
	l := &Embedding{m: newMatrix("quant.NewEmbedding", b, t)}
	l.Init(l)
	l.SetExtraRepr(fmt.Sprintf("%d, %d, type=%v", l.m.out, l.m.in, t))
	l.RegisterBuffer("blocks", b, nn.Persistent(false))
	return l
}

// Type returns the type of the blocks.
func (l *Embedding) Type() gguf.Type { return l.m.kind }

// Forward takes int64 or int32 indices of shape (*) and returns float32 features of shape
// (*, features). It panics with ErrIndex for an index outside the matrix.
func (l *Embedding) Forward(ids *torch.Tensor) *torch.Tensor {
	return l.Call(ids, func(ids *torch.Tensor) *torch.Tensor {
		const op = "quant.Embedding(blocks, input)"
		b, i := l.m.blocks.HandleFor(op, 0), ids.HandleFor(op, 1)
		r := torch.BeginRaw(op, l.m.blocks, ids)
		return r.Tensor(blocks.Rows(r.Ctx, b, i, int64(l.m.kind)))
	})
}

// Dequantize returns the matrix as a new float32 tensor.
func (l *Embedding) Dequantize() *torch.Tensor { return l.m.dequantize() }
