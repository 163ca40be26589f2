package nn

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/attention"
	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/nn/nninit"
	"github.com/gotorch/gotorch/torch"
)

// Attention is the attention of a transformer layer: a [MultiheadAttention] or a
// module that replaced it.
type Attention interface {
	Module
	Forward(query, key, value *torch.Tensor, opts ...AttentionCallOption) (out, weights *torch.Tensor)
}

// MultiheadAttention is multi-head attention. Follows torch.nn.MultiheadAttention.
type MultiheadAttention struct {
	Base
	InProjWeight *torch.Tensor // shape (3 * embed, embed), or nil if the three weights are separate
	QProjWeight  *torch.Tensor // shape (embed, embed), or nil
	KProjWeight  *torch.Tensor // shape (embed, kdim), or nil
	VProjWeight  *torch.Tensor // shape (embed, vdim), or nil
	InProjBias   *torch.Tensor // shape (3 * embed), or nil
	BiasK        *torch.Tensor // shape (1, 1, embed), or nil
	BiasV        *torch.Tensor // shape (1, 1, embed), or nil
	OutProj      Layer         // a Linear, unless SetSubmodule replaced it

	EmbedDim    int64
	NumHeads    int64
	Dropout     float64
	BatchFirst  bool
	AddZeroAttn bool
}

// attentionOptions holds the parsed options of a MultiheadAttention.
type attentionOptions struct {
	paramMaker
	kdim, vdim         int64
	bias, biasKV, zero bool
	batchFirst         bool
	dropout            float64
}

func readAttention(op string, embed int64, opts []AttentionOption) attentionOptions {
	a := attentionOptions{kdim: embed, vdim: embed, bias: true}
	for _, o := range opts {
		switch o := o.(type) {
		case DropoutP:
			a.dropout = float64(o)
		case Bias:
			a.bias = bool(o)
		case BatchFirst:
			a.batchFirst = bool(o)
		case KDim:
			a.kdim = int64(o)
		case VDim:
			a.vdim = int64(o)
		case AddBiasKV:
			a.biasKV = bool(o)
		case AddZeroAttn:
			a.zero = bool(o)
		default:
			a.read(op, o)
		}
	}
	return a
}

// NewMultiheadAttention makes an attention layer for vectors of size embed. Without
// [KDim] and [VDim], keys and values have the size of the queries. It panics with
// ErrValue unless heads divides embed and [DropoutP] is a probability. It also panics
// with ErrValue for sizes that are negative or too large. Follows
// torch.nn.MultiheadAttention.
func NewMultiheadAttention(embed, heads int64, opts ...AttentionOption) *MultiheadAttention {
	const op = "NewMultiheadAttention"
	return newAttention(op, embed, heads, readAttention(op, embed, opts))
}

func newAttention(op string, embed, heads int64, a attentionOptions) *MultiheadAttention {
	a.setSizes(op, size{"embed", embed}, size{"KDim", a.kdim}, size{"VDim", a.vdim})
	if heads <= 0 || embed <= 0 || embed%heads != 0 {
		panic(torch.NewError(op, torch.ErrValue, "heads",
			fmt.Sprintf("expected a divisor of the size %[2]d, got %[1]d", heads, embed)))
	}
	mustBeProbability(op, "DropoutP", a.dropout)
	m := &MultiheadAttention{
		EmbedDim: embed, NumHeads: heads, Dropout: a.dropout, BatchFirst: a.batchFirst,
		AddZeroAttn: a.zero,
	}
	m.startLayer(m)
	// The program can assign a different layer to OutProj, so calls check the fields as
	// in a user's module.
	m.setFlag(flagUser)
	returned := false
	defer a.closeAfterPanic(&m.Base, &returned)
	same := a.kdim == embed && a.vdim == embed
	m.parameter("q_proj_weight", &m.QProjWeight, a.emptyIf(!same, embed, embed))
	m.parameter("k_proj_weight", &m.KProjWeight, a.emptyIf(!same, embed, a.kdim))
	m.parameter("v_proj_weight", &m.VProjWeight, a.emptyIf(!same, embed, a.vdim))
	m.parameter("in_proj_weight", &m.InProjWeight, a.emptyIf(same, 3*embed, embed))
	m.parameter("in_proj_bias", &m.InProjBias, a.emptyIf(a.bias, 3*embed))
	m.parameter("bias_k", &m.BiasK, a.emptyIf(a.biasKV, 1, 1, embed))
	m.parameter("bias_v", &m.BiasV, a.emptyIf(a.biasKV, 1, 1, embed))
	inner := a.paramMaker
	inner.as = m.As("out_proj")
	out := newLinear(op, embed, embed, a.bias, inner)
	out.typeName = "NonDynamicallyQuantizableLinear" // PyTorch's
	m.OutProj = out
	m.ResetParameters()
	a.as.register(m)
	returned = true
	return m
}

// ResetParameters draws new values for all parameters except those of OutProj. It sets
// the bias of OutProj to zero and leaves its weight unchanged, as Python's
// _reset_parameters does.
func (m *MultiheadAttention) ResetParameters() {
	mustBeMade("MultiheadAttention.ResetParameters", m)
	for _, w := range []*torch.Tensor{m.InProjWeight, m.QProjWeight, m.KProjWeight, m.VProjWeight} {
		if w != nil {
			nninit.XavierUniform_(w)
		}
	}
	if m.InProjBias != nil {
		nninit.Zeros_(m.InProjBias)
		if !opt.IsNil(m.OutProj) {
			if bias := m.OutProj.ModuleBase().GetParameter("bias"); bias != nil {
				nninit.Zeros_(bias)
			}
		}
	}
	for _, b := range []*torch.Tensor{m.BiasK, m.BiasV} {
		if b != nil {
			nninit.XavierNormal_(b)
		}
	}
}

// attentionCall holds parsed AttentionCallOptions.
type attentionCall struct {
	needWeights, average, causal bool
	attn, padding                *torch.Tensor
}

func readAttentionCall(op string, opts []AttentionCallOption) attentionCall {
	c := attentionCall{needWeights: true, average: true}
	given := false
	for _, o := range opts {
		switch o := o.(type) {
		case NeedWeights:
			c.needWeights = bool(o)
		case AverageAttnWeights:
			c.average, given = bool(o), true
		case IsCausal:
			c.causal = bool(o)
		case opt.AttnMask:
			c.attn = o.Tensor()
		case opt.KeyPaddingMask:
			c.padding = o.Tensor()
		default:
			panic(opt.Unknown(op, o))
		}
	}
	if given && !c.needWeights {
		panic(torch.NewError(op, torch.ErrValue, "AverageAttnWeights", "there are no weights with NeedWeights(false)"))
	}
	return c
}

// Forward computes attention of query, of shape (L, N, E) or (L, E), over key and value,
// of shape (S, N, E) or (S, E). With [BatchFirst], N comes first.
//
// It returns the output and the attention weights averaged over the heads, (N, L, S). The
// weights are nil with NeedWeights(false). IsCausal(true) without a mask makes a causal
// mask. Hooks receive query, key and value, but not the masks. In evaluation mode and
// without gradients, self-attention with an even number of heads and bool masks runs in
// one kernel, as in Python.
//
// It panics with ErrShape for sizes that do not match, and with ErrDType for masks that
// are neither bool nor floating-point.
func (m *MultiheadAttention) Forward(query, key, value *torch.Tensor,
	opts ...AttentionCallOption,
) (out, weights *torch.Tensor) {
	c := readAttentionCall("MultiheadAttention", opts)
	return m.attend(query, key, value, c)
}

func (m *MultiheadAttention) attend(query, key, value *torch.Tensor, c attentionCall) (out, weights *torch.Tensor) {
	res := callLayerN(m, []*torch.Tensor{query, key, value}, func(in []*torch.Tensor) []*torch.Tensor {
		out, weights := m.run(in[0], in[1], in[2], c)
		return []*torch.Tensor{out, weights}
	})
	return res[0], res[1]
}

const attentionOp = "MultiheadAttention(query, key, value)"

func (m *MultiheadAttention) run(query, key, value *torch.Tensor, c attentionCall) (out, weights *torch.Tensor) {
	for i, t := range []*torch.Tensor{query, key, value} {
		t.HandleFor(attentionOp, i)
	}
	if m.NumHeads <= 0 || m.EmbedDim%m.NumHeads != 0 {
		panic(torch.NewError(attentionOp, torch.ErrValue, "NumHeads",
			fmt.Sprintf("expected a divisor of the size %[2]d, got %[1]d", m.NumHeads, m.EmbedDim)))
	}
	batched := m.BatchFirst && query.Dim() == 3
	if batched && query == key && key == value && m.canUseKernel(query, c) {
		return m.runKernel(query, c)
	}
	p := 0.0
	if m.Training() {
		p = m.Dropout
	}
	if batched && key.Dim() == 3 && value.Dim() == 3 {
		query, key, value = attention.Transposed(query, key, value)
	}
	// libtorch's own causal mask would also hide the appended keys.
	appends := m.BiasK != nil || m.AddZeroAttn
	if c.causal && c.attn == nil && (c.needWeights || c.padding != nil || appends) {
		c.attn = causalMask(query, key)
		c.causal = !appends
	}
	run := attention.Call{
		Op: attentionOp, Embed: m.EmbedDim, Heads: m.NumHeads,
		In: m.InProjWeight, Q: m.QProjWeight, K: m.KProjWeight, V: m.VProjWeight, InBias: m.InProjBias,
		BiasK: m.BiasK, BiasV: m.BiasV, Zero: m.AddZeroAttn,
		Mask: c.attn, Padding: c.padding, Causal: c.causal, Dropout: p,
		NeedWeights: c.needWeights, Average: c.average,
		Out: m.OutProj.Forward,
	}
	out, weights = run.Run(query, key, value)
	if batched {
		out = own.Instead(out, out.Transpose(0, 1))
	}
	return out, weights
}

// causalMask returns a bool mask that is true where the position of a key is after the
// position of the query.
func causalMask(query, key *torch.Tensor) *torch.Tensor {
	return torch.Ones(torch.Shape{query.Size(0), key.Size(0)}, torch.Bool, query.Device()).Triu_(1)
}
