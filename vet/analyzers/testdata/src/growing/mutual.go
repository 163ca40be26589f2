package growing

import "github.com/gotorch/gotorch/torch"

var visited []*torch.Tensor

// Two functions call each other.
func even(n int, x *torch.Tensor) {
	visited = append(visited, x) // want `visited grows without bound`
	if n > 0 {
		odd(n-1, x)
	}
}

func odd(n int, x *torch.Tensor) {
	if n > 0 {
		even(n-1, x)
	}
}

func visit(n int) {
	for range n {
		x := torch.Ones(torch.Shape{1})
		even(n, x)
		odd(n, x)
	}
}

var numbered = map[int]*torch.Tensor{}

func evenNumbered(i, n int) {
	numbered[i] = torch.Ones(torch.Shape{1})
	oddNumbered(i, n-1)
}

func oddNumbered(i, n int) {
	if n > 0 {
		evenNumbered(i, n-1)
	}
}

func number(n int) {
	for i := range n {
		oddNumbered(i, n)
	}
}
