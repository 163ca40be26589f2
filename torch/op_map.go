package torch

import "fmt"

// Apply_ replaces each element v of t, a CPU tensor, by f(v), converted to t's dtype, and
// returns t. f runs in Go, in the order of the elements, so it is slow. It panics with
// ErrNil for a nil f, with ErrDevice for a tensor on any other device, with ErrDType for
// complex numbers, and with ErrAutograd for a tensor that requires gradients. A panic of
// f passes through and leaves t unchanged. Follows Tensor.apply_.
func (t *Tensor) Apply_(f func(v float64) float64) *Tensor {
	const op = "Apply_(self)"
	checkEach(op, t, f == nil, t)
	return t.replace(func() []float64 {
		values := t.numbers(nil)
		for i, v := range values {
			values[i] = f(v)
		}
		return values
	})
}

// Map_ is [Tensor.Apply_] for a function of two elements: one of t and one of other,
// which is broadcast. It works in place and returns t. It panics as Apply_ does, and with
// ErrShape if other does not broadcast to t's shape. Follows Tensor.map_.
func (t *Tensor) Map_(other *Tensor, f func(a, b float64) float64) *Tensor {
	const op = "Map_(self, other)"
	checkEach(op, t, f == nil, t, other)
	return t.replace(func() []float64 {
		values, seconds := t.numbers(nil), other.numbers(t)
		for i, v := range values {
			values[i] = f(v, seconds[i])
		}
		return values
	})
}

// Map2_ is [Tensor.Map_] for a function of three elements: one each of t, x and y. It
// works in place and returns t. It panics as Map_ does. Follows Tensor.map2_.
func (t *Tensor) Map2_(x, y *Tensor, f func(a, b, c float64) float64) *Tensor {
	const op = "Map2_(self, x, y)"
	checkEach(op, t, f == nil, t, x, y)
	return t.replace(func() []float64 {
		values, seconds, thirds := t.numbers(nil), x.numbers(t), y.numbers(t)
		for i, v := range values {
			values[i] = f(v, seconds[i], thirds[i])
		}
		return values
	})
}

// checkEach panics if an argument of Apply_, Map_ or Map2_ is invalid. isNil says whether
// the function is nil.
func checkEach(op string, t *Tensor, isNil bool, all ...*Tensor) {
	for i, x := range all {
		x.handle(op, i)
		if d := x.Device(); !d.IsCPU() {
			panic(argError(op, ErrDevice, "self", fmt.Sprintf("expected tensors on cpu, got one on %v", d)))
		}
		if d := x.DType(); d.IsComplex() {
			panic(argError(op, ErrDType, "self", fmt.Sprintf("expected real numbers, got %v", d)))
		}
	}
	name, _ := splitOp(op)
	if isNil {
		panic(NilFunc(name, "f"))
	}
	if t.RequiresGrad() {
		panic(argError(op, ErrAutograd, "self", "expected a tensor that requires no gradients: detach it first"))
	}
}

// numbers returns the elements, broadcast to like's shape unless like is nil.
func (t *Tensor) numbers(like *Tensor) (values []float64) {
	NoGrad(func() {
		Scope(func() {
			x := t.Detach().Double()
			if like != nil {
				x = x.ExpandAs(like)
			}
			values = x.Float64s()
		})
	})
	return values
}

// replace sets t's elements to the numbers that f returns.
func (t *Tensor) replace(f func() []float64) *Tensor {
	NoGrad(func() {
		Scope(func() { t.Copy_(FromSlice(f()).View(t.Shape()...)) })
	})
	return t
}
