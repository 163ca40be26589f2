package main

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// Arguments are the arguments of one call, as the words of cgotorch/aten/boxed.h.
//
// With purely random arguments, a call would fail at the operator's first check. So most
// arguments match each other: tensors of one shape and dtype, and small numbers. A
// fraction of the arguments is hostile. The fraction differs from call to call.
type Arguments struct {
	Ctx   abi.Ctx
	Words []uint64

	rng     *rand.Rand
	hostile float64 // the fraction of hostile arguments
	shape   []int64 // the shape of most tensors
	dtype   int8
	layout  int
	tensors []abi.Tensor
	gens    []abi.Generator
	rough   float64 // fraction of hostile elements in those tensors that have hostile elements
	said    strings.Builder
}

// NewArguments creates the arguments of a call. They depend only on the operator and the
// seed.
func NewArguments(op aten.Operator, seed int64) *Arguments {
	h := fnv.New64a()
	h.Write([]byte(op.Name))
	a := &Arguments{rng: rand.New(rand.NewPCG(uint64(seed), h.Sum64()))}
	a.Ctx = pick(a, abi.CtxNoGrad, abi.CtxNoGrad, 0, abi.CtxNoGrad|abi.CtxInference) | 1<<abi.CtxThreadsShift
	a.hostile = pick(a, 0.05, 0.15, 0.4, 0.8)
	a.rough = pick(a, 0.1, 0.3, 0.6)
	a.dtype = pick(a, dtypes...)
	if a.chance(0.4) {
		a.dtype = pick[int8](a, abi.DTypeFloat32, abi.DTypeFloat64, abi.DTypeInt64)
	}
	if a.chance(0.15) {
		a.layout = a.rng.IntN(layouts)
	}
	a.shape = a.anyShape()
	for _, kind := range []byte(op.Args) {
		a.add(kind)
	}
	return a
}

// Free frees the tensors.
func (a *Arguments) Free() {
	cgotorch.FreeMany(a.tensors)
	for _, g := range a.gens {
		cgotorch.FreeGenerator(g)
	}
}

// String describes the arguments.
func (a *Arguments) String() string {
	return strings.ReplaceAll(strings.ReplaceAll(strings.TrimSuffix(a.said.String(), ", "), "[, ", "["), ", ]", "]")
}

func pick[T any](a *Arguments, from ...T) T { return from[a.rng.IntN(len(from))] }

func (a *Arguments) chance(p float64) bool { return a.rng.Float64() < p }

func (a *Arguments) odd() bool { return a.chance(a.hostile) }

func (a *Arguments) say(format string, args ...any) {
	fmt.Fprintf(&a.said, format, args...)
	a.said.WriteString(", ")
}

func (a *Arguments) put(words ...uint64) { a.Words = append(a.Words, words...) }

// add adds an argument of the kind with this letter; see boxed.cpp.
func (a *Arguments) add(kind byte) {
	switch kind {
	case 't', 'm':
		t := a.tensor(kind == 'm')
		a.put(uint64(t))
	case 'T':
		if a.chance(0.4) {
			a.put(0)
			a.say("None")
			return
		}
		a.put(uint64(a.tensor(false)))
	case 'l', 'L':
		n := a.length()
		a.put(uint64(n))
		a.say("[")
		for range n {
			if kind == 'L' && a.chance(0.3) {
				a.put(0)
				a.say("None")
				continue
			}
			a.put(uint64(a.tensor(false)))
		}
		a.say("]")
	case 'b':
		b := a.rng.IntN(2)
		a.put(uint64(b))
		a.say("%t", b == 1)
	case 'i':
		n := a.integer()
		a.put(uint64(n))
		a.say("%d", n)
	case 'd':
		f := a.float()
		a.put(math.Float64bits(f))
		a.say("%g", f)
	case 's':
		a.scalar()
	case 'B', 'I', 'D', 'S':
		a.optional(kind)
	case 'v', 'V':
		a.list(kind == 'V', func() uint64 { n := a.integer(); a.say("%d", n); return uint64(n) })
	case 'W':
		a.list(true, func() uint64 { f := a.float(); a.say("%g", f); return math.Float64bits(f) })
	case 'a':
		a.list(false, func() uint64 { b := a.rng.IntN(2); a.say("%t", b == 1); return uint64(b) })
	case 'n':
		n := a.length()
		a.put(uint64(n))
		a.say("[")
		for range n {
			a.scalar()
		}
		a.say("]")
	case 'c', 'C':
		a.text(kind == 'C')
	default:
		a.number(kind)
	}
}

// optional adds a number that may be None. The number takes two words, except for a
// scalar.
func (a *Arguments) optional(kind byte) {
	given := a.chance(0.7)
	switch {
	case kind == 'S' && given:
		a.scalar()
		return
	case kind == 'S':
		a.put(0, 0, 0, 0)
	case given:
		a.put(1)
		a.add(kind + 'a' - 'A')
		return
	default:
		a.put(0, 0)
	}
	a.say("None")
}

func (a *Arguments) list(none bool, element func() uint64) {
	if none && a.chance(0.3) {
		a.put(math.MaxUint64)
		a.say("None")
		return
	}
	n := a.length()
	a.put(uint64(n))
	a.say("[")
	for range n {
		a.put(element())
	}
	a.say("]")
}

func (a *Arguments) length() int {
	if a.odd() {
		return pick(a, 0, 0, 1, 2, 3, 4, 5, 6, 7, 20, 70)
	}
	return pick(a, 1, 2, 2, 3, len(a.shape))
}

func (a *Arguments) integer() int64 {
	if a.odd() {
		return pick(a, 0, 1, -1, -2, math.MinInt64, math.MinInt64+1, math.MaxInt64, math.MaxInt32, 1<<31, -1<<31, 1<<32,
			1<<32+1, -1<<32, 1<<40, 1<<62, 1<<61+1, 100, -100, 1000, int64(a.dtype))
	}
	return pick[int64](a, 0, 0, 1, 1, 1, 2, 2, 3, 4, -1)
}

func (a *Arguments) float() float64 {
	if a.odd() {
		return pick(a, math.NaN(), math.Inf(1), math.Inf(-1), math.SmallestNonzeroFloat64, math.MaxFloat64,
			-math.MaxFloat64,
			1e-310, math.Copysign(0, -1), -1, 1e10, 1e19, -1e19, math.MaxFloat32, 1e-45)
	}
	return pick(a, 0, 0.5, 1, 1, 2, 1e-5)
}

// scalar adds a number of any kind, in four words.
func (a *Arguments) scalar() {
	s := abi.Scalar{Kind: pick(a, abi.ScalarInt, abi.ScalarInt, abi.ScalarFloat, abi.ScalarFloat, abi.ScalarBool,
		abi.ScalarComplex)}
	switch s.Kind {
	case abi.ScalarInt:
		s.I = a.integer()
		a.say("%d", s.I)
	case abi.ScalarBool:
		s.I = int64(a.rng.IntN(2))
		a.say("%t", s.I == 1)
	case abi.ScalarComplex:
		s.D, s.Im = a.float(), a.float()
		a.say("%g", complex(s.D, s.Im))
	default:
		s.D = a.float()
		a.say("%g", s.D)
	}
	a.put(uint64(s.Kind), uint64(s.I), math.Float64bits(s.D), math.Float64bits(s.Im))
}

var texts = []string{
	"", "mean", "sum", "none", "floor", "trunc", "floor", "trunc", "U", "L", "fro", "nuc", "reduced", "complete",
	"linear", "nearest",
	"right", "left", "ij", "xy", "amax", "prod", "reflect", "constant", "tanh", "gelsd", "i,i->", "ij,jk->ik",
	"nonsense",
	"\x00", "..,..->", strings.Repeat("a", 300),
}

func (a *Arguments) text(none bool) {
	if none && a.chance(0.3) {
		a.put(math.MaxUint64)
		a.say("None")
		return
	}
	s := pick(a, texts...)
	a.put(uint64(len(s)))
	a.say("%.40q", s)
	for b := []byte(s); len(b) > 0; b = b[min(8, len(b)):] {
		var w uint64
		for i, c := range b[:min(8, len(b))] {
			w |= uint64(c) << (8 * i)
		}
		a.put(w)
	}
}

// number adds a generator, or a number that stands for a dtype, layout, memory format or
// device; -1 stands for None.
func (a *Arguments) number(kind byte) {
	n := int64(-1)
	switch kind {
	case 'y', 'Y':
		n = int64(a.dtype)
		if a.odd() {
			n = pick(a, int64(a.rng.IntN(50)), -1, 127, -128)
		}
	case 'o', 'O', 'f', 'F':
		if a.odd() {
			n = pick(a, int64(a.rng.IntN(12)), -1, 127, -128)
		} else if kind == 'o' || kind == 'f' {
			n = 0
		}
	case 'e', 'E':
		n = 0
		if a.odd() {
			n = pick[int64](a, abi.DeviceMeta<<8, abi.DeviceCUDA<<8, abi.DeviceCUDA<<8|8, int64(a.rng.IntN(30))<<8, 1,
				255<<8, -1, -7)
		}
	case 'G':
		n = 0
		if a.chance(0.3) {
			g, st := cgotorch.NewGenerator(pick[int32](a, 0, 0, 0, abi.DeviceMeta<<8))
			if st != 0 {
				cgotorch.FreeStatus(st)
				break
			}
			a.gens = append(a.gens, g)
			a.put(uint64(g))
			a.say("generator")
			return
		}
	default:
		panic("fuzzops: no kind of argument: " + string(kind))
	}
	if (kind == 'Y' || kind == 'O' || kind == 'F' || kind == 'E') && a.chance(0.5) {
		n = -1
	}
	a.put(uint64(n))
	a.say("%d", n)
}
