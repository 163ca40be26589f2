package optim

import (
	"math"
	"slices"

	"github.com/gotorch/gotorch/torch"
)

// num is a number that in Python is either a float or a scalar tensor. If it is a tensor, results
// are rounded to the dtype of the parameters.
type num struct {
	v      float64
	tensor bool
}

func float(v float64) num { return num{v: v} }

// calc computes with nums as Python does.
type calc struct{ isFloat64 bool }

func (c calc) round(v float64) float64 {
	if c.isFloat64 {
		return v
	}
	return float64(float32(v))
}

// operands converts two operands for an operation. out makes the result, which is a tensor if one
// of the operands is. For sums, differences, products, quotients and square roots, computing in
// float64 and rounding the result to float32 gives exactly the float32 result.
func (c calc) operands(a, b num) (x, y float64, out func(float64) num) {
	if !a.tensor && !b.tensor {
		return a.v, b.v, float
	}
	return c.round(a.v), c.round(b.v), c.tensor
}

func (c calc) tensor(v float64) num { return num{c.round(v), true} }

func (c calc) add(a, b num) num { x, y, out := c.operands(a, b); return out(x + y) }
func (c calc) sub(a, b num) num { x, y, out := c.operands(a, b); return out(x - y) }
func (c calc) mul(a, b num) num { x, y, out := c.operands(a, b); return out(x * y) }

// div computes a / b. If only b is a tensor, it multiplies a by the reciprocal of b, as PyTorch
// does.
func (c calc) div(a, b num) num {
	if b.tensor && !a.tensor {
		return c.mul(a, c.tensor(1/b.v))
	}
	x, y, out := c.operands(a, b)
	return out(x / y)
}

func (c calc) less(a, b num) bool   { x, y, _ := c.operands(a, b); return x < y }
func (c calc) atMost(a, b num) bool { x, y, _ := c.operands(a, b); return x <= y }

// min returns a unless b is smaller, and max returns a unless b is larger.
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

// point is a point of the line search: the step length, the loss, the gradient, and the gradient's
// slope along the direction.
type point struct {
	step  num
	loss  float64
	grad  *torch.Tensor
	slope num
}

// cubic returns the minimum of the cubic through two points, limited to [low, high].
func (c calc) cubic(p, q point, low, high num) num {
	d1 := c.sub(c.add(p.slope, q.slope), c.div(float(3*(p.loss-q.loss)), c.sub(p.step, q.step)))
	square := c.sub(c.mul(d1, d1), c.mul(p.slope, q.slope))
	if !(square.v >= 0) {
		return c.div(c.add(low, high), float(2))
	}
	if !c.atMost(p.step, q.step) {
		p, q = q, p
	}
	d2 := c.tensor(math.Sqrt(square.v))
	part := c.div(c.sub(c.add(q.slope, d2), d1), c.add(c.sub(q.slope, p.slope), c.mul(float(2), d2)))
	at := c.sub(q.step, c.mul(c.sub(q.step, p.step), part))
	return c.min(c.max(at, low), high)
}

// The constants of the Wolfe conditions.
const wolfe1, wolfe2 = 1e-4, 0.9

// strongWolfe searches along a direction for a step that satisfies the strong Wolfe
// conditions. The function named at evaluates the loss at a step length. The parameter
// named most limits the evaluations after the first one. longest is the largest absolute
// value of an element of the direction. It returns the final point and the number of
// evaluations. It closes the gradients of other points as soon as they are not needed,
// except the gradient of the starting point.
func (c calc) strongWolfe(start point, step num, longest, tolerance float64, most int64,
	at func(step num) point,
) (point, int64) {
	start.step = float(0)
	w := &wolfeSearch{calc: c, start: start, longest: longest, tolerance: tolerance, most: most, at: at}
	end := w.bracket(step)
	if !w.found {
		end = w.zoom()
	}
	w.keep(end)
	return end, w.evals
}

// wolfeSearch is one search of strongWolfe.
type wolfeSearch struct {
	calc
	start              point
	longest, tolerance float64
	most               int64
	at                 func(step num) point

	seen        []point // points whose gradients are open
	evals, iter int64
	ends        [2]point // the step lies between these points
	found       bool     // a point satisfies both conditions
}

func (w *wolfeSearch) evaluate(step num) point {
	w.evals++
	p := w.at(step)
	w.seen = append(w.seen, p)
	return p
}

// keep closes the gradients of all points except ps.
func (w *wolfeSearch) keep(ps ...point) {
	w.seen = slices.DeleteFunc(w.seen, func(p point) bool {
		if slices.ContainsFunc(ps, func(q point) bool { return q.grad == p.grad }) {
			return false
		}
		_ = p.grad.Close()
		return true
	})
}

// isTooHigh reports whether the loss at p is too high for Armijo's condition.
func (w *wolfeSearch) isTooHigh(p point) bool {
	bound := w.add(float(w.start.loss), w.mul(w.mul(float(wolfe1), p.step), w.start.slope))
	return w.less(bound, float(p.loss))
}

// isFlat reports whether the slope at p is small enough for the curvature condition.
func (w *wolfeSearch) isFlat(p point) bool {
	return w.atMost(p.slope.abs(), w.mul(float(-wolfe2), w.start.slope))
}

// bracket lengthens the step until a point satisfies the conditions, and returns that
// point. It also stops if such a point must lie between two points, and stores these in
// ends.
func (w *wolfeSearch) bracket(step num) point {
	now, last := w.evaluate(step), w.start
	for ; w.iter < w.most; w.iter++ {
		if w.isTooHigh(now) || w.iter > 1 && now.loss >= last.loss {
			w.ends = [2]point{last, now}
			return point{}
		}
		if w.isFlat(now) {
			w.found = true
			return now
		}
		if now.slope.v >= 0 {
			w.ends = [2]point{last, now}
			return point{}
		}
		low, high := w.add(now.step, w.mul(float(0.01), w.sub(now.step, last.step))), w.mul(now.step, float(10))
		step = w.cubic(last, now, low, high)
		w.keep(now)
		last, now = now, w.evaluate(step)
	}
	w.ends = [2]point{w.start, now}
	return point{}
}

// zoom narrows the interval between the ends until a point satisfies the conditions, and returns
// the best point.
func (w *wolfeSearch) zoom() point {
	low, high := w.order()
	stuck := false
	for w.iter < w.most {
		x, y := w.ends[0].step, w.ends[1].step
		if w.less(w.mul(w.sub(y, x).abs(), num{w.longest, true}), float(w.tolerance)) {
			break
		}
		var step num
		step, stuck = w.inside(stuck)
		w.keep(w.ends[:]...)
		now := w.evaluate(step)
		w.iter++
		if w.isTooHigh(now) || now.loss >= w.ends[low].loss {
			w.ends[high] = now
			low, high = w.order()
			continue
		}
		flat := w.isFlat(now)
		if !flat && w.mul(now.slope, w.sub(w.ends[high].step, w.ends[low].step)).v >= 0 {
			w.ends[high] = w.ends[low]
		}
		w.ends[low] = now
		if flat {
			break
		}
	}
	return w.ends[low]
}

// order returns the index of the end with the lower loss, and the index of the other end.
func (w *wolfeSearch) order() (low, high int) {
	if w.ends[0].loss <= w.ends[1].loss {
		return 0, 1
	}
	return 1, 0
}

// inside returns the next step between the ends. If the step is near an end in two calls in a row,
// it is moved inwards. stuck is the nowStuck result of the previous call.
func (w *wolfeSearch) inside(stuck bool) (step num, nowStuck bool) {
	x, y := w.ends[0].step, w.ends[1].step
	first, second := x, y
	if !w.atMost(x, y) {
		first, second = y, x
	}
	step = w.cubic(w.ends[0], w.ends[1], first, second)
	top, bottom := w.max(x, y), w.min(x, y)
	eps := w.mul(float(0.1), w.sub(top, bottom))
	if !w.less(w.min(w.sub(top, step), w.sub(step, bottom)), eps) {
		return step, false
	}
	if !stuck && !w.atMost(top, step) && !w.atMost(step, bottom) {
		return step, true
	}
	if w.less(w.sub(step, top).abs(), w.sub(step, bottom).abs()) {
		return w.sub(top, eps), false
	}
	return w.add(bottom, eps), false
}
