package nn

import (
	"fmt"
	"math"

	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/internal/opt"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/nn/nninit"
	"github.com/gotorch/gotorch/torch"
)

// MultiheadAttention is attention of every query to all keys, with several
// heads. Follows torch.nn.MultiheadAttention.
type MultiheadAttention struct {
	Base
	InProjWeight *torch.Tensor // (3 * embed, embed): queries, keys, values
	InProjBias   *torch.Tensor // (3 * embed), or nil
	OutProj      *Linear

	embed, heads int64
	dropout      float64
	batchFirst   bool
}

// NewMultiheadAttention makes an attention over vectors of size embed with the
// given number of heads. Keys and values have the size of the queries. It
// panics with ErrValue unless heads divides embed and dropout is a probability,
// and for an embed that is negative or too large, with ErrOutOfMemory, and with
// ErrNil for a nil option. Follows torch.nn.MultiheadAttention.
func NewMultiheadAttention(embed, heads int64, opts ...AttentionOption) *MultiheadAttention {
	const op = "NewMultiheadAttention"
	m := &MultiheadAttention{embed: embed, heads: heads}
	bias := true
	var made making
	for _, o := range opts {
		switch o := o.(type) {
		case WithDropout:
			m.dropout = float64(o)
		case Bias:
			bias = bool(o)
		case BatchFirst:
			m.batchFirst = bool(o)
		default:
			made.read(op, o)
		}
	}
	made.sizes(op, size{"embed", embed})
	if heads <= 0 || embed <= 0 || embed%heads != 0 {
		panic(torch.NewError(op, torch.ErrValue, "heads", fmt.Sprintf("%d heads must divide a size of %d", heads, embed)))
	}
	checkProbability(op, "WithDropout", m.dropout)
	m.start(m)
	m.set(flagUser) // OutProj is a field like those of programs
	returned := false
	defer made.undo(&m.Base, &returned)
	m.parameter("in_proj_weight", &m.InProjWeight, made.empty(3*embed, embed))
	m.parameter("in_proj_bias", &m.InProjBias, made.zerosIf(bias, 3*embed))
	inner := made
	inner.as = m.As("out_proj")
	m.OutProj = newLinear(op, embed, embed, bias, inner)
	m.OutProj.typeName = "NonDynamicallyQuantizableLinear" // PyTorch's
	nninit.XavierUniform_(m.InProjWeight)
	if bias {
		nninit.Zeros_(m.OutProj.Bias)
	}
	made.as.register(m)
	returned = true
	return m
}

// attentionCall are the options of a call, read.
type attentionCall struct {
	needWeights, average, causal bool
	attn, padding                *torch.Tensor
}

func readAttentionCall(op string, opts []AttentionCallOption) attentionCall {
	c := attentionCall{needWeights: true, average: true}
	for _, o := range opts {
		switch o := o.(type) {
		case NeedWeights:
			c.needWeights = bool(o)
		case AverageAttnWeights:
			c.average = bool(o)
		case IsCausal:
			c.causal = bool(o)
		case opt.AttnMask:
			c.attn = o.Tensor()
		case KeyPaddingMaskOption:
			c.padding = o.t
		default:
			panic(opt.Unknown(op, o))
		}
	}
	return c
}

// Forward returns the attention of queries of shape (L, N, E), or (L, E), to
// keys and values of shape (S, N, E), or (S, E). It also returns the weights
// averaged over the heads, (N, L, S), or nil if they are not wanted. With
// [BatchFirst], N comes first. Hooks do not see the masks. It panics with
// ErrShape for sizes that do not fit and with ErrNil for a nil option.
func (m *MultiheadAttention) Forward(query, key, value *torch.Tensor, opts ...AttentionCallOption) (out, weights *torch.Tensor) {
	c := readAttentionCall("MultiheadAttention", opts)
	res := callN(m, []*torch.Tensor{query, key, value}, func(in []*torch.Tensor) []*torch.Tensor {
		out, weights := m.run(in[0], in[1], in[2], c)
		return []*torch.Tensor{out, weights}
	})
	return res[0], res[1]
}

func (m *MultiheadAttention) run(query, key, value *torch.Tensor, c attentionCall) (out, weights *torch.Tensor) {
	const op = "MultiheadAttention(query, key, value)"
	for i, t := range []*torch.Tensor{query, key, value} {
		t.HandleFor(op, i)
		if d := t.Dim(); d != query.Dim() || d != 2 && d != 3 || t.Size(-1) != m.embed {
			panic(torch.NewError(op, torch.ErrShape, []string{"query", "key", "value"}[i],
				fmt.Sprintf("expected 2 or 3 dimensions, the last of size %d, got size %v", m.embed, t.Shape())))
		}
	}
	q, k, v := m.project(query, key, value)
	n, l := q.Size(0), q.Size(2)
	mask := m.mask(c, q, k)
	var y, w *torch.Tensor
	if !c.needWeights {
		p := 0.0
		if m.IsTraining() {
			p = m.dropout
		}
		y = F.ScaledDotProductAttention(q, k, v, F.AttnMask(mask), F.DropoutP(p), F.IsCausal(c.causal && mask == nil))
		release(q, k, mask)
	} else {
		w = m.weigh(q, k, mask)
		y = w.MatMul(v)
	}
	release(v)
	// (N, heads, L, E/heads) to the inputs' layout.
	if m.batchFirst {
		y = instead(y, y.Permute(0, 2, 1, 3))
		y = instead(y, y.Reshape(n, l, m.embed))
	} else {
		y = instead(y, y.Permute(2, 0, 1, 3))
		y = instead(y, y.Reshape(l, n, m.embed))
	}
	y = instead(y, m.OutProj.Forward(y))
	if w != nil && c.average {
		w = instead(w, w.Mean(torch.Dim(1)))
	}
	if query.Dim() == 2 {
		y = y.Reshape(l, m.embed)
		if w != nil {
			w = w.Squeeze(0)
		}
	}
	return y, w
}

// weigh returns the weights (N, heads, L, S). No other tensors of an attention
// are as large; outside training and without a graph there are at most two of
// that size at a time. It takes its arguments over.
func (m *MultiheadAttention) weigh(q, k, mask *torch.Tensor) *torch.Tensor {
	q = instead(q, q.MulScalar(math.Sqrt(1/float64(m.embed/m.heads))))
	k = instead(k, k.Transpose(-2, -1))
	w := q.MatMul(k)
	release(q, k)
	if mask != nil {
		w.Add_(mask)
		release(mask)
	}
	w = instead(w, F.Softmax(w, -1))
	return instead(w, F.Dropout(w, F.P(m.dropout), F.Training(m.IsTraining())))
}

// release closes what the innermost scope owns and the layer is done with. What
// a graph needs, the graph keeps.
func release(ts ...*torch.Tensor) {
	for _, t := range ts {
		own.Release(t)
	}
}

// instead returns next and releases t, which it was made of.
func instead(t, next *torch.Tensor) *torch.Tensor {
	if next != t {
		own.Release(t)
	}
	return next
}

// project returns queries, keys and values as (N, heads, L, E/heads).
func (m *MultiheadAttention) project(query, key, value *torch.Tensor) (q, k, v *torch.Tensor) {
	if query == key && key == value {
		all := F.Linear(query, m.InProjWeight, m.InProjBias)
		parts := all.Chunk(3, -1)
		own.Release(all)
		return m.split(parts[0]), m.split(parts[1]), m.split(parts[2])
	}
	w := m.InProjWeight.Chunk(3, 0)
	b := make([]*torch.Tensor, 3)
	if m.InProjBias != nil {
		b = m.InProjBias.Chunk(3, 0)
	}
	return m.split(F.Linear(query, w[0], b[0])), m.split(F.Linear(key, w[1], b[1])), m.split(F.Linear(value, w[2], b[2]))
}

// split brings x, which it takes over, to (N, heads, L, E/heads).
func (m *MultiheadAttention) split(x *torch.Tensor) *torch.Tensor {
	d := m.embed / m.heads
	if x.Dim() == 2 {
		x = instead(x, x.Reshape(1, -1, m.heads, d))
		return instead(x, x.Transpose(1, 2))
	}
	x = instead(x, x.Reshape(x.Size(0), x.Size(1), m.heads, d))
	if m.batchFirst {
		return instead(x, x.Transpose(1, 2))
	}
	return instead(x, x.Permute(1, 2, 0, 3))
}

// mask returns what is added to the scores, broadcast to (N, heads, L, S), or
// nil. A causal mask alone is left to the kernel if there are no weights.
func (m *MultiheadAttention) mask(c attentionCall, q, k *torch.Tensor) *torch.Tensor {
	var sum *torch.Tensor
	add := func(t *torch.Tensor) {
		if sum == nil {
			sum = t
			return
		}
		sum = instead(sum, sum.Add(t))
		release(t)
	}
	n, l, s := q.Size(0), q.Size(2), k.Size(2)
	if t := c.attn; t != nil {
		t = additive(t, q.DType())
		if t.Dim() == 3 {
			t = instead(t, t.Reshape(n, m.heads, l, s))
		}
		add(t)
	}
	if t := c.padding; t != nil {
		t = additive(t, q.DType())
		add(instead(t, t.Reshape(n, 1, 1, s)))
	}
	if c.causal && c.attn == nil && (c.needWeights || sum != nil) {
		later := torch.Ones(torch.Shape{l, s}, torch.Bool, q.Device()).Triu_(1)
		mask := additive(later, q.DType())
		release(later)
		add(mask)
	}
	return sum
}

// additive turns a mask whose true elements hide into one of 0 and -inf, and
// gives another its dtype; the result is a new handle.
func additive(t *torch.Tensor, dtype torch.DType) *torch.Tensor {
	if t.DType() != torch.Bool {
		return t.To(dtype)
	}
	return torch.Zeros(t.Shape(), dtype, t.Device()).MaskedFill_(t, math.Inf(-1))
}
