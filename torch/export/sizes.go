package export

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

// dim is the size of a dimension: a number, a symbol, or an expression of symbols.
type dim struct {
	fixed int64       // -1 for any size
	expr  *expression // nil for a number
}

// readDims reads the sizes of a tensor. Those that it cannot read may be any size.
func readDims(sizes []union) []dim {
	dims := make([]dim, len(sizes))
	for i, u := range sizes {
		dims[i].fixed = -1
		if u.kind == "as_int" {
			if n, err := read[int64](u); err == nil {
				dims[i].fixed = n
			}
			continue
		}
		v, err := read[struct {
			Expr string `json:"expr_str"`
		}](u)
		if err == nil {
			dims[i].expr = parseExpression(v.Expr)
		}
	}
	return dims
}

// sizes checks the sizes of the arguments of a call, and the integers among them.
type sizes struct {
	op      string
	program *program
	known   map[string]int64 // the symbols whose values are known
	later   []pending
}

// pending is a size that is checked when all symbols are known.
type pending struct {
	in   *input
	dim  int // -1 for an argument that is an integer
	size int64
	expr *expression
}

// check checks the sizes of one argument.
func (s *sizes) check(in *input, t *torch.Tensor) {
	shape := t.Shape()
	if len(shape) != len(in.dims) {
		s.fail(in, fmt.Sprintf("expected %d dimensions, got shape %v", len(in.dims), shape))
	}
	for d := range in.dims {
		s.compare(in, d, shape[d], &in.dims[d])
	}
}

// number checks an argument that is an integer.
func (s *sizes) number(in *input, n int64) { s.compare(in, -1, n, &in.dims[0]) }

// compare checks a size or an integer.
func (s *sizes) compare(in *input, d int, size int64, want *dim) {
	switch {
	case want.expr == nil:
		if want.fixed >= 0 && want.fixed != size {
			s.wrong(in, d, size, fmt.Sprintf("expected %d", want.fixed))
		}
	case want.expr.function == "Symbol":
		s.symbol(in, d, size, want.expr.name)
	default:
		s.later = append(s.later, pending{in, d, size, want.expr})
	}
}

// symbol notes or checks the value of a symbol.
func (s *sizes) symbol(in *input, dim int, size int64, name string) {
	if had, ok := s.known[name]; ok {
		if had != size {
			s.wrong(in, dim, size, fmt.Sprintf("but %s is %d", name, had))
		}
		return
	}
	r := s.program.ranges[name]
	least := r.Min
	switch {
	case least == nil:
	case dim >= 0 && *least <= 2: // programs also work with sizes of 0 and 1, although their ranges may begin at 2
		least = new(int64)
	case dim < 0 && *least == 0 && r.Max == nil: // the range of every integer, also if the example was negative
		least = nil
	}
	if least != nil && size < *least || r.Max != nil && size > *r.Max {
		s.wrong(in, dim, size, "expected "+between(least, r.Max))
	}
	if s.known == nil {
		s.known = map[string]int64{}
	}
	s.known[name] = size
}

// between describes a range.
func between(least, most *int64) string {
	switch {
	case most == nil:
		return fmt.Sprintf("at least %d", *least)
	case least == nil:
		return fmt.Sprintf("at most %d", *most)
	}
	return fmt.Sprintf("%d to %d", *least, *most)
}

// finish checks the sizes that are expressions.
func (s *sizes) finish() {
	for _, p := range s.later {
		if n, ok := p.expr.value(s.known); ok && n != p.size {
			s.wrong(p.in, p.dim, p.size, fmt.Sprintf("but %.80s is %d", p.expr, n))
		}
	}
}

// wrong panics because of a size, or because of an integer if dim is -1.
func (s *sizes) wrong(in *input, dim int, size int64, what string) {
	if dim < 0 {
		panic(torch.NewError(s.op, torch.ErrValue, in.name, fmt.Sprintf("the number is %d, %s", size, what)))
	}
	s.fail(in, fmt.Sprintf("dimension %d has size %d, %s", dim, size, what))
}

func (s *sizes) fail(in *input, what string) {
	panic(torch.NewError(s.op, torch.ErrShape, in.name, what))
}
