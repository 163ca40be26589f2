package useafterclose

import "github.com/gotorch/gotorch/torch"

func straight() {
	x := torch.Rand(2)
	_ = x.Close()
	_ = x.Add(x) // want `x is used after its Close at line 7` `x is used after its Close at line 7`
	_ = x.IsClosed()
	_ = x.Close()
	_, _ = torch.Keep(x), torch.Disown(x)
}

func branches(c bool) float64 {
	x, y := torch.Rand(2), torch.Rand(2)
	if c {
		x.Close()
		y.Close()
	} else {
		x.Close()
	}
	_ = y.Item()
	return x.Item() // want `x is used after its Close`
}

func argument(y *torch.Tensor) {
	x := torch.Rand(2)
	x.Close()
	_ = y.Add(x)                           // want `x is used after its Close`
	_ = torch.Stack([]*torch.Tensor{x}, 0) // what a list holds is not followed
}

func fine(c bool, n int) *torch.Tensor {
	x := torch.Rand(2)
	defer x.Close()
	y := x.Add(x)
	if c {
		y.Close()
		return nil
	}
	for range n {
		next := y.Add(x)
		y.Close()
		y = next
	}
	for range n {
		t := torch.Rand(2)
		_ = t.Item()
		t.Close()
	}
	return y.Add(x)
}

func literals(panics func(func())) {
	x := torch.Rand(2)
	x.Close()
	panics(func() { x.Add(x) })
	set := func() { x = torch.Rand(2) }
	set()
	_ = x.Item()
}

func pointer(fill func(**torch.Tensor)) {
	x := torch.Rand(2)
	x.Close()
	fill(&x)
	_ = x.Item()
}

func ranged(xs []*torch.Tensor) (sum float64) {
	for _, x := range xs {
		sum += x.Item()
		x.Close()
	}
	var last *torch.Tensor
	for _, last = range xs {
		sum += last.Item()
		last.Close()
	}
	return sum
}

func order() float64 {
	x := torch.Rand(2)
	y := x.Item()
	x.Close()
	x = torch.Rand(2)
	return y + x.Item()
}
