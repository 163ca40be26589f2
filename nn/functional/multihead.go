package functional

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/attention"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// A MultiHeadOption is an option of [MultiHeadAttentionForward]: [Training],
// [KeyPaddingMask], [NeedWeights], [AttnMask], [UseSeparateProjWeight], [QProjWeight],
// [KProjWeight], [VProjWeight], [StaticK], [StaticV], [AverageAttnWeights] or
// [IsCausal].
type MultiHeadOption interface{ opt.MultiHeadFunc }

type (
	// NeedWeights says whether an attention also returns its attention weights. The
	// default is true. With false, libtorch can use its fast kernels.
	NeedWeights = opt.NeedWeights
	// AverageAttnWeights says whether the returned attention weights are averaged over
	// the heads. The default is true. With NeedWeights(false) it is ErrValue; Python
	// ignores it then.
	AverageAttnWeights = opt.AverageAttnWeights
	// UseSeparateProjWeight says whether QProjWeight, KProjWeight and VProjWeight
	// replace inProjWeight. The default is false.
	UseSeparateProjWeight = opt.UseSeparateProjWeight
	// KeyPaddingMaskOption is the result type of [KeyPaddingMask].
	KeyPaddingMaskOption = opt.KeyPaddingMask
	// QProjWeightOption is the result type of [QProjWeight].
	QProjWeightOption = opt.QProjWeight
	// KProjWeightOption is the result type of [KProjWeight].
	KProjWeightOption = opt.KProjWeight
	// VProjWeightOption is the result type of [VProjWeight].
	VProjWeightOption = opt.VProjWeight
	// StaticKOption is the result type of [StaticK].
	StaticKOption = opt.StaticK
	// StaticVOption is the result type of [StaticV].
	StaticVOption = opt.StaticV
)

// KeyPaddingMask is a mask of shape (N, S), or (S) without a batch: true or -inf hides a
// key from all queries. Nil, the default, hides none.
func KeyPaddingMask(mask *torch.Tensor) KeyPaddingMaskOption { return opt.NewKeyPaddingMask(mask) }

// QProjWeight is the projection weight of the queries, of shape (E, E). It is used only
// with UseSeparateProjWeight(true).
func QProjWeight(w *torch.Tensor) QProjWeightOption { return opt.NewQProjWeight(w) }

// KProjWeight is the projection weight of the keys, of shape (E, kdim). It is used only
// with UseSeparateProjWeight(true).
func KProjWeight(w *torch.Tensor) KProjWeightOption { return opt.NewKProjWeight(w) }

// VProjWeight is the projection weight of the values, of shape (E, vdim). It is used
// only with UseSeparateProjWeight(true).
func VProjWeight(w *torch.Tensor) VProjWeightOption { return opt.NewVProjWeight(w) }

// StaticK gives keys of shape (N * heads, S, E / heads) that replace the computed ones.
// By default, and for nil, the keys are computed.
func StaticK(k *torch.Tensor) StaticKOption { return opt.NewStaticK(k) }

// StaticV gives values of shape (N * heads, S, E / heads) that replace the computed
// ones. By default, and for nil, the values are computed.
func StaticV(v *torch.Tensor) StaticVOption { return opt.NewStaticV(v) }

// MultiHeadAttentionForward is multi-head attention with explicit weights. query has
// shape (L, N, E) or (L, E), key and value (S, N, E) or (S, E). inProjWeight is (3 * E,
// E), or nil with UseSeparateProjWeight(true). inProjBias (3 * E), biasK and biasV (1, 1,
// E) and outProjBias (E) may be nil. dropoutP applies with Training(true), the default.
//
// It returns a tensor of query's shape and the attention weights, of shape (N, L, S). The
// weights are nil with NeedWeights(false).
//
// It panics with ErrShape, ErrDType or ErrNil for tensors that do not match. It panics
// with ErrValue for numHeads that does not divide embedDim, for IsCausal(true) without a
// mask and for a dropoutP outside [0, 1]. Follows
// torch.nn.functional.multi_head_attention_forward.
func MultiHeadAttentionForward(
	query, key, value *torch.Tensor, embedDim, numHeads int64,
	inProjWeight, inProjBias, biasK, biasV *torch.Tensor, addZeroAttn bool, dropoutP float64,
	outProjWeight, outProjBias *torch.Tensor, opts ...MultiHeadOption,
) (out, weights *torch.Tensor) {
	const op = "MultiHeadAttentionForward(query, key, value, inProjWeight, outProjWeight)"
	c := attention.Call{
		Op: op, Embed: embedDim, Heads: numHeads, In: inProjWeight, InBias: inProjBias, BiasK: biasK, BiasV: biasV,
		Zero: addZeroAttn, NeedWeights: true, Average: true,
		Out: func(y *torch.Tensor) *torch.Tensor { return Linear(y, outProjWeight, outProjBias) },
	}
	training, separate := readMultiHead(op, &c, opts)
	mustBeProbability(op, "dropoutP", dropoutP)
	if numHeads <= 0 || embedDim <= 0 || embedDim%numHeads != 0 {
		panic(torch.NewError(op, torch.ErrValue, "numHeads",
			fmt.Sprintf("expected a divisor of the size %[2]d, got %[1]d", numHeads, embedDim)))
	}
	if c.Causal && c.Mask == nil {
		panic(torch.NewError(op, torch.ErrValue, "IsCausal", "needs a mask: give AttnMask as well"))
	}
	if training {
		c.Dropout = dropoutP
	}
	for i, t := range []*torch.Tensor{query, key, value} {
		t.HandleFor(op, i)
	}
	outProjWeight.HandleFor(op, 4)
	if separate {
		c.In = nil
		for i, t := range []*torch.Tensor{c.Q, c.K, c.V} {
			if t == nil {
				panic(torch.NewError(op, torch.ErrNil, []string{"QProjWeight", "KProjWeight", "VProjWeight"}[i],
					"UseSeparateProjWeight(true) needs QProjWeight, KProjWeight and VProjWeight"))
			}
		}
	} else {
		inProjWeight.HandleFor(op, 3)
	}
	res := torch.TidyAll(func() []*torch.Tensor {
		y, w := c.Run(query, key, value)
		return []*torch.Tensor{y, w}
	})
	return res[0], res[1]
}

// readMultiHead reads the options into c, except Training and UseSeparateProjWeight,
// which it returns.
func readMultiHead(op string, c *attention.Call, opts []MultiHeadOption) (training, separate bool) {
	training = true
	averaged := false
	for _, o := range opts {
		switch o := o.(type) {
		case Training:
			training = bool(o)
		case KeyPaddingMaskOption:
			c.Padding = o.Tensor()
		case NeedWeights:
			c.NeedWeights = bool(o)
		case AttnMaskOption:
			c.Mask = o.Tensor()
		case UseSeparateProjWeight:
			separate = bool(o)
		case QProjWeightOption:
			c.Q = o.Tensor()
		case KProjWeightOption:
			c.K = o.Tensor()
		case VProjWeightOption:
			c.V = o.Tensor()
		case StaticKOption:
			c.StaticK = o.Tensor()
		case StaticVOption:
			c.StaticV = o.Tensor()
		case AverageAttnWeights:
			c.Average, averaged = bool(o), true
		case IsCausal:
			c.Causal = bool(o)
		default:
			panic(opt.Unknown(op, o))
		}
	}
	if averaged && !c.NeedWeights {
		panic(torch.NewError(op, torch.ErrValue, "AverageAttnWeights", "there are no weights with NeedWeights(false)"))
	}
	return training, separate
}
