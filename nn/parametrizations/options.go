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

// Name is the name of the parameter. The default is "weight".
type Name = reparam.Name

// Dim is the output dimension of the weight. Each output has its own norm. The default is 0; for
// the spectral norm of a transposed convolution it is 1. For [WeightNorm], -1 means one norm of the
// whole tensor, as None does in Python.
type Dim = reparam.Dim

// NPowerIterations is the number of power iterations per forward pass in training
// mode. The default is 1.
type NPowerIterations = reparam.NPowerIterations

// Eps is the smallest norm to divide by. The default is 1e-12.
type Eps = reparam.Eps

// OrthogonalMap says how the orthogonal matrix is computed. The default is
// OrthogonalMapMatrixExp for square and complex matrices, and
// OrthogonalMapHouseholder for others.
type OrthogonalMap = reparam.OrthogonalMap

// The values of [OrthogonalMap].
const (
	OrthogonalMapMatrixExp   OrthogonalMap = "matrix_exp"
	OrthogonalMapCayley      OrthogonalMap = "cayley"
	OrthogonalMapHouseholder OrthogonalMap = "householder"
)

// UseTrivialization says whether the orthogonal matrix is multiplied by a fixed matrix, so that it
// can start from the current weight. The default is true.
type UseTrivialization = reparam.UseTrivialization

// mustFindWeight returns the tensor to be parametrized. If it is already parametrized, the result
// is the computed tensor, which belongs to the innermost scope.
func mustFindWeight(op string, m nn.Module, name string) *torch.Tensor {
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
	panic(torch.NewError(op, torch.ErrValue, "Name",
		fmt.Sprintf("the %s has no parameter or buffer %q", b.TypeName(), name)))
}
