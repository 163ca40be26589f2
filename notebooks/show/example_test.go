package show_test

import (
	"fmt"
	"maps"
	"slices"

	"github.com/gotorch/gotorch/notebooks/show"
	"github.com/gotorch/gotorch/torch"
)

// A notebook shows the richest form that it supports.
func Example() {
	x := torch.Arange(3)
	defer x.Close()
	content := show.Render(x)
	fmt.Println(slices.Sorted(maps.Keys(content)))
	fmt.Println(content[show.HTML])
	// Output:
	// [text/html text/plain]
	// <pre>tensor([0, 1, 2])</pre><small>int64 &middot; shape (3,) &middot; stride (1,) &middot; cpu</small>
}

func ExampleRender() {
	x := torch.Eye(2)
	defer x.Close()
	fmt.Println(show.Render(x))
	fmt.Println(show.Render(7) == nil) // a number has no content other than its text
	// Output:
	// tensor([[1., 0.],
	//         [0., 1.]])
	// true
}

// A tensor and its transpose share storage A.
func ExampleStorage() {
	torch.Scope(func() {
		x := torch.Arange(6).View(2, 3)
		fmt.Println(show.Storage(x, x.T()))
	})
	// Output:
	// storage A: 6 elements of int64, 48 bytes; shape (2, 3), stride (3, 1), offset 0
	// storage A: 6 elements of int64, 48 bytes; shape (3, 2), stride (1, 3), offset 0, not contiguous
}
