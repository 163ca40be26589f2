package functional_test

import (
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// curveCalls holds the calls for those cases of make_functional.py that are named like
// the Python function: activations, in-place functions and bags.
var curveCalls = map[string]func(x in) *torch.Tensor{
	"celu":       func(x in) *torch.Tensor { return F.CELU(x[0]) },
	"celu/alpha": func(x in) *torch.Tensor { return F.CELU(x[0], F.Alpha(0.5)) },
	"rrelu":      func(x in) *torch.Tensor { return F.RReLU(x[0]) },
	"rrelu/training": func(x in) *torch.Tensor {
		return F.RReLU(x[0], F.Lower(0.25), F.Upper(0.5), F.Training(true))
	},
	"tanhshrink":          one(F.Tanhshrink),
	"softsign":            one(F.Softsign),
	"hardshrink":          func(x in) *torch.Tensor { return F.Hardshrink(x[0]) },
	"hardshrink/lambd":    func(x in) *torch.Tensor { return F.Hardshrink(x[0], F.Lambd(1)) },
	"softshrink":          func(x in) *torch.Tensor { return F.Softshrink(x[0]) },
	"softshrink/lambd":    func(x in) *torch.Tensor { return F.Softshrink(x[0], F.Lambd(0)) },
	"threshold":           func(x in) *torch.Tensor { return F.Threshold(x[0], 0.5, 3) },
	"gumbel_softmax":      func(x in) *torch.Tensor { return F.GumbelSoftmax(x[0], F.Tau(0.5)) },
	"gumbel_softmax/hard": func(x in) *torch.Tensor { return F.GumbelSoftmax(x[0], F.Hard(true), F.Dim(0)) },

	"relu_":        changed(F.ReLU_),
	"relu6_":       changed(F.ReLU6_),
	"selu_":        changed(F.SELU_),
	"silu_":        changed(F.SiLU_),
	"mish_":        changed(F.Mish_),
	"hardswish_":   changed(F.Hardswish_),
	"hardsigmoid_": changed(F.Hardsigmoid_),
	"hardtanh_":    changed(func(x *torch.Tensor) *torch.Tensor { return F.Hardtanh_(x) }),
	"elu_":         changed(func(x *torch.Tensor) *torch.Tensor { return F.ELU_(x) }),
	"celu_":        changed(func(x *torch.Tensor) *torch.Tensor { return F.CELU_(x) }),
	"leaky_relu_":  changed(func(x *torch.Tensor) *torch.Tensor { return F.LeakyReLU_(x) }),
	"rrelu_":       changed(func(x *torch.Tensor) *torch.Tensor { return F.RReLU_(x) }),
	"threshold_":   changed(func(x *torch.Tensor) *torch.Tensor { return F.Threshold_(x, 0.5, 3) }),
	"dropout_":     changed(func(x *torch.Tensor) *torch.Tensor { return F.Dropout_(x) }),
	"dropout1d_":   changed(func(x *torch.Tensor) *torch.Tensor { return F.Dropout1d_(x) }),

	"dropout1d": func(x in) *torch.Tensor { return F.Dropout1d(x[0]) },
	"dropout3d": func(x in) *torch.Tensor { return F.Dropout3d(x[0]) },
	"feature_alpha_dropout": func(x in) *torch.Tensor {
		return F.FeatureAlphaDropout(x[0], F.P(0.4), F.Training(true))
	},
	"local_response_norm": func(x in) *torch.Tensor {
		return F.LocalResponseNorm(x[0], 3, F.Alpha(0.5), F.Beta(0.6), F.K(2))
	},
	"local_response_norm/image": func(x in) *torch.Tensor { return F.LocalResponseNorm(x[0], 2) },
	"pdist":                     func(x in) *torch.Tensor { return F.Pdist(x[0]) },
	"pdist/p1":                  func(x in) *torch.Tensor { return F.Pdist(x[0], F.P(1)) },
	"embedding_bag":             func(x in) *torch.Tensor { return F.EmbeddingBag(x[0], x[1], nil) },
	"embedding_bag/sum": func(x in) *torch.Tensor {
		return F.EmbeddingBag(x[0], x[1], nil, F.ModeSum, F.PerSampleWeights(x[2]))
	},
	"embedding_bag/offsets": func(x in) *torch.Tensor { return F.EmbeddingBag(x[0], x[1], x[2], F.ModeMax) },
	"embedding_bag/last": func(x in) *torch.Tensor {
		return F.EmbeddingBag(x[0], x[1], x[2], F.IncludeLastOffset(true), F.PaddingIdx(2))
	},
}

// changed returns a function that calls f, an in-place function, with a copy of its
// input, because a leaf cannot be changed.
func changed(f func(*torch.Tensor) *torch.Tensor) func(in) *torch.Tensor {
	return func(x in) *torch.Tensor { return f(x[0].MulScalar(1)) }
}
