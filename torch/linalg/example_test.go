package linalg_test

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/linalg"
)

// The example solves a system of equations and checks the solution.
func Example() {
	torch.Scope(func() {
		a := torch.NewTensor([][]float64{{3, 1}, {1, 2}})
		b := torch.FromSlice([]float64{9, 8})
		x := linalg.Solve(a, b)
		fmt.Printf("%.4f\n", x)
		fmt.Printf("%.4f\n", linalg.Det(a))
		fmt.Println(a.MatMul(x).AllClose(b))
	})
	// Output:
	// tensor([2.0000, 3.0000], dtype=torch.float64)
	// 5.0000
	// true
}

// The example prints the singular values of a matrix, and reconstructs the matrix from
// its decomposition.
func ExampleSVD() {
	torch.Scope(func() {
		a := torch.NewTensor([][]float64{{3, 0}, {0, -2}})
		u, s, vh := linalg.SVD(a)
		fmt.Printf("%.4f\n", s.Float64s())
		fmt.Println(u.MatMul(s.Diag()).MatMul(vh).AllClose(a))
	})
	// Output:
	// [3.0000 2.0000]
	// true
}

// The eigenvalues of a symmetric matrix are sorted, the smallest first.
func ExampleEigh() {
	torch.Scope(func() {
		a := torch.NewTensor([][]float64{{2, 1}, {1, 2}})
		values, vectors := linalg.Eigh(a)
		fmt.Printf("%.4f\n", values.Float64s())
		fmt.Println(vectors.Shape())
	})
	// Output:
	// [1.0000 3.0000]
	// (2, 2)
}

// The example finds the least-squares line through points.
func ExampleLstSq() {
	torch.Scope(func() {
		x := torch.NewTensor([][]float64{{1, 0}, {1, 1}, {1, 2}})
		y := torch.NewTensor([][]float64{{1}, {3}, {5}})
		line, _, _, _ := linalg.LstSq(x, y)
		fmt.Printf("%.4f\n", line.Float64s())
	})
	// Output: [1.0000 2.0000]
}
