package nn

import (
	"fmt"
	"math"

	"github.com/gotorch/gotorch/internal/own"
	F "github.com/gotorch/gotorch/nn/functional"
	nninit "github.com/gotorch/gotorch/nn/init"
	"github.com/gotorch/gotorch/torch"
)

// MultiheadAttention lets every query look at all keys, in several heads.
type MultiheadAttention struct {
	Base
	InProjWeight *torch.Tensor // (3 * embed, embed): queries, keys, values
	InProjBias   *torch.Tensor // (3 * embed), or nil
	OutProj      *Linear

	embed, heads int64
	dropout      float64
	batchFirst   bool
}

// AttentionOptions are the rarer arguments of [NewMultiheadAttention].
type AttentionOptions struct {
	Dropout    float64 // of the attention weights while training
	NoBias     bool
	BatchFirst bool // inputs are (N, L, E) instead of (L, N, E)
	Device     torch.Device
	DType      torch.DType
}

// NewMultiheadAttention makes an attention over vectors of size embed with the
// given number of heads. It panics with ErrValue unless heads divides embed.
// Follows torch.nn.MultiheadAttention for keys and values of the queries'
// size.
func NewMultiheadAttention(embed, heads int64, opts ...AttentionOptions) *MultiheadAttention {
	const op = "NewMultiheadAttention"
	o := option(op, opts)
	if heads <= 0 || embed <= 0 || embed%heads != 0 {
		panic(torch.NewError(op, torch.ErrValue, "heads", fmt.Sprintf("%d heads must divide a size of %d", heads, embed)))
	}
	probability(op, []float64{o.Dropout})
	m := &MultiheadAttention{embed: embed, heads: heads, dropout: o.Dropout, batchFirst: o.BatchFirst}
	m.InProjWeight = parameter(torch.Shape{3 * embed, embed}, o.DType, o.Device)
	if !o.NoBias {
		m.InProjBias = nninit.Zeros_(parameter(torch.Shape{3 * embed}, o.DType, o.Device))
	}
	m.OutProj = NewLinear(embed, embed, LinearOptions{NoBias: o.NoBias, Device: o.Device, DType: o.DType})
	nninit.XavierUniform_(m.InProjWeight, 1)
	if !o.NoBias {
		nninit.Zeros_(m.OutProj.Bias)
	}
	m.RegisterParameter("in_proj_weight", m.InProjWeight).RegisterParameter("in_proj_bias", m.InProjBias)
	m.Register("out_proj", m.OutProj)
	return m
}

// AttentionCall are the rarer arguments of MultiheadAttention.Forward.
type AttentionCall struct {
	NoWeights      bool          // return no weights, which lets libtorch use its fast kernels
	HeadWeights    bool          // weights of each head instead of their mean
	KeyPaddingMask *torch.Tensor // (N, S) or (S): true, or -inf, hides a key
	AttnMask       *torch.Tensor // (L, S) or (N * heads, L, S): true, or -inf, hides a key from a query
	Causal         bool          // a query sees no later keys; excludes AttnMask
}

// NoWeights is need_weights=False.
var NoWeights = AttentionCall{NoWeights: true}

// Forward returns the attention of queries (L, N, E), or (L, E), to keys and
// values (S, N, E), or (S, E), and the weights averaged over the heads, (N, L,
// S), or nil if they are not wanted. With BatchFirst N comes first. It panics
// with ErrShape for sizes that do not fit.
func (m *MultiheadAttention) Forward(query, key, value *torch.Tensor, opts ...AttentionCall) (out, weights *torch.Tensor) {
	const op = "MultiheadAttention(query, key, value)"
	o := option(op, opts)
	for i, t := range []*torch.Tensor{query, key, value} {
		t.HandleFor(op, i)
		if d := t.Dim(); d != query.Dim() || d != 2 && d != 3 || t.Size(-1) != m.embed {
			panic(torch.NewError(op, torch.ErrShape, []string{"query", "key", "value"}[i],
				fmt.Sprintf("expected 2 or 3 dimensions, the last of size %d, got size %v", m.embed, t.Shape())))
		}
	}
	if o.Causal && o.AttnMask != nil {
		panic(torch.NewError(op, torch.ErrValue, "AttnMask", "cannot be combined with Causal"))
	}
	res := torch.TidyAll(func() []*torch.Tensor {
		q, k, v := m.project(query, key, value)
		n, l := q.Size(0), q.Size(2)
		mask := m.mask(o, q, k)
		var y, w *torch.Tensor
		if o.NoWeights {
			p := 0.0
			if m.IsTraining() {
				p = m.dropout
			}
			y = F.ScaledDotProductAttention(q, k, v, F.AttnMask(mask), F.DropoutP(p), F.IsCausal(o.Causal && mask == nil))
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
		if w != nil && !o.HeadWeights {
			w = instead(w, w.MeanDim([]int64{1}, false))
		}
		if query.Dim() == 2 {
			y = y.Reshape(l, m.embed)
			if w != nil {
				w = w.Squeeze(0)
			}
		}
		return []*torch.Tensor{y, w}
	})
	return res[0], res[1]
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
func (m *MultiheadAttention) mask(o AttentionCall, q, k *torch.Tensor) *torch.Tensor {
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
	if t := o.AttnMask; t != nil {
		t = additive(t, q.DType())
		if t.Dim() == 3 {
			t = instead(t, t.Reshape(n, m.heads, l, s))
		}
		add(t)
	}
	if t := o.KeyPaddingMask; t != nil {
		t = additive(t, q.DType())
		add(instead(t, t.Reshape(n, 1, 1, s)))
	}
	if o.Causal && (!o.NoWeights || sum != nil) {
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
