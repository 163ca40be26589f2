package models

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// An InterpolateEmbeddingsOption is [InterpolationMode] or [ResetHeads].
//
//gotorch:options InterpolationMode ResetHeads
type InterpolateEmbeddingsOption interface{ interpolateEmbeddingsOption() }

// InterpolationMode is the interpolation of [InterpolateEmbeddings], interpolation_mode
// in Python: "bicubic", the default, or "bilinear".
type InterpolationMode string

// ResetHeads makes [InterpolateEmbeddings] leave out the tensors of the head if the image
// size changes, reset_heads in Python. The default is false.
type ResetHeads bool

// InterpolateEmbeddings converts the state dict of a [VisionTransformer] to a different
// image size by resizing the position embeddings of the patches. patchSize is the model's
// patch size. It returns a new state dict. Only its position embeddings are a new tensor,
// owned by the innermost scope or else by the garbage collector. All other tensors are
// the tensors of modelState. It panics with ErrValue for a state dict without
// "encoder.pos_embedding", for sizes that are not positive and for an unknown mode, with
// ErrShape if the embeddings are not for a square image, and with ErrNil for a nil
// option. Follows torchvision.models.vision_transformer.interpolate_embeddings, which
// changes model_state.
func InterpolateEmbeddings(imageSize, patchSize int64, modelState nn.StateDict,
	opts ...InterpolateEmbeddingsOption,
) nn.StateDict {
	const op, name = "models.InterpolateEmbeddings", "encoder.pos_embedding"
	mode, reset := F.ModeBicubic, false
	for _, o := range opts {
		switch o := o.(type) {
		case InterpolationMode:
			mode = F.Mode(o)
		case ResetHeads:
			reset = bool(o)
		default:
			panic(torch.BadOption(op, o))
		}
	}
	if mode != F.ModeBicubic && mode != F.ModeBilinear {
		panic(torch.NewError(op, torch.ErrValue, "InterpolationMode",
			fmt.Sprintf(`expected "bicubic" or "bilinear", got %q`, string(mode))))
	}
	side := count(op, "imageSize", imageSize, 1) / count(op, "patchSize", patchSize, 1)
	old := modelState.Get(name)
	if old == nil {
		panic(torch.NewError(op, torch.ErrValue, "modelState", "there is no "+name))
	}
	shape := old.Shape()
	before := int64(0)
	if len(shape) == 3 && shape[0] == 1 {
		before = int64(math.Sqrt(float64(shape[1] - 1)))
	}
	switch {
	case before < 1 || side < 1 || before*before != shape[1]-1:
		panic(torch.NewError(op, torch.ErrShape, "modelState",
			fmt.Sprintf("expected embeddings of one token and a square of patches, got %v", shape)))
	case before == side:
		return slices.Clone(modelState)
	}
	resized := torch.Tidy(func() *torch.Tensor {
		token, patches := old.Narrow(1, 0, 1), old.Narrow(1, 1, before*before)
		patches = patches.Permute(0, 2, 1).Reshape(1, shape[2], before, before)
		patches = F.Interpolate(patches, F.Size(side), mode, F.AlignCorners(true))
		patches = patches.Reshape(1, shape[2], side*side).Permute(0, 2, 1)
		return torch.Cat([]*torch.Tensor{token, patches}, 1)
	})
	var state nn.StateDict
	for _, n := range modelState {
		switch {
		case n.Name == name:
			state = append(state, nn.NamedTensor{Name: name, Tensor: resized})
		case !reset || !strings.HasPrefix(n.Name, "heads"):
			state = append(state, n)
		}
	}
	return state
}
