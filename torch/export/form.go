package export

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
)

// form is a number that may depend on the sizes of the inputs: a sum of terms, or such a sum
// divided by a number and rounded down.
type form struct {
	terms   []term
	divisor int64 // 1 for a sum
	hint    int64 // the value for the example inputs
}

// term is a number times a product of at most two symbols.
type term struct {
	factor  int64
	symbols []int // their numbers, ascending
}

// points are the sizes with which a function is called, to find out how what it computes
// depends on them. The first is that of the example inputs.
type points struct {
	names       []string  // of the symbols
	at          [][]int64 // for each point the value of each symbol
	pair        map[[2]int]int
	alone       [][]int   // for each symbol the points at which only that symbol differs from the first
	least, most []int64   // the limits of each symbol; most is 0 if there is none
	wanted      [][]int64 // further points, to tell forms apart
	refused     [][]int64 // sizes that the function does not accept
	known       map[string]*form
}

// steps are the differences to the size of the example. They tell a sum from a quotient by a
// small number.
var steps = []int64{1, 2, 3, 5}

// newPoints returns the points for symbols with these values and limits. It returns the
// number of a symbol without enough other values, or -1.
func newPoints(names []string, values []int64, least, most []int64) (*points, int) {
	p := &points{
		names: names, at: [][]int64{values}, pair: map[[2]int]int{}, alone: make([][]int, len(names)), least: least,
		most: most, known: map[string]*form{},
	}
	sign := make([]int64, len(names))
	last := steps[len(steps)-1]
	for i, v := range values {
		switch {
		case most[i] == 0 || v+last <= most[i]:
			sign[i] = 1
		case v-last >= max(2, least[i]):
			sign[i] = -1
		default:
			return nil, i
		}
		for _, s := range steps {
			p.alone[i] = append(p.alone[i], len(p.at))
			p.add(map[int]int64{i: sign[i] * s})
		}
	}
	for i := range values {
		for j := range i {
			p.pair[[2]int{j, i}] = len(p.at)
			p.add(map[int]int64{i: sign[i], j: sign[j]})
		}
	}
	if len(names) > 2 { // for products of more than two symbols
		all := map[int]int64{}
		for i, s := range sign {
			all[i] = s
		}
		p.add(all)
	}
	return p, -1
}

// The largest differences of a far point, without and with a limit that the caller gave.
const (
	farthest      = 150
	farthestKnown = 1024
)

// far returns sizes at which only symbol i differs from the example, and by much, so that a
// maximum, or a size rounded to a multiple, is not taken for a constant. growth is by how much
// the size may be multiplied. Each further try is nearer, until there is none.
func (p *points) far(i int, growth int64, up bool) iter.Seq[[]int64] {
	near := steps[len(steps)-1]
	v, most := p.at[0][i], p.most[i]
	d := min(v-max(2, p.least[i]), farthestKnown)
	sign := int64(-1)
	if up {
		sign = 1
		d = max(v*(growth-1), near+2)
		if most > 0 {
			d = min(d, farthestKnown, most-v)
		} else {
			d = min(d, farthest)
		}
	}
	return func(yield func([]int64) bool) {
		for ; d > near; d /= 2 {
			at := slices.Clone(p.at[0])
			at[i] += sign * d
			if !yield(at) {
				return
			}
		}
	}
}

// extend adds a point at which only symbol i differs from the first.
func (p *points) extend(at []int64) {
	for i := range at {
		if at[i] != p.at[0][i] {
			p.alone[i] = append(p.alone[i], len(p.at))
		}
	}
	p.at = append(p.at, at)
}

// add adds a point with differences to the first.
func (p *points) add(differences map[int]int64) {
	at := slices.Clone(p.at[0])
	for i, d := range differences {
		at[i] += d
	}
	p.at = append(p.at, at)
}

// first returns the number of the first point at which only symbol i differs.
func (p *points) first(i int) int { return 1 + i*len(steps) }

// fit finds a form with the given values at the points. It returns nil if there is none.
func (p *points) fit(values []int64) *form {
	key := fmt.Sprint(values)
	if f, ok := p.known[key]; ok {
		return f
	}
	f := p.fitted(values)
	p.known[key] = f
	return f
}

func (p *points) fitted(values []int64) *form {
	for _, f := range []*form{p.sum(values), p.quotient(values)} {
		if f != nil && p.holds(f, values) {
			return f
		}
	}
	return nil
}

func (p *points) holds(f *form, values []int64) bool {
	for i, at := range p.at {
		if f.value(at) != values[i] {
			return false
		}
	}
	return true
}

// sum finds a sum of products by differences.
func (p *points) sum(values []int64) *form {
	f := &form{divisor: 1, hint: values[0]}
	base := p.at[0]
	rest := values[0]
	slopes := make([]int64, len(base)) // at the example
	for i := range base {
		at := p.first(i)
		step := p.at[at][i] - base[i]
		slopes[i] = (values[at] - values[0]) / step
	}
	var products []term
	linear := slices.Clone(slopes)
	for pair, at := range p.pair {
		i, j := pair[0], pair[1]
		di, dj := p.at[at][i]-base[i], p.at[at][j]-base[j]
		mixed := (values[at] - values[0] - slopes[i]*di - slopes[j]*dj) / (di * dj)
		if mixed == 0 {
			continue
		}
		products = append(products, term{mixed, []int{i, j}})
		linear[i] -= mixed * base[j]
		linear[j] -= mixed * base[i]
		rest -= mixed * base[i] * base[j]
	}
	slices.SortFunc(products, func(a, b term) int { return slices.Compare(a.symbols, b.symbols) })
	f.terms = products
	for i, n := range linear {
		if n != 0 {
			f.terms = append(f.terms, term{n, []int{i}})
			rest -= n * base[i]
		}
	}
	if rest != 0 || len(f.terms) == 0 {
		f.terms = append(f.terms, term{rest, nil})
	}
	return f
}

// Divisors and factors of quotients that are tried.
const (
	largestDivisor = 32
	largestFactor  = 4
)

// quotient finds a sum of multiples of symbols and a number, divided and rounded down. Of
// several it returns the one with the smallest numbers, and notes sizes that tell them apart.
func (p *points) quotient(values []int64) *form {
	var all []*form
	for divisor := int64(2); divisor <= largestDivisor; divisor++ {
		all = p.dividends(all, values, make([]int64, len(p.names)), 0, divisor)
	}
	if len(all) == 0 {
		return nil
	}
	for _, f := range all[1:] {
		tells := func(at []int64) bool { return f.value(at) != all[0].value(at) }
		if slices.ContainsFunc(p.wanted, tells) {
			continue
		}
		if at := p.find(tells); at != nil {
			p.wanted = append(p.wanted, at)
		}
	}
	return all[0]
}

// find returns sizes near the example for which a condition is true, or nil.
func (p *points) find(condition func(at []int64) bool) []int64 {
	for d := int64(1); d <= farthest; d++ {
		for i, v := range p.at[0] {
			for _, n := range []int64{v + d, v - d} {
				if n < max(2, p.least[i]) || p.most[i] > 0 && n > p.most[i] {
					continue
				}
				at := slices.Clone(p.at[0])
				at[i] = n
				refused := func(o []int64) bool { return slices.Equal(at, o) }
				if condition(at) && !slices.ContainsFunc(p.refused, refused) {
					return at
				}
			}
		}
	}
	return nil
}

// dividends adds quotients with all factors for the symbols from number i on.
func (p *points) dividends(all []*form, values, factors []int64, i int, divisor int64) []*form {
	if i == len(factors) {
		return p.divided(all, values, factors, divisor)
	}
	if !slices.ContainsFunc(p.alone[i], func(at int) bool { return values[at] != values[0] }) {
		return p.dividends(all, values, factors, i+1, divisor) // it does not depend on this symbol
	}
	for factors[i] = 1; factors[i] <= largestFactor; factors[i]++ {
		all = p.dividends(all, values, factors, i+1, divisor)
	}
	factors[i] = 0
	return all
}

// divided finds the numbers that may be added. Each point limits them.
func (p *points) divided(all []*form, values, factors []int64, divisor int64) []*form {
	if !slices.ContainsFunc(factors, func(n int64) bool { return n != 0 }) {
		return all
	}
	low, high := int64(math.MinInt64), int64(math.MaxInt64)
	for k, at := range p.at {
		sum := int64(0)
		for i, n := range factors {
			sum += n * at[i]
		}
		low, high = max(low, divisor*values[k]-sum), min(high, divisor*(values[k]+1)-sum)
	}
	first := len(all)
	for add := low; add < high; add++ {
		f := &form{divisor: divisor, hint: values[0]}
		for i, n := range factors {
			if n != 0 {
				f.terms = append(f.terms, term{n, []int{i}})
			}
		}
		if add != 0 {
			f.terms = append(f.terms, term{add, nil})
		}
		all = append(all, f)
	}
	// The number nearest to zero is the likeliest.
	slices.SortStableFunc(all[first:], func(a, b *form) int { return cmp.Compare(a.added(), b.added()) })
	return all
}

// added returns the magnitude of the number that the form adds.
func (f *form) added() int64 {
	if t := f.terms[len(f.terms)-1]; len(t.symbols) == 0 {
		return max(t.factor, -t.factor)
	}
	return 0
}

// value returns the value for given sizes.
func (f *form) value(at []int64) int64 {
	var sum int64
	for _, t := range f.terms {
		n := t.factor
		for _, s := range t.symbols {
			n *= at[s]
		}
		sum += n
	}
	n := sum / f.divisor
	if sum%f.divisor < 0 {
		n--
	}
	return n
}

// fixed reports whether the value is the same for all sizes.
func (f *form) fixed() bool {
	return f.divisor == 1 && len(f.terms) == 1 && len(f.terms[0].symbols) == 0
}

// text returns the form as SymPy's srepr writes it.
func (f *form) text(names []string) string {
	var sums []string
	for _, t := range f.terms {
		var factors []string
		if t.factor != 1 || len(t.symbols) == 0 {
			factors = append(factors, fmt.Sprintf("Integer(%d)", t.factor))
		}
		for _, s := range t.symbols {
			factors = append(factors, fmt.Sprintf("Symbol('%s', positive=True, integer=True)", names[s]))
		}
		sums = append(sums, several("Mul", factors))
	}
	text := several("Add", sums)
	if f.divisor != 1 {
		text = fmt.Sprintf("FloorDiv(%s, Integer(%d))", text, f.divisor)
	}
	return text
}

func several(function string, args []string) string {
	if len(args) == 1 {
		return args[0]
	}
	return function + "(" + strings.Join(args, ", ") + ")"
}
