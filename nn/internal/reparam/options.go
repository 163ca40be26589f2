// Package reparam contains the code common to the weight norms of nn/nnutil and
// nn/parametrizations: their options, which both packages re-export, and the conversion
// of a weight to a matrix.
package reparam

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/embedded"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// The option types, one for each function.
type (
	// WeightNormFunc is an option of WeightNorm.
	//gotorch:options Name Dim
	WeightNormFunc interface{ WeightNormFunc() }
	// SpectralNormFunc is an option of SpectralNorm.
	//gotorch:options Name Dim NPowerIterations Eps
	SpectralNormFunc interface{ SpectralNormFunc() }
	// OrthogonalFunc is an option of Orthogonal.
	//gotorch:options Name OrthogonalMap UseTrivialization
	OrthogonalFunc interface{ OrthogonalFunc() }
)

// The options. Packages nn/nnutil and nn/parametrizations re-export and document them.
type (
	// Name is the name of the parameter.
	Name string
	// Dim is the output dimension of the weight.
	Dim int64
	// NPowerIterations is the number of power iterations per forward pass.
	NPowerIterations int64
	// Eps is the smallest norm to divide by.
	Eps float64
	// OrthogonalMap says how an orthogonal matrix is computed.
	OrthogonalMap string
	// UseTrivialization says whether to multiply by a fixed matrix.
	UseTrivialization bool
)

// ReadWeightNorm reads the options of a weight norm.
func ReadWeightNorm[O any](op string, opts []O) (name string, dim int64) {
	n, d := opt.Read2(op, opts, Name("weight"), Dim(0))
	return string(n), int64(d)
}

// Spectral holds the parsed options of a spectral norm.
type Spectral struct {
	Name string
	N    int64
	Eps  float64
	Dim  int64
}

// ReadSpectral reads the options of a spectral norm of m. It panics with ErrNil for a
// nil module or option, and with ErrValue unless the number of iterations is
// positive.
func ReadSpectral[O any](op string, m nn.Module, opts []O) Spectral {
	if opt.IsNil(m) {
		panic(torch.NewError(op, torch.ErrNil, "m", "a nil module"))
	}
	dim := Dim(0)
	if isTransposed(m) {
		dim = 1
	}
	name, n, eps, dim := opt.Read4(op, opts, Name("weight"), NPowerIterations(1), Eps(1e-12), dim)
	if n <= 0 {
		panic(torch.NewError(op, torch.ErrValue, "NPowerIterations",
			fmt.Sprintf("expected a positive number, got %d", n)))
	}
	return Spectral{Name: string(name), N: int64(n), Eps: float64(eps), Dim: int64(dim)}
}

// isTransposed reports whether m is a transposed convolution, or embeds one.
func isTransposed(m nn.Module) bool {
	_, one := embedded.Find[*nn.ConvTranspose1d](m)
	_, two := embedded.Find[*nn.ConvTranspose2d](m)
	_, three := embedded.Find[*nn.ConvTranspose3d](m)
	return one || two || three
}
