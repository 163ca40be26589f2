package distributions

import (
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
)

// TransformTo returns a transform from the real numbers to the region of c, for
// optimizers. If possible, the transform is elementwise; it need not be bijective.
// Tensors that are bounds of c must be open while the transform is used. TransformTo
// panics with ErrNil for a nil c, and with ErrNotImplemented for discrete regions and for
// others that PyTorch does not support. Follows torch.distributions.transform_to.
func TransformTo(c constraints.Constraint) Transform {
	return transformTo("distributions.TransformTo", c, false)
}

// BijectTo returns a bijective transform from the real numbers to the region of c, for
// samplers that need the Jacobian. It panics as [TransformTo] does. Follows
// torch.distributions.biject_to.
func BijectTo(c constraints.Constraint) Transform {
	return transformTo("distributions.BijectTo", c, true)
}

func transformTo(op string, c constraints.Constraint, biject bool) Transform {
	if opt.IsNil(c) {
		panic(torch.NewError(op, torch.ErrNil, "c", "expected a constraint, got nil"))
	}
	var t Transform
	switch c := c.(type) {
	case constraints.Region:
		t = transformToRegion(c, biject)
	case *constraints.Bounded:
		t = transformToBounds(c)
	case *constraints.IndependentConstraint:
		return NewIndependentTransform(transformTo(op, c.Base(), biject), c.Ndims())
	case *constraints.Joined:
		parts := c.Parts()
		ts := make([]Transform, len(parts))
		for i, p := range parts {
			ts[i] = transformTo(op, p, biject)
		}
		if lengths := c.Lengths(); lengths != nil {
			return NewCatTransform(ts, c.Dim(), lengths...)
		}
		return NewStackTransform(ts, c.Dim())
	}
	if t == nil {
		panic(notImplemented(op, "there is no transform to "+c.String()+", as in PyTorch"))
	}
	return t
}

// transformToRegion implements BijectTo if biject is set, and otherwise TransformTo,
// for a Region. It returns nil if there is no transform.
func transformToRegion(c constraints.Region, biject bool) Transform {
	switch c {
	case constraints.Real:
		return IdentityTransform
	case constraints.RealVector:
		return NewIndependentTransform(IdentityTransform, 1)
	case constraints.Positive, constraints.NonNegative:
		// Any other constraint x > lower gets the same transform, with its own lower
		// bound.
		return NewComposeTransform(ExpTransform, NewAffineTransform(0.0, 1))
	case constraints.UnitInterval:
		return SigmoidTransform
	case constraints.Simplex:
		if biject {
			return StickBreakingTransform
		}
		return SoftmaxTransform
	case constraints.CorrCholesky:
		return CorrCholeskyTransform
	case constraints.LowerCholesky:
		if !biject {
			return LowerCholeskyTransform
		}
	case constraints.PositiveDefinite, constraints.PositiveSemidefinite:
		if !biject {
			return PositiveDefiniteTransform
		}
	}
	return nil
}

// transformToBounds implements TransformTo and BijectTo for a Bounded. It returns nil
// if there is no transform.
func transformToBounds(c *constraints.Bounded) Transform {
	lower, upper := c.LowerBound(), c.UpperBound()
	switch {
	case c.IsDiscrete():
		return nil
	case upper == nil:
		return NewComposeTransform(ExpTransform, NewAffineTransform(lower, 1))
	case lower == nil:
		return NewComposeTransform(ExpTransform, NewAffineTransform(upper, -1))
	case isNumber(lower, 0) && isNumber(upper, 1):
		return SigmoidTransform
	}
	return NewComposeTransform(SigmoidTransform, &AffineTransform{loc: lower, upper: upper})
}

// isNumber reports whether v is a number and not a tensor, and equals x.
func isNumber(v any, x float64) bool {
	_, isTensor := v.(*torch.Tensor)
	return !isTensor && float(v) == x
}
