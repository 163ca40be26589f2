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

// sizes checks the sizes of the arguments of a call.
type sizes struct {
	op      string
	program *program
	known   map[string]int64 // the symbols whose values are known
	later   []pending
}

// pending is a size that is checked when all symbols are known.
type pending struct {
	in   *input
	dim  int
	size int64
	expr *expression
}

// check checks the sizes of one argument.
func (s *sizes) check(in *input, t *torch.Tensor) {
	shape := t.Shape()
	if len(shape) != len(in.dims) {
		s.fail(in, fmt.Sprintf("expected %d dimensions, got shape %v", len(in.dims), shape))
	}
	for d, want := range in.dims {
		switch {
		case want.expr == nil:
			if want.fixed >= 0 && want.fixed != shape[d] {
				s.fail(in, fmt.Sprintf("dimension %d has size %d, expected %d", d, shape[d], want.fixed))
			}
		case want.expr.function == "Symbol":
			s.symbol(in, d, shape[d], want.expr.name)
		default:
			s.later = append(s.later, pending{in, d, shape[d], want.expr})
		}
	}
}

// symbol notes or checks the value of a symbol.
func (s *sizes) symbol(in *input, dim int, size int64, name string) {
	if had, ok := s.known[name]; ok {
		if had != size {
			s.fail(in, fmt.Sprintf("dimension %d has size %d, but %s is %d", dim, size, name, had))
		}
		return
	}
	// Programs also work with sizes of 0 and 1, although their ranges may begin at 2.
	r := s.program.ranges[name]
	if r.Min != nil && *r.Min > 2 && size < *r.Min || r.Max != nil && size > *r.Max {
		least, most := "0", "any size"
		if r.Min != nil && *r.Min > 2 {
			least = fmt.Sprint(*r.Min)
		}
		if r.Max != nil {
			most = fmt.Sprint(*r.Max)
		}
		s.fail(in, fmt.Sprintf("dimension %d has size %d, expected %s to %s", dim, size, least, most))
	}
	if s.known == nil {
		s.known = map[string]int64{}
	}
	s.known[name] = size
}

// finish checks the sizes that are expressions.
func (s *sizes) finish() {
	for _, p := range s.later {
		if n, ok := p.expr.value(s.known); ok && n != p.size {
			s.fail(p.in, fmt.Sprintf("dimension %d has size %d, but %.80s is %d", p.dim, p.size, p.expr, n))
		}
	}
}

func (s *sizes) fail(in *input, what string) {
	panic(torch.NewError(s.op, torch.ErrShape, in.name, what))
}
