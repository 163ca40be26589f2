package torch

import "fmt"

// This file has randomized low-rank decompositions. They draw the same random numbers
// as in Python.

// Q is the estimated rank. The default is 6; for [PcaLowrank] it is at most the
// smaller dimension of the matrix. It is q in Python.
type Q int64

// Niter is the number of subspace iterations. More iterations give a more
// accurate result. The default is 2. It is niter in Python.
type Niter int64

// An SVDLowrankOption is an option of [SVDLowrank]: [Q], [Niter] or [M].
//
//gotorch:options Q Niter off
type SVDLowrankOption interface{ svdLowrankOption() }

// A PcaLowrankOption is an option of [PcaLowrank]: [Q], [Niter] or [Center].
//
//gotorch:options Q Niter Center
type PcaLowrankOption interface{ pcaLowrankOption() }

type off struct{ t *Tensor }

// M is a tensor that is broadcast to the matrix and subtracted from it first.
// M(nil), the default, subtracts nothing. It is M in Python.
func M(t *Tensor) SVDLowrankOption { return off{t} }

// SVDLowrank returns the largest singular values and their vectors of a matrix
// of approximate rank [Q]: a is nearly u @ diag(s) @ v^H. v is not transposed.
// Gradients flow back. It panics with ErrShape or ErrIndex unless a has
// matrices, with ErrValue or ErrShape for a negative Q or Niter, and with
// ErrDType for integers. Follows torch.svd_lowrank.
func SVDLowrank(a *Tensor, opts ...SVDLowrankOption) (u, s, v *Tensor) {
	const op = "SVDLowrank(a)"
	a.handle(op, 0)
	q, niter, m := readOptions3(op, opts, Q(6), Niter(2), off{})
	return lowrank(op, a, unseen(m.t), int64(q), int64(niter))
}

// PcaLowrank is [SVDLowrank] of a with its column means subtracted, or of a itself with
// Center(false). The columns of v are the principal directions, and s*s / (rows - 1) are
// the variances along them. PcaLowrank panics as SVDLowrank does, and with ErrValue for a
// Q above the smaller dimension. Follows torch.pca_lowrank.
func PcaLowrank(a *Tensor, opts ...PcaLowrankOption) (u, s, v *Tensor) {
	const op = "PcaLowrank(a)"
	a.handle(op, 0)
	q, niter, center, given := int64(6), int64(2), Center(true), false
	for _, o := range opts {
		switch o := o.(type) {
		case Q:
			q, given = int64(o), true
		case Niter:
			niter = int64(o)
		case Center:
			center = o
		default:
			panic(badOption(op, o))
		}
	}
	checkMatrix(op, a)
	small := min(a.Size(-2), a.Size(-1))
	if !given {
		q = min(q, small)
	}
	if q > small {
		panic(argError(op, ErrValue, "Q",
			fmt.Sprintf("expected at most %d, the smaller dimension of the matrix, got %d", small, q)))
	}
	if !center {
		return lowrank(op, a, nil, q, niter)
	}
	parts := TidyAll(func() []*Tensor {
		u, s, v := lowrank(op, a.Sub(a.Mean(Dim(-2), KeepDim(true))), nil, q, niter)
		return []*Tensor{u, s, v}
	})
	return parts[0], parts[1], parts[2]
}

func checkMatrix(op string, a *Tensor) {
	if n := a.Dim(); n < 2 {
		panic(argError(op, ErrShape, "a", fmt.Sprintf("expected matrices, got %d dimensions", n)))
	}
	if d := a.DType(); !d.IsFloatingPoint() && !d.IsComplex() {
		panic(argError(op, ErrDType, "a", fmt.Sprintf("expected floating-point or complex numbers, got %v", d)))
	}
}

func lowrank(op string, a, m *Tensor, q, niter int64) (u, s, v *Tensor) {
	checkMatrix(op, a)
	if q < 0 || niter < 0 {
		panic(argError(op, ErrValue, "opts",
			fmt.Sprintf("expected Q and Niter of at least 0, got %d and %d", q, niter)))
	}
	if m != nil {
		m.handle("SVDLowrank(M)", 0)
	}
	parts := TidyAll(func() (parts []*Tensor) {
		partOf(op, func() {
			a := a
			if m != nil {
				m = m.ExpandAs(a)
			}
			wide := a.Size(-2) < a.Size(-1)
			if wide {
				a = a.MH()
				if m != nil {
					m = m.MH()
				}
			}
			basis := approximateBasis(a, m, q, niter)
			b := product(basis.MH(), a, m)
			u, s, vh := b.SVD(FullMatrices(false))
			u, v := basis.MatMul(u), vh.MH()
			if wide {
				u, v = v, u
			}
			parts = []*Tensor{u, s, v}
		})
		return parts
	})
	return parts[0], parts[1], parts[2]
}

// product returns x @ (a - m), computed as x @ a - x @ m. A nil m counts as 0.
func product(x, a, m *Tensor) *Tensor {
	y := x.MatMul(a)
	if m != nil {
		y = y.Sub(x.MatMul(m))
	}
	return y
}

// approximateBasis returns a matrix with q orthonormal columns whose span approximates
// the column space of a - m.
func approximateBasis(a, m *Tensor, q, niter int64) *Tensor {
	times := func(a, m, x *Tensor) *Tensor {
		return Tidy(func() *Tensor {
			y := a.MatMul(x)
			if m != nil {
				y = y.Sub(m.MatMul(x))
			}
			basis, _ := y.QR()
			return basis
		})
	}
	basis := times(a, m, Randn(Shape{a.Size(-1), q}, a.DType(), a.Device()))
	for range niter {
		ah, mh := a.MH(), m
		if m != nil {
			mh = m.MH()
		}
		basis = times(a, m, times(ah, mh, basis))
	}
	return basis
}
