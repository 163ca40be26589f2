package functional_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// heads holds the tensors of an attention with 2 heads over 2 sequences of 3 vectors of
// size 4.
type heads struct {
	x, in, bias, q, k, v, out *torch.Tensor
}

func newHeads() *heads {
	h := &heads{x: ramp(3, 2, 4), in: ramp(12, 4).Sin(), bias: ramp(12), out: ramp(4, 4).Cos()}
	h.q, h.k, h.v = ramp(4, 4).Exp(), ramp(4, 4).Flip(0), ramp(4, 4).Sigmoid()
	return h
}

// headOptions holds the option values of a call.
type headOptions struct {
	mask, padding, staticK, staticV *torch.Tensor
	evaluates, separate             bool
	noWeights, each                 bool
}

// want returns the expected output and weights, one after the other.
func (h *heads) want(o headOptions) result {
	return func() *torch.Tensor {
		w := h.in.Chunk(3)
		if o.separate {
			w = []*torch.Tensor{h.q, h.k, h.v}
		}
		b := h.bias.Chunk(3)
		split := func(i int) *torch.Tensor { return F.Linear(h.x, w[i], b[i]).Reshape(3, 4, 2).Transpose(0, 1) }
		q, k, v := split(0), split(1), split(2)
		if o.staticK != nil {
			k = o.staticK
		}
		if o.staticV != nil {
			v = o.staticV
		}
		scores := q.MulScalar(math.Sqrt(0.5)).MatMul(k.Transpose(1, 2))
		hide := func(m *torch.Tensor) { scores = scores.MaskedFill(m, math.Inf(-1)) }
		if o.mask != nil {
			hide(o.mask)
		}
		if o.padding != nil {
			hide(o.padding.Reshape(2, 1, 1, 3).Expand(2, 2, 1, 3).Reshape(4, 1, 3))
		}
		weights := F.Softmax(scores, -1)
		torch.ManualSeed(3)
		if !o.evaluates {
			weights = F.Dropout(weights, F.P(0.5))
		}
		y := F.Linear(weights.MatMul(v).Transpose(0, 1).Reshape(6, 4), h.out, nil)
		if o.noWeights {
			return shownHeads(y, nil)
		}
		weights = weights.Reshape(2, 2, 3, 3)
		if !o.each {
			weights = weights.Mean(torch.Dim(1))
		}
		return shownHeads(y, weights)
	}
}

// shownHeads joins the output and the weights of an attention into one tensor. It
// rounds the numbers so that the results of all kernels are equal.
func shownHeads(y, weights *torch.Tensor) *torch.Tensor {
	parts := []*torch.Tensor{y.Reshape(-1)}
	if weights != nil {
		parts = append(parts, weights.Reshape(-1))
	}
	return torch.Cat(parts).MulScalar(1e4).Round()
}

func (h *heads) call(opts ...F.MultiHeadOption) *torch.Tensor {
	torch.ManualSeed(3)
	y, w := F.MultiHeadAttentionForward(h.x, h.x, h.x, 4, 2, h.in, h.bias, nil, nil, false, 0.5, h.out, nil, opts...)
	return shownHeads(y, w)
}

func attentionMembers() map[string]member {
	h := newHeads()
	type v = variant[F.MultiHeadOption]
	mask := torch.Ones(torch.Shape{3, 3}, torch.Bool).Triu(1)
	padding := torch.FromSlice([]bool{false, false, true, false, false, false}, 2, 3)
	static := ramp(4, 3, 2)
	separate := func(opts ...F.MultiHeadOption) *torch.Tensor {
		before := []F.MultiHeadOption{
			F.QProjWeight(h.q), F.KProjWeight(h.k), F.VProjWeight(h.v),
			F.UseSeparateProjWeight(true),
		}
		return h.call(append(before, opts...)...)
	}
	return map[string]member{"MultiHeadAttentionForward": join(
		rowOf(h.call,
			v{F.Training(false), F.Training(true), h.want(headOptions{evaluates: true})},
			v{F.AttnMask(mask), F.AttnMask(nil), h.want(headOptions{mask: mask})},
			v{F.KeyPaddingMask(padding), F.KeyPaddingMask(nil), h.want(headOptions{padding: padding})},
			v{F.StaticK(static), F.StaticK(nil), h.want(headOptions{staticK: static})},
			v{F.StaticV(static), F.StaticV(nil), h.want(headOptions{staticV: static})},
			v{F.AverageAttnWeights(false), F.AverageAttnWeights(true), h.want(headOptions{each: true})},
		),
		rowOf(func(opts ...F.MultiHeadOption) *torch.Tensor {
			return h.call(append([]F.MultiHeadOption{F.Training(false)}, opts...)...)
		}, v{F.NeedWeights(false), F.NeedWeights(true), h.want(headOptions{evaluates: true, noWeights: true})}),
		rowOf(func(opts ...F.MultiHeadOption) *torch.Tensor {
			// The mask is not causal, so the wrong hint IsCausal(true) changes the result.
			return h.call(append([]F.MultiHeadOption{
				F.Training(false), F.NeedWeights(false),
				F.AttnMask(mask.LogicalNot()),
			}, opts...)...)
		}, v{F.IsCausal(true), F.IsCausal(false), h.want(headOptions{evaluates: true, noWeights: true, mask: mask})}),
		rowOf(separate,
			v{F.UseSeparateProjWeight(false), F.UseSeparateProjWeight(true), h.want(headOptions{})},
			v{F.QProjWeight(h.q), F.QProjWeight(h.v), h.want(headOptions{separate: true})},
			v{F.KProjWeight(h.k), F.KProjWeight(h.v), h.want(headOptions{separate: true})},
			v{F.VProjWeight(h.v), F.VProjWeight(h.q), h.want(headOptions{separate: true})},
		),
	)}
}

func TestBadHeads(t *testing.T) {
	scoped(t, func() {
		h := newHeads()
		call := func(opts ...F.MultiHeadOption) { h.call(opts...) }
		for i, c := range []struct {
			kind  error
			where string
			call  func()
		}{
			{torch.ErrValue, "IsCausal", func() { call(F.IsCausal(true)) }},
			{torch.ErrValue, "AverageAttnWeights", func() { call(F.AverageAttnWeights(false), F.NeedWeights(false)) }},
			{torch.ErrShape, "AttnMask", func() { call(F.AttnMask(ramp(3, 2))) }},
			{torch.ErrDType, "KeyPaddingMask", func() {
				call(F.KeyPaddingMask(torch.Zeros(torch.Shape{2, 3}, torch.Int64)))
			}},
			{torch.ErrShape, "KeyPaddingMask", func() { call(F.KeyPaddingMask(torch.Zeros(torch.Shape{3}))) }},
			{torch.ErrNil, "KProjWeight", func() { call(F.UseSeparateProjWeight(true), F.QProjWeight(h.q)) }},
			{torch.ErrShape, "StaticK", func() { call(F.StaticK(ramp(4, 3, 3))) }},
			{torch.ErrValue, "numHeads", func() {
				F.MultiHeadAttentionForward(h.x, h.x, h.x, 4, 3, h.in, nil, nil, nil, false, 0, h.out, nil)
			}},
			{torch.ErrValue, "dropoutP", func() {
				F.MultiHeadAttentionForward(h.x, h.x, h.x, 4, 2, h.in, nil, nil, nil, false, 2, h.out, nil)
			}},
			{torch.ErrShape, "key", func() {
				F.MultiHeadAttentionForward(h.x, h.x.Select(0, 0), h.x, 4, 2, h.in, nil, nil, nil, false, 0, h.out, nil)
			}},
			{torch.ErrNil, "bias_k", func() {
				F.MultiHeadAttentionForward(h.x, h.x, h.x, 4, 2, h.in, nil, ramp(1, 1, 4), nil, false, 0, h.out, nil)
			}},
			{torch.ErrNil, "inProjWeight", func() {
				F.MultiHeadAttentionForward(h.x, h.x, h.x, 4, 2, nil, nil, nil, nil, false, 0, h.out, nil)
			}},
			{torch.ErrNil, "outProjWeight", func() {
				F.MultiHeadAttentionForward(h.x, h.x, h.x, 4, 2, h.in, nil, nil, nil, false, 0, nil, nil)
			}},
		} {
			live := torch.NumLiveTensors()
			var err error
			torch.Scope(func() { err = torch.Try(c.call) })
			require.ErrorIs(t, err, c.kind, i)
			assert.ErrorContains(t, err, c.where, i)
			assert.Equal(t, live, torch.NumLiveTensors(), i)
		}
	})
}
