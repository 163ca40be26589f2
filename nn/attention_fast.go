package nn

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/internal/native/recording"
	"github.com/gotorch/gotorch/torch"
)

// canUseKernel reports whether libtorch's fused kernel can run this call. The call must
// be self-attention with the batch first. PyTorch uses its kernel under the same
// conditions.
func (m *MultiheadAttention) canUseKernel(x *torch.Tensor, c attentionCall) bool {
	m.watchTree()
	out, ok := m.OutProj.(*Linear)
	if !ok || m.Training() || m.NumHeads%2 != 0 || m.BiasK != nil || m.BiasV != nil || m.AddZeroAttn ||
		m.InProjWeight == nil || m.InProjBias == nil || out.Bias == nil ||
		c.causal && c.attn == nil || !isBool(c.attn) || !isBool(c.padding) {
		return false
	}
	if recording.Optimizes() && !c.needWeights && c.attn == nil && c.padding == nil {
		return false
	}
	return x.DType() == m.InProjWeight.DType() && x.DType() == m.InProjBias.DType() &&
		out.isForwardPlain() && canUseKernels(x, m.InProjWeight, m.InProjBias, out.Weight, out.Bias)
}

// isBool reports whether mask is nil or has dtype bool.
func isBool(mask *torch.Tensor) bool { return mask == nil || mask.DType() == torch.Bool }

// isForwardPlain reports whether a kernel can do the layer's work without calling its
// Forward: the layer has no hooks and no tensors set by [Base.Derive].
func (b *Base) isForwardPlain() bool {
	return !b.hasFlag(flagHooks|flagOuter) && b.derived == nil && globalHooks.Load() == nil
}

// canUseKernels reports whether libtorch's fused kernels accept the tensors ts. The
// kernels have no backward pass, so no tensor may need a gradient.
func canUseKernels(ts ...*torch.Tensor) bool {
	if underAutocastCUDA() {
		return false
	}
	grad := torch.IsGradEnabled()
	for _, t := range ts {
		if t == nil || grad && t.RequiresGrad() || t.Device() == torch.Meta {
			return false
		}
	}
	return true
}

// runKernel runs a call for which canUseKernel returned true.
func (m *MultiheadAttention) runKernel(x *torch.Tensor, c attentionCall) (out, weights *torch.Tensor) {
	m.mustFitKernel(x, c)
	proj := m.OutProj.(*Linear) //nolint:forcetypeassert // as canUseKernel says
	mask, kind := m.mergeMasks(x, c.attn, c.padding)
	h, mh := x.HandleFor(attentionOp, 0), mask.OptionalHandle()
	w, b := m.InProjWeight.HandleFor(kernelWeightsOp, 0), m.InProjBias.HandleFor(kernelWeightsOp, 1)
	ow, ob := proj.Weight.HandleFor(kernelWeightsOp, 2), proj.Bias.HandleFor(kernelWeightsOp, 3)
	embed, heads, need, average := m.EmbedDim, m.NumHeads, c.needWeights, c.average
	r := torch.BeginRaw(attentionOp, x)
	r.Use(mask, m.InProjWeight, m.InProjBias, proj.Weight, proj.Bias)
	res, st := aten.UnderNativeMultiHeadAttention(r.Ctx, h, h, h, embed, heads, w, b, ow, ob, mh, need, average, kind)
	r.Status(st)
	out, weights = r.Wrap(res[0]), r.Wrap(res[1])
	if !need {
		own.ReleaseAll(weights)
		weights = nil
	}
	return out, weights
}

const kernelWeightsOp = "MultiheadAttention(in_proj_weight, in_proj_bias, out_proj.weight, out_proj.bias)"

func (m *MultiheadAttention) mustFitKernel(x *torch.Tensor, c attentionCall) {
	fail := func(arg, format string, args ...any) {
		panic(torch.NewError(attentionOp, torch.ErrShape, arg, fmt.Sprintf(format, args...)))
	}
	n, l := x.Size(0), x.Size(1)
	if x.Size(2) != m.EmbedDim {
		fail("query", "expected a last dimension of size %d, got size %v", m.EmbedDim, x.Shape())
	}
	if t := c.attn; t != nil {
		square, each := torch.Shape{l, l}, torch.Shape{n * m.NumHeads, l, l}
		if got := t.Shape(); !got.Equal(square) && !got.Equal(each) {
			fail("AttnMask", "expected size %v or %v, got %v", square, each, got)
		}
	}
	if t := c.padding; t != nil {
		if want, got := (torch.Shape{n, l}), t.Shape(); !got.Equal(want) {
			fail("KeyPaddingMask", "expected size %v, got %v", want, got)
		}
	}
}

// The mask types that libtorch's fused kernels take: a padding mask for the keys, or a
// mask for all queries and keys.
const (
	maskOfKeys int64 = 1
	maskOfAll  int64 = 2
)

// mergeMasks combines the bool masks attn and padding into one mask for the kernels. It
// returns the mask and its type, maskOfKeys or maskOfAll, or nil without masks. Follows
// MultiheadAttention.merge_masks.
func (m *MultiheadAttention) mergeMasks(x, attn, padding *torch.Tensor) (mask *torch.Tensor, kind *int64) {
	n, l := x.Size(0), x.Size(1)
	keys, all := maskOfKeys, maskOfAll
	switch {
	case attn == nil && padding == nil:
		return nil, nil
	case attn == nil:
		return padding, &keys
	case attn.Dim() == 3:
		mask = attn.View(n, -1, l, l)
	default:
		mask = attn.View(1, 1, l, l)
		mask = own.Instead(mask, mask.Expand(n, m.NumHeads, -1, -1))
	}
	if padding != nil {
		p := padding.View(n, 1, 1, l)
		p = own.Instead(p, p.Expand(-1, m.NumHeads, -1, -1))
		both := mask.LogicalOr(p)
		own.ReleaseAll(p, mask)
		mask = both
	}
	return mask, &all
}
