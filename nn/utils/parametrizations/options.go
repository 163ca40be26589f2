package parametrizations

import (
	"fmt"
	"strings"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// A WeightNormOption is [Name] or [Dim].
type WeightNormOption interface{ weightNormOption() }

// A SpectralNormOption is [Name], [NPowerIterations], [Eps] or [Dim].
type SpectralNormOption interface{ spectralNormOption() }

// An OrthogonalOption is [Name], [OrthogonalMap] or [UseTrivialization].
type OrthogonalOption interface{ orthogonalOption() }

// Name is that of the parameter. The default is "weight".
type Name string

// Dim is the dimension of the results, for each of which there is a norm. The default
// is 0; for the spectral norm of a transposed convolution it is 1. For [WeightNorm] -1
// is one norm of the whole tensor, as None in Python.
type Dim int64

// NPowerIterations is how many steps of the power method a forward pass in training
// mode makes. The default is 1.
type NPowerIterations int64

// Eps is the least norm that is divided by. The default is 1e-12.
type Eps float64

// OrthogonalMap says how the orthogonal matrix is computed. The default is
// OrthogonalMapMatrixExp for square and complex matrices, OrthogonalMapHouseholder for
// others.
type OrthogonalMap string

// The maps.
const (
	OrthogonalMapMatrixExp   OrthogonalMap = "matrix_exp"
	OrthogonalMapCayley      OrthogonalMap = "cayley"
	OrthogonalMapHouseholder OrthogonalMap = "householder"
)

// UseTrivialization says whether the matrix is a product with a fixed one, which may be
// any, so that it starts from the weight there was. The default is true.
type UseTrivialization bool

func (Name) weightNormOption()               {}
func (Name) spectralNormOption()             {}
func (Name) orthogonalOption()               {}
func (Dim) weightNormOption()                {}
func (Dim) spectralNormOption()              {}
func (NPowerIterations) spectralNormOption() {}
func (Eps) spectralNormOption()              {}
func (OrthogonalMap) orthogonalOption()      {}
func (UseTrivialization) orthogonalOption()  {}

// Spectral are the options of a spectral norm, read; the older function in nn/utils
// has the same.
type Spectral struct {
	Name string
	N    int64
	Eps  float64
	Dim  int64
}

// ReadSpectral reads the options of a function for m. It panics with ErrNil for a nil
// module or option, and with ErrValue if there is no step to be made.
func ReadSpectral(op string, m nn.Module, opts []SpectralNormOption) Spectral {
	if opt.IsNil(m) {
		panic(torch.NewError(op, torch.ErrNil, "m", "a nil module"))
	}
	s := Spectral{Name: "weight", N: 1, Eps: 1e-12}
	if strings.Contains(fmt.Sprintf("%T", m), ".ConvTranspose") {
		s.Dim = 1
	}
	for _, o := range opts {
		switch o := o.(type) {
		case Name:
			s.Name = string(o)
		case NPowerIterations:
			s.N = int64(o)
		case Eps:
			s.Eps = float64(o)
		case Dim:
			s.Dim = int64(o)
		default:
			panic(opt.Unknown(op, o))
		}
	}
	if s.N <= 0 {
		panic(torch.NewError(op, torch.ErrValue, "NPowerIterations", fmt.Sprintf("expected a positive number, got %d", s.N)))
	}
	return s
}

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
