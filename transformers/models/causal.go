package models

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers/kvcache"
)

// A CausalLM predicts the next token after each token of a text.
type CausalLM interface {
	nn.Module

	// Forward returns logits of shape (N, T, vocabulary), in the dtype of the model, for
	// int64 token IDs of shape (N, T). The result is a new tensor. With [LogitsToKeep] or
	// [LogitsAt], it has fewer than T rows. Forward panics with ErrNil, ErrShape, ErrDType
	// or ErrValue for arguments that do not fit, and with ErrIndex for a token outside the
	// vocabulary, a position that the model does not have, and tokens that do not fit the
	// cache. After a panic, the cache may contain some layers of the new tokens: close it.
	Forward(ids *torch.Tensor, opts ...ForwardOption) *torch.Tensor

	// CacheSpec describes what a cache keeps for the model.
	CacheSpec() kvcache.Spec

	// VocabSize is the number of tokens in the vocabulary.
	VocabSize() int64

	// MaxLength is the largest number of tokens that the model was made for.
	MaxLength() int64
}

// A ForwardOption is an option of a model's forward pass: [AttentionMask], [PositionIDs],
// [UseCache], [LogitsToKeep] or [LogitsAt].
//
//gotorch:options MaskOption PositionOption CacheOption LogitsToKeep LogitsAt
type ForwardOption interface{ forwardOption() }

// A MaskOption is what [AttentionMask] returns.
type MaskOption struct{ mask *torch.Tensor }

// A PositionOption is what [PositionIDs] returns.
type PositionOption struct{ ids *torch.Tensor }

// A CacheOption is what [UseCache] returns.
type CacheOption struct{ cache kvcache.Cache }

// AttentionMask is 1, or true, for tokens and 0 for padding. Its shape is (N, P+T), where P
// is the number of tokens in the cache. nil means that there is no padding.
func AttentionMask(mask *torch.Tensor) MaskOption { return MaskOption{mask} }

// PositionIDs are the positions of the tokens: int64 of shape (N, T) or (1, T). By default
// they continue those of the cache. nil means the default.
func PositionIDs(ids *torch.Tensor) PositionOption { return PositionOption{ids} }

// UseCache is the cache to extend. nil means none. Follows past_key_values.
func UseCache(cache kvcache.Cache) CacheOption { return CacheOption{cache} }

// LogitsToKeep is the number of last tokens to compute logits for. 0, the default, means
// all. Follows logits_to_keep.
type LogitsToKeep int64

// LogitsAt are the positions within T to compute logits for, by default all. Follows
// logits_to_keep with a tensor.
type LogitsAt []int64

// Inputs are the inputs of a forward pass, checked.
type Inputs struct {
	IDs       *torch.Tensor // (N, T)
	Mask      *torch.Tensor // (N, P+T), bool, or nil if there is no padding
	Positions *torch.Tensor // (N, T) or (1, T), int64
	Cache     kvcache.Cache // or nil
	Past      int64         // P
	Keep      int64         // the number of last tokens to compute logits for, 0 for all
	At        []int64       // the tokens to compute logits for, or nil
}

// ReadInputs checks the arguments of a forward pass. op is the name of the function that
// errors mention. It panics with ErrNil, ErrShape, ErrValue or ErrIndex for an argument
// that does not fit. Positions and Mask are new tensors of the caller's scope, or tensors
// that the caller passed.
func ReadInputs(op string, ids *torch.Tensor, opts []ForwardOption) Inputs {
	in := Inputs{IDs: ids}
	for _, o := range opts {
		switch o := o.(type) {
		case MaskOption:
			in.Mask = o.mask
		case PositionOption:
			in.Positions = o.ids
		case CacheOption:
			in.Cache = o.cache
		case LogitsToKeep:
			if in.Keep = int64(o); o < 0 {
				panic(torch.NewError(op, torch.ErrValue, "LogitsToKeep", fmt.Sprintf("expected 0 or more, got %d", o)))
			}
		case LogitsAt:
			in.At = o
		default:
			panic(torch.BadOption(op, o))
		}
	}
	if ids == nil {
		panic(torch.NewError(op, torch.ErrNil, "ids", "no tensor"))
	}
	if s := ids.Shape(); len(s) != 2 || s[1] == 0 {
		panic(torch.NewError(op, torch.ErrShape, "ids",
			fmt.Sprintf("expected (N, T) with at least one token, got %v", s)))
	}
	for _, at := range in.At {
		if t := ids.Size(1); at < 0 || at >= t {
			panic(torch.NewError(op, torch.ErrIndex, "LogitsAt", fmt.Sprintf("expected 0 to %d, got %d", t-1, at)))
		}
	}
	if in.Cache != nil {
		in.Past = in.Cache.Len()
	}
	in.readMask(op)
	in.readPositions(op)
	return in
}

func (in *Inputs) readMask(op string) {
	if in.Mask == nil {
		return
	}
	n, t := in.IDs.Size(0), in.IDs.Size(1)
	if s := in.Mask.Shape(); len(s) != 2 || s[0] != n || s[1] != in.Past+t {
		panic(torch.NewError(op, torch.ErrShape, "AttentionMask",
			fmt.Sprintf("expected (%d, %d), for all tokens of the cache and the new ones, got %v", n, in.Past+t, s)))
	}
	if in.Mask.DType() != torch.Bool {
		in.Mask = in.Mask.To(torch.Bool)
	}
	if in.Mask.All().ItemBool() { // no padding: the kernels without a mask are faster
		in.Mask = nil
	}
}

func (in *Inputs) readPositions(op string) {
	n, t := in.IDs.Size(0), in.IDs.Size(1)
	if in.Positions == nil {
		in.Positions = torch.Arange(in.Past, in.Past+t, in.IDs.Device()).Unsqueeze(0)
		return
	}
	if s := in.Positions.Shape(); len(s) != 2 || s[0] != n && s[0] != 1 || s[1] != t {
		panic(torch.NewError(op, torch.ErrShape, "PositionIDs",
			fmt.Sprintf("expected (%d, %d) or (1, %d), got %v", n, t, t, s)))
	}
}

// WithoutLogits panics with ErrValue if the options have [LogitsToKeep] or [LogitsAt]. Models
// without a head call it.
func (in Inputs) WithoutLogits(op string) {
	if in.Keep != 0 || in.At != nil {
		panic(torch.NewError(op, torch.ErrValue, "opts", "LogitsToKeep and LogitsAt need a model with a head"))
	}
}

// Kept returns the features of the tokens that logits are computed for, of x (N, T, C).
func (in Inputs) Kept(x *torch.Tensor) *torch.Tensor {
	if in.At != nil {
		return x.IndexSelect(1, torch.FromSlice(slices.Clone(in.At)).To(x.Device()))
	}
	return LastLogits(x, in.Keep)
}

// LastLogits returns the features of the last keep tokens of x (N, T, C), or of all tokens
// if keep is 0.
func LastLogits(x *torch.Tensor, keep int64) *torch.Tensor {
	if t := x.Size(1); keep > 0 && keep < t {
		return x.Narrow(1, t-keep, keep)
	}
	return x
}

// CausalLoss returns the mean cross entropy of each token's prediction of the next token, as
// a new float32 scalar. logits has shape (N, T, vocabulary); labels has dtype int64 and
// shape (N, T), and is usually the input. A label of -100 is ignored. The loss is NaN if all
// are. Follows transformers.loss.loss_utils.ForCausalLMLoss.
func CausalLoss(logits, labels *torch.Tensor) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor {
		n, t, v := logits.Size(0), logits.Size(1), logits.Size(2)
		shifted := F.Pad(labels, []int64{0, 1}, F.Value(-100)).Narrow(1, 1, t).Reshape(n * t)
		return F.CrossEntropy(logits.Float().Reshape(n*t, v), shifted)
	})
}
