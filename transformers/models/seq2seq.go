package models

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers/kvcache"
)

// A Seq2SeqLM predicts the next token of a text from an input, which is a text or sound, and
// the tokens so far.
type Seq2SeqLM interface {
	nn.Module

	// Forward returns logits (N, T, vocabulary) for the tokens (N, T) of the decoder.
	Forward(input, ids *torch.Tensor, opts ...Seq2SeqOption) *torch.Tensor

	// Encode returns the features (N, S, hidden) of the input that the decoder attends to.
	Encode(input *torch.Tensor, opts ...EncoderOption) *torch.Tensor

	// Decode returns logits (N, T, vocabulary) for the tokens (N, T) of the decoder and the
	// result of Encode.
	Decode(ids, features *torch.Tensor, opts ...Seq2SeqOption) *torch.Tensor

	// CacheSpec describes what a cache keeps of the decoder's tokens.
	CacheSpec() kvcache.Spec

	// VocabSize is the number of tokens in the decoder's vocabulary.
	VocabSize() int64

	// MaxLength is the largest number of tokens of the decoder.
	MaxLength() int64

	// StartToken is the token that the decoder begins with.
	StartToken() int64
}

// A Seq2SeqOption is an option of the forward pass of an encoder with a decoder:
// [AttentionMask], [DecoderAttentionMask], [UseCache] or [LogitsToKeep].
//
// AttentionMask (N, S) says which tokens of the input are no padding. UseCache takes a
// [kvcache.EncoderDecoder]. Once it has the keys and values of the features, Decode does not
// read the features any more.
//
//gotorch:options MaskOption decoderMaskOption CacheOption LogitsToKeep
type Seq2SeqOption interface{ seq2SeqOption() }

type decoderMaskOption struct{ mask *torch.Tensor }

// DecoderAttentionMask is 1, or true, for tokens of the decoder and 0 for padding. Its shape
// is (N, P+T), where P is the number of tokens in the cache. nil means that there is no
// padding. Follows decoder_attention_mask.
func DecoderAttentionMask(mask *torch.Tensor) Seq2SeqOption { return decoderMaskOption{mask} }

// DecoderInputs are the inputs of a decoder's forward pass, checked.
type DecoderInputs struct {
	Inputs                               // of the decoder's own tokens
	Features     *torch.Tensor           // (N, S, hidden)
	FeaturesMask *torch.Tensor           // (N, 1, 1, S), bool, or nil if there is no padding
	Cache        *kvcache.EncoderDecoder // or nil; it is also Inputs.Cache
}

// ReadDecoderInputs checks the arguments of a decoder's forward pass. It panics with ErrNil,
// ErrShape, ErrType or ErrValue for an argument that does not fit. op is the name of the
// function that errors mention.
func ReadDecoderInputs(op string, ids, features *torch.Tensor, opts []Seq2SeqOption) DecoderInputs {
	in, own, mask := DecoderInputs{Features: features}, []ForwardOption(nil), (*torch.Tensor)(nil)
	for _, o := range opts {
		switch o := o.(type) {
		case MaskOption:
			mask = o.mask
		case decoderMaskOption:
			own = append(own, AttentionMask(o.mask))
		case CacheOption:
			in.Cache = nil
			if o.cache != nil {
				c, ok := o.cache.(*kvcache.EncoderDecoder)
				if !ok || c == nil {
					panic(torch.NewError(op, torch.ErrType, "UseCache",
						fmt.Sprintf("expected the result of kvcache.NewEncoderDecoder, got a %T", o.cache)))
				}
				in.Cache = c
			}
			own = append(own, o)
		case LogitsToKeep:
			own = append(own, o)
		default:
			panic(torch.BadOption(op, o))
		}
	}
	if features == nil {
		panic(torch.NewError(op, torch.ErrNil, "features", "no tensor"))
	}
	in.Inputs = ReadInputs(op, ids, own)
	if s := features.Shape(); len(s) != 3 || s[0] != ids.Size(0) {
		panic(torch.NewError(op, torch.ErrShape, "features",
			fmt.Sprintf("expected (%d, S, hidden), got %v", ids.Size(0), s)))
	}
	in.FeaturesMask = PaddingMask(op, mask, features.Size(0), features.Size(1))
	return in
}

// EncoderMask returns the options of Encode among those of Forward.
func EncoderMask(opts []Seq2SeqOption) (out []EncoderOption) {
	for _, o := range opts {
		if m, ok := o.(MaskOption); ok {
			out = append(out, m)
		}
	}
	return out
}

// ShiftRight returns the tokens (N, T) of a decoder that is to predict labels (N, T): start
// and all labels but the last. A label of -100 becomes pad.
func ShiftRight(labels *torch.Tensor, start, pad int64) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor {
		t := labels.Size(1)
		shifted := F.Pad(labels.Narrow(1, 0, t-1), []int64{1, 0}, F.Value(float64(start)))
		return shifted.MaskedFill(shifted.EqScalar(-100), pad)
	})
}
