package parametrizations

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/internal/reparam"
	"github.com/gotorch/gotorch/torch"
)

// A WeightNormOption is [Name] or [Dim].
type WeightNormOption interface{ reparam.WeightNormFunc }

// A SpectralNormOption is [Name], [NPowerIterations], [Eps] or [Dim].
type SpectralNormOption interface{ reparam.SpectralNormFunc }

// An OrthogonalOption is [Name], [OrthogonalMap] or [UseTrivialization].
type OrthogonalOption interface{ reparam.OrthogonalFunc }

// Name is that of the parameter. The default is "weight".
type Name = reparam.Name

// Dim is the dimension of the results, for each of which there is a norm. The default
// is 0; for the spectral norm of a transposed convolution it is 1. For [WeightNorm] -1
// is one norm of the whole tensor, as None in Python.
type Dim = reparam.Dim

// NPowerIterations is how many steps of the power method a forward pass in training
// mode makes. The default is 1.
type NPowerIterations = reparam.NPowerIterations

// Eps is the least norm that is divided by. The default is 1e-12.
type Eps = reparam.Eps

// OrthogonalMap says how the orthogonal matrix is computed. The default is
// OrthogonalMapMatrixExp for square and complex matrices, OrthogonalMapHouseholder for
// others.
type OrthogonalMap = reparam.OrthogonalMap

// The maps.
const (
	OrthogonalMapMatrixExp   OrthogonalMap = "matrix_exp"
	OrthogonalMapCayley      OrthogonalMap = "cayley"
	OrthogonalMapHouseholder OrthogonalMap = "householder"
)

// UseTrivialization says whether the matrix is a product with a fixed one, which may be
// any, so that it starts from the weight there was. The default is true.
type UseTrivialization = reparam.UseTrivialization

// weight returns the tensor that is to be parametrized, parametrized already or not,
// in the innermost scope if it was computed.
func weight(op string, m nn.Module, name string) *torch.Tensor {
	b := m.ModuleBase()
	if w := b.GetParameter(name); w != nil {
		return w
	}
	if w := b.GetBuffer(name); w != nil {
		return w
	}
	if b.IsDerived(name) {
		return b.Derived(name)
	}
	panic(torch.NewError(op, torch.ErrValue, "Name", fmt.Sprintf("the %s has no parameter or buffer %q", b.TypeName(), name)))
}
