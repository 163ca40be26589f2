package gonum_test

import (
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/gonum"
)

// gonum solves a system of equations, and the solution is converted back to a tensor.
func Example() {
	torch.Scope(func() {
		a := gonum.ToDense(torch.NewTensor([][]float32{{4, 1}, {1, 3}}))
		b := gonum.ToVecDense(torch.FromSlice([]float32{1, 2}))
		var x mat.VecDense
		if err := x.SolveVec(a, b); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%.4f\n", gonum.FromVector(&x).Float64s())
	})
	// Output: [0.0909 0.6364]
}

// Options choose the dtype and the device of the tensor.
func ExampleFromMatrix() {
	torch.Scope(func() {
		x := gonum.FromMatrix(mat.NewDiagDense(2, []float64{1, 2}), torch.Float32)
		fmt.Println(x.DType(), x.ToList())
	})
	// Output: float32 [[1 0] [0 2]]
}

// The example prints the largest eigenvalue of a covariance matrix, and its
// eigenvector.
func ExampleToSymDense() {
	torch.Scope(func() {
		x := torch.NewTensor([][]float64{{2, 1}, {4, 2}, {6, 3}})
		x = x.Sub(x.Mean(torch.Dim(0), torch.KeepDim(true)))
		var e mat.EigenSym
		if !e.Factorize(gonum.ToSymDense(x.T().MatMul(x)), true) {
			log.Fatal("no eigenvalues")
		}
		var v mat.Dense
		e.VectorsTo(&v)
		direction := gonum.FromMatrix(&v).Select(1, 1).Abs()
		fmt.Printf("%.3f %.3f\n", e.Values(nil)[1], direction.Float64s())
	})
	// Output: 10.000 [0.894 0.447]
}

// gonum works in the tensor's own memory.
func ExampleViewDense() {
	torch.Scope(func() {
		x := torch.NewTensor([][]float64{{1, 2}, {3, 4}})
		err := gonum.ViewDense(x, func(m *mat.Dense) error {
			return m.Inverse(m)
		})
		fmt.Printf("%v %.1f\n", err, x.Float64s())
	})
	// Output: <nil> [-2.0 1.0 1.5 -0.5]
}

// A transposed float32 tensor is read without a copy.
func ExampleViewMatrix() {
	torch.Scope(func() {
		x := torch.NewTensor([][]float32{{1, 2, 3}, {4, 5, 6}}).T()
		err := gonum.ViewMatrix(x, func(m mat.Matrix) error {
			rows, cols := m.Dims()
			fmt.Println(rows, cols, m.At(2, 0), mat.Sum(m), mat.Norm(m, 1))
			return nil
		})
		fmt.Println(err)
	})
	// Output:
	// 3 2 3 21 15
	// <nil>
}

// The tensor uses the memory of the matrix, so changes to the tensor are visible in the
// matrix.
func ExampleFromDenseShared() {
	m := mat.NewDense(2, 2, []float64{1, 2, 3, 4})
	torch.Scope(func() {
		gonum.FromDenseShared(m).MulScalar_(10)
	})
	fmt.Println(m.RawMatrix().Data)
	// Output: [10 20 30 40]
}
