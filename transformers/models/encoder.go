package models

import (
	"fmt"
	"math"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// An Encoder computes features of the tokens of a text. Each token attends to all tokens.
type Encoder interface {
	nn.Module

	// Forward returns features (N, T, hidden) for token IDs (N, T), and one row (N, hidden)
	// for each text. The latter is nil if the model has no pooler.
	Forward(ids *torch.Tensor, opts ...EncoderOption) (features, pooled *torch.Tensor)

	// MaxLength is the largest number of tokens of a text.
	MaxLength() int64
}

// A MaskedLM predicts the tokens of a text that were masked.
type MaskedLM interface {
	nn.Module

	// Forward returns logits (N, T, vocabulary) for token IDs (N, T).
	Forward(ids *torch.Tensor, opts ...EncoderOption) *torch.Tensor

	// MaxLength is the largest number of tokens of a text.
	MaxLength() int64
}

// A SequenceClassifier assigns a label to a text.
type SequenceClassifier interface {
	nn.Module

	// Forward returns logits (N, labels) for token IDs (N, T).
	Forward(ids *torch.Tensor, opts ...EncoderOption) *torch.Tensor

	// Labels are the names of the labels.
	Labels() []string

	// MaxLength is the largest number of tokens of a text.
	MaxLength() int64
}

// A TokenClassifier assigns a label to each token of a text.
type TokenClassifier interface {
	nn.Module

	// Forward returns logits (N, T, labels) for token IDs (N, T).
	Forward(ids *torch.Tensor, opts ...EncoderOption) *torch.Tensor

	// Labels are the names of the labels.
	Labels() []string

	// MaxLength is the largest number of tokens of a text.
	MaxLength() int64
}

// A QuestionAnswerer finds the answer to a question in a text.
type QuestionAnswerer interface {
	nn.Module

	// Forward returns logits (N, T) for the first and the last token of the answer. The token
	// IDs (N, T) have the question and the text.
	Forward(ids *torch.Tensor, opts ...EncoderOption) (start, end *torch.Tensor)

	// MaxLength is the largest number of tokens of a text.
	MaxLength() int64
}

// An EncoderOption is an option of an encoder's forward pass: [AttentionMask],
// [TokenTypeIDs] or [PositionIDs].
//
//gotorch:options MaskOption PositionOption typeOption
type EncoderOption interface{ encoderOption() }

type typeOption struct{ ids *torch.Tensor }

// TokenTypeIDs say which part of the input each token belongs to: int64 of the shape of the
// token IDs, such as 0 for a question and 1 for the text. By default they are 0, and nil
// means the default.
func TokenTypeIDs(ids *torch.Tensor) EncoderOption { return typeOption{ids} }

// EncoderInputs are the inputs of an encoder's forward pass, checked.
type EncoderInputs struct {
	IDs       *torch.Tensor // (N, T)
	Mask      *torch.Tensor // (N, 1, 1, T), bool, or nil if there is no padding
	Types     *torch.Tensor // (N, T), or nil
	Positions *torch.Tensor // (N, T) or (1, T), or nil
}

// ReadEncoderInputs checks the arguments of an encoder's forward pass for texts of at most
// longest tokens. It panics with ErrNil, ErrShape or ErrValue for an argument that does not
// fit. op is the name of the function that errors mention.
func ReadEncoderInputs(op string, ids *torch.Tensor, longest int64, opts []EncoderOption) EncoderInputs {
	in, mask := EncoderInputs{IDs: ids}, (*torch.Tensor)(nil)
	for _, o := range opts {
		switch o := o.(type) {
		case MaskOption:
			mask = o.mask
		case PositionOption:
			in.Positions = o.ids
		case typeOption:
			in.Types = o.ids
		default:
			panic(torch.BadOption(op, o))
		}
	}
	CheckIDs(op, "ids", ids, longest)
	n, t := ids.Size(0), ids.Size(1)
	for _, x := range []struct {
		name string
		ids  *torch.Tensor
	}{{"TokenTypeIDs", in.Types}, {"PositionIDs", in.Positions}} {
		if x.ids == nil {
			continue
		}
		if s := x.ids.Shape(); len(s) != 2 || s[0] != n && s[0] != 1 || s[1] != t {
			panic(torch.NewError(op, torch.ErrShape, x.name,
				fmt.Sprintf("expected (%d, %d) or (1, %d), got %v", n, t, t, s)))
		}
	}
	in.Mask = PaddingMask(op, mask, n, t)
	return in
}

// CheckIDs panics with ErrNil or ErrShape if ids is not (N, T) with 1 to longest tokens.
func CheckIDs(op, name string, ids *torch.Tensor, longest int64) {
	if ids == nil {
		panic(torch.NewError(op, torch.ErrNil, name, "no tensor"))
	}
	if s := ids.Shape(); len(s) != 2 || s[1] == 0 || s[1] > longest {
		most := ""
		if longest < math.MaxInt64 {
			most = fmt.Sprintf(" and at most %d", longest)
		}
		panic(torch.NewError(op, torch.ErrShape, name,
			fmt.Sprintf("expected (N, T) with at least one token%s, got %v", most, s)))
	}
}

// PaddingMask returns mask (n, t) as bool of shape (n, 1, 1, t), or nil if there is no
// padding. It panics with ErrShape if mask has another shape.
func PaddingMask(op string, mask *torch.Tensor, n, t int64) *torch.Tensor {
	if mask == nil {
		return nil
	}
	if s := mask.Shape(); len(s) != 2 || s[0] != n || s[1] != t {
		panic(torch.NewError(op, torch.ErrShape, "AttentionMask", fmt.Sprintf("expected (%d, %d), got %v", n, t, s)))
	}
	if mask.DType() != torch.Bool {
		mask = mask.To(torch.Bool)
	}
	if mask.All().ItemBool() { // no padding: the kernels without a mask are faster
		return nil
	}
	return mask.Unsqueeze(1).Unsqueeze(1)
}

// SplitHeads turns x (N, T, heads*D) into (N, heads, T, D).
func SplitHeads(x *torch.Tensor, headDim int64) *torch.Tensor {
	return x.View(x.Size(0), x.Size(1), -1, headDim).Transpose(1, 2)
}

// MergeHeads turns x (N, heads, T, D) into (N, T, heads*D).
func MergeHeads(x *torch.Tensor) *torch.Tensor {
	return x.Transpose(1, 2).Reshape(x.Size(0), x.Size(2), -1)
}

// MeanPool returns the mean (N, hidden) of the features (N, T, hidden) of the tokens that
// are not padding. mask (N, T) is 1 for tokens; nil means that there is no padding. Follows
// the mean pooling of sentence-transformers.
func MeanPool(features, mask *torch.Tensor) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor {
		if mask == nil {
			mask = torch.Ones(features.Shape()[:2], features.Device())
		}
		m := mask.To(features.DType()).Unsqueeze(-1).ExpandAs(features)
		return features.Mul(m).Sum(torch.Dim(1)).Div(m.Sum(torch.Dim(1)).ClampMin(1e-9))
	})
}

// TokenLoss returns the mean cross entropy of predictions of each token's label. logits has
// shape (N, T, C), labels (N, T). A label of -100 is left out.
func TokenLoss(logits, labels *torch.Tensor) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor {
		return F.CrossEntropy(logits.Reshape(-1, logits.Size(-1)), labels.Reshape(-1))
	})
}

// SpanLoss returns the loss of answers: start and end are logits (N, T), first and last the
// tokens (N) of the right answers. Tokens outside the text are left out.
func SpanLoss(start, end, first, last *torch.Tensor) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor {
		t := start.Size(1)
		loss := func(logits, at *torch.Tensor) *torch.Tensor {
			return F.CrossEntropy(logits, at.Clamp(0, t), F.IgnoreIndex(t))
		}
		return loss(start, first).Add(loss(end, last)).DivScalar(2)
	})
}
