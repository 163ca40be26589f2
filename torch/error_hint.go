package torch

import (
	"errors"
	"strings"
)

// remedies lists what to write instead for common mistakes with gradients.
// libtorch's messages for them name only Python functions, or no function.
var remedies = []struct{ mistake, remedy string }{
	{
		"leaf Variable that requires grad is being used in an in-place",
		"change it within torch.NoGrad, or change a Clone of it",
	},
	{"backward through the graph a second time", "add the losses up and call Backward once, give the first Backward " +
		"torch.RetainGraph(true), or Detach the tensors that one step passes to the next"},
	{
		"modified by an inplace operation",
		"use the form without an underscore, or change a Clone; torch.SetDetectAnomaly(true) names the operator",
	},
	{
		"does not require grad and does not have a grad_fn",
		"compute it from a tensor that requires gradients, outside of torch.NoGrad and without Detach",
	},
	{"grad can be implicitly created only for scalar", "call Sum or Mean first, or give Backward torch.Gradient(v)"},
	{"nference tensor", "compute it within torch.NoGrad instead of torch.InferenceMode, or use a Clone"},
}

// remedyOf returns the remedy for a mistake, or "".
func remedyOf(kind error, message string) string {
	if !errors.Is(kind, ErrAutograd) {
		return ""
	}
	for _, r := range remedies {
		if strings.Contains(message, r.mistake) {
			return r.remedy
		}
	}
	return ""
}
