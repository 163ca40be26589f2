package models

import (
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers/kvcache"
)

// Attention computes masked self-attention for the layers of a model. One Attention serves
// one forward pass. Layers that need the same mask share it.
type Attention struct {
	in     Inputs
	layers []view
}

// view is what a layer sees: length keys from position first on, through a mask or nil.
type view struct {
	length, first, window int64
	mask                  *torch.Tensor
}

// NewAttention returns the attention of a forward pass over these inputs. spec describes the
// layers of the model. The masks are new tensors of the caller's scope.
func NewAttention(in Inputs, spec kvcache.Spec) *Attention {
	a := &Attention{in: in}
	if _, ok := in.Cache.(Attender); ok {
		return a // it needs no masks
	}
	t, masks := in.IDs.Size(1), map[view]*torch.Tensor{}
	for i, l := range spec.Layers {
		v := view{length: t, window: l.Window}
		if in.Cache != nil {
			v.length, v.first = in.Cache.Sizes(i, t)
		}
		if v.window >= v.length {
			v.window = 0 // it hides nothing
		}
		m, ok := masks[v]
		if !ok {
			m = a.mask(v, t)
			masks[v] = m
		}
		v.mask = m
		a.layers = append(a.layers, v)
	}
	return a
}

// An Attender is a cache that computes attention itself instead of returning all keys and
// values.
type Attender interface {
	kvcache.Cache
	// Attend stores the keys and values of a layer and returns the attention of the
	// queries; see [Attention.Attend].
	Attend(layer int, query, key, value *torch.Tensor, scale float64) *torch.Tensor
}

// Attend returns softmax(query @ key.T * scale) @ value for the queries (N, H, T, D) and the
// keys and values (N, heads, T, D) of new tokens. It extends the cache, if there is one.
// Each token attends to itself and to earlier ones, as far as the window of the layer
// reaches. The result is a new tensor of the shape of query. Dropout is the probability of
// dropping a weight of the attention; an [Attender] has none.
func (a *Attention) Attend(layer int, query, key, value *torch.Tensor, scale, dropout float64) *torch.Tensor {
	if at, ok := a.in.Cache.(Attender); ok {
		return at.Attend(layer, query, key, value, scale)
	}
	if a.in.Cache != nil {
		key, value = a.in.Cache.Update(layer, key, value)
	}
	t, mask := query.Size(2), a.layers[layer].mask
	causal := mask == nil && t > 1
	groups := query.Size(1) / key.Size(1)
	opts := []F.AttentionOption{F.AttnMask(mask), F.IsCausal(causal), F.Scale(scale), F.DropoutP(dropout)}
	switch {
	case groups == 1:
	case mask == nil:
		opts = append(opts, F.EnableGQA(true))
	case t == 1 && mask.Size(1) == 1: // one token: the heads of a group become queries of one head
		s := query.Shape()
		packed := query.Reshape(s[0], key.Size(1), groups, s[3])
		return F.ScaledDotProductAttention(packed, key, value, opts...).Reshape(s...)
	default:
		key, value = repeated(key, groups), repeated(value, groups)
	}
	return F.ScaledDotProductAttention(query, key, value, opts...)
}

// repeated repeats each head of x (N, heads, T, D) n times.
func repeated(x *torch.Tensor, n int64) *torch.Tensor {
	s := x.Shape()
	return x.Unsqueeze(2).Expand(s[0], s[1], n, s[2], s[3]).Reshape(s[0], s[1]*n, s[2], s[3])
}

// mask returns which of the keys each of t new tokens sees: bool of shape
// (N or 1, 1, t, length). It is nil if the kernel's own rules do the same: one token sees
// all keys, or all keys are new and each token sees those before it.
func (a *Attention) mask(v view, t int64) *torch.Tensor {
	if a.in.Mask == nil && v.window == 0 && (t == 1 || t == v.length) {
		return nil
	}
	device := a.in.IDs.Device()
	return torch.Tidy(func() *torch.Tensor {
		queries := torch.Arange(a.in.Past, a.in.Past+t, device).Unsqueeze(1)
		keys := torch.Arange(v.first, v.first+v.length, device).Unsqueeze(0)
		seen := keys.Le(queries)
		if v.window > 0 {
			seen = seen.LogicalAnd(keys.Gt(queries.SubScalar(v.window)))
		}
		seen = seen.Unsqueeze(0).Unsqueeze(0)
		if a.in.Mask != nil {
			seen = seen.LogicalAnd(a.in.Mask.Narrow(1, v.first, v.length).Unsqueeze(1).Unsqueeze(1))
		}
		return seen
	})
}
