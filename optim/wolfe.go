package optim

import (
	"math"
	"slices"

	"github.com/gotorch/gotorch/torch"
)

// num is a number that is a float in Python, or a scalar tensor, whose results are
// rounded to the dtype of the parameters.
type num struct {
	v      float64
	tensor bool
}

func float(v float64) num { return num{v: v} }

// calc computes with such numbers as Python does.
type calc struct{ double bool }

func (c calc) round(v float64) float64 {
	if c.double {
		return v
	}
	return float64(float32(v))
}

// both prepares two operands: the result is a tensor if one operand is. Rounding a
// double result to float32 is exact for the four operations and roots.
func (c calc) both(a, b num) (x, y float64, out func(float64) num) {
	if !a.tensor && !b.tensor {
		return a.v, b.v, float
	}
	return c.round(a.v), c.round(b.v), c.tensor
}

func (c calc) tensor(v float64) num { return num{c.round(v), true} }

func (c calc) add(a, b num) num { x, y, out := c.both(a, b); return out(x + y) }
func (c calc) sub(a, b num) num { x, y, out := c.both(a, b); return out(x - y) }
func (c calc) mul(a, b num) num { x, y, out := c.both(a, b); return out(x * y) }

// div divides a float by a tensor by multiplying with the reciprocal, as PyTorch does.
func (c calc) div(a, b num) num {
	if b.tensor && !a.tensor {
		return c.mul(a, c.tensor(1/b.v))
	}
	x, y, out := c.both(a, b)
	return out(x / y)
}

func (c calc) less(a, b num) bool   { x, y, _ := c.both(a, b); return x < y }
func (c calc) atMost(a, b num) bool { x, y, _ := c.both(a, b); return x <= y }

// min and max return the first argument unless the second is smaller, or larger.
func (c calc) min(a, b num) num {
	if c.less(b, a) {
		return b
	}
	return a
}

func (c calc) max(a, b num) num {
	if c.less(a, b) {
		return b
	}
	return a
}

func (a num) abs() num { return num{math.Abs(a.v), a.tensor} }

// point is a point of the line search: the step length, the loss, and the gradient
// with its slope along the direction.
type point struct {
	t     num
	f     float64
	grad  *torch.Tensor
	slope num
}

// cubic returns the minimum, within bounds, of the cubic through two points.
func (c calc) cubic(p, q point, low, high num) num {
	d1 := c.sub(c.add(p.slope, q.slope), c.div(float(3*(p.f-q.f)), c.sub(p.t, q.t)))
	square := c.sub(c.mul(d1, d1), c.mul(p.slope, q.slope))
	if !(square.v >= 0) {
		return c.div(c.add(low, high), float(2))
	}
	if !c.atMost(p.t, q.t) {
		p, q = q, p
	}
	d2 := c.tensor(math.Sqrt(square.v))
	part := c.div(c.sub(c.add(q.slope, d2), d1), c.add(c.sub(q.slope, p.slope), c.mul(float(2), d2)))
	at := c.sub(q.t, c.mul(c.sub(q.t, p.t), part))
	return c.min(c.max(at, low), high)
}

// The constants of the Wolfe conditions.
const wolfe1, wolfe2 = 1e-4, 0.9

// strongWolfe searches along a direction for a step that satisfies the strong Wolfe
// conditions, with at most most evaluations after the first. at evaluates a step;
// longest is the largest element of the direction. It returns the final point and the
// number of evaluations. It closes the gradients of other points, except the starting
// point's, as soon as they are no longer needed.
func (c calc) strongWolfe(start point, t num, longest, tolerance float64, most int64,
	at func(t num) point,
) (point, int64) {
	var seen []point
	try := func(t num) point {
		seen = append(seen, at(t))
		return seen[len(seen)-1]
	}
	keep := func(ps ...point) {
		seen = slices.DeleteFunc(seen, func(p point) bool {
			if slices.ContainsFunc(ps, func(q point) bool { return q.grad == p.grad }) {
				return false
			}
			_ = p.grad.Close()
			return true
		})
	}
	start.t = float(0)
	now, last := try(t), start
	evals, iter := int64(1), int64(0)
	slope := start.slope
	armijo := func(p point) bool {
		return c.less(c.add(float(start.f), c.mul(c.mul(float(wolfe1), p.t), slope)), float(p.f))
	}
	flat := func(p point) bool { return c.atMost(p.slope.abs(), c.mul(float(-wolfe2), slope)) }
	bracket, done := [2]point{}, false
	for ; iter < most; iter++ {
		if armijo(now) || iter > 1 && now.f >= last.f {
			bracket = [2]point{last, now}
			break
		}
		if flat(now) {
			keep(now)
			return now, evals
		}
		if now.slope.v >= 0 {
			bracket = [2]point{last, now}
			break
		}
		low, high := c.add(now.t, c.mul(float(0.01), c.sub(now.t, last.t))), c.mul(now.t, float(10))
		t = c.cubic(last, now, low, high)
		keep(now)
		last, now = now, try(t)
		evals++
	}
	if iter >= most {
		bracket = [2]point{start, now}
	}
	low, high := 0, 1
	order := func() {
		low, high = 0, 1
		if !(bracket[0].f <= bracket[1].f) {
			low, high = 1, 0
		}
	}
	order()
	stuck := false
	for !done && iter < most {
		x, y := bracket[0].t, bracket[1].t
		if c.less(c.mul(c.sub(y, x).abs(), num{longest, true}), float(tolerance)) {
			break
		}
		first, second := x, y
		if !c.atMost(x, y) {
			first, second = y, x
		}
		t = c.cubic(bracket[0], bracket[1], first, second)
		top, bottom := c.max(x, y), c.min(x, y)
		eps := c.mul(float(0.1), c.sub(top, bottom))
		if c.less(c.min(c.sub(top, t), c.sub(t, bottom)), eps) { // near a boundary
			if stuck || c.atMost(top, t) || c.atMost(t, bottom) {
				if c.less(c.sub(t, top).abs(), c.sub(t, bottom).abs()) {
					t = c.sub(top, eps)
				} else {
					t = c.add(bottom, eps)
				}
				stuck = false
			} else {
				stuck = true
			}
		} else {
			stuck = false
		}
		keep(bracket[:]...)
		now = try(t)
		evals++
		iter++
		if armijo(now) || now.f >= bracket[low].f {
			bracket[high] = now
			order()
			continue
		}
		if flat(now) {
			done = true
		} else if c.mul(now.slope, c.sub(bracket[high].t, bracket[low].t)).v >= 0 {
			bracket[high] = bracket[low]
		}
		bracket[low] = now
	}
	keep(bracket[low])
	return bracket[low], evals
}
