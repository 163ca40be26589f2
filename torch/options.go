package torch

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch/abi"
)

// An Option says how a tensor is made: its DType, Device, Layout or
// MemoryFormat, RequiresGrad, PinMemory, or the *Generator that random numbers
// come from. Options may be given in any order; the last of a kind counts. One
// that a function does not take is an *Error of kind ErrValue.
type Option interface{ option() }

type flag int8

// Options that are on or off.
const (
	RequiresGrad flag = 1 // record gradients, requires_grad=True
	PinMemory    flag = 2 // page-locked host memory, pin_memory=True
)

func (DType) option()        {}
func (Device) option()       {}
func (Layout) option()       {}
func (MemoryFormat) option() {}
func (flag) option()         {}
func (*Generator) option()   {}

// creation is a list of Options, read.
type creation struct {
	dtype, layout, format int8  // -1: not given
	device                int32 // -1: not given
	pin                   *bool
	requiresGrad          bool
	generator             *Generator
}

// optionSet says which kinds of Option a function takes, and which defaults it
// has where they are not given.
type optionSet uint16

const (
	takesDType optionSet = 1 << iota
	takesDevice
	takesLayout
	takesFormat
	takesGrad
	takesPin
	takesGenerator
	takesCopying // the options of To alone
	onDefault    // without a Device: the default one. Not for what has a tensor to go by
	isFloat      // without a DType: the default one

	creates = takesDType | takesDevice | takesLayout | takesGrad | takesPin | onDefault
)

// readOptions reads the options of op. One of a kind that op does not take is a
// mistake, as it is in Python. A zero Device, DType or Layout is none.
func readOptions(op string, opts []Option, takes optionSet) creation {
	c := creation{dtype: -1, layout: -1, format: -1, device: -1}
	for _, o := range opts {
		var kind optionSet
		switch o := o.(type) {
		case DType:
			if kind = takesDType; o != 0 {
				c.dtype = o.code()
			}
		case Device:
			if kind = takesDevice; o != 0 {
				o.need("")
				c.device = o.code()
			}
		case Layout:
			if kind = takesLayout; o != 0 {
				c.layout = o.code()
			}
		case MemoryFormat:
			kind, c.format = takesFormat, o.Code()
		case flag:
			switch o {
			case RequiresGrad:
				kind, c.requiresGrad = takesGrad, true
			case PinMemory:
				if takes&takesPin != 0 {
					CUDA(-1).need("")
				}
				kind, c.pin = takesPin, new(true)
			}
		case *Generator:
			kind, c.generator = takesGenerator, o
		case toFlag:
			kind = takesCopying
		}
		if kind&takes == 0 {
			panic(argError(op, ErrValue, "opts", optionName(o)+", which is no option of this function"))
		}
	}
	if takes&onDefault != 0 && c.device < 0 {
		if d := DefaultDevice(); d != CPU {
			c.device = d.code()
		}
	}
	if takes&isFloat != 0 {
		c.defaultFloat()
	}
	return c
}

// defaultFloat sets a dtype that is not given to the goroutine's default. The
// process's is libtorch's own.
func (c *creation) defaultFloat() {
	if c.dtype < 0 {
		c.dtype = scopedDType().code()
	}
}

// aFloat makes defaultFor choose a floating type for integers too.
var aFloat = abi.Scalar{Kind: abi.ScalarFloat}

// defaultFor is defaultFloat for functions that choose by their numbers: the
// result is of a floating type if one of them is, and complex if one is complex.
func (c *creation) defaultFor(vs ...abi.Scalar) {
	var kind abi.ScalarKind
	for _, v := range vs {
		if v.Kind == abi.ScalarComplex || v.Kind == abi.ScalarFloat && kind != abi.ScalarComplex {
			kind = v.Kind
		}
	}
	switch d := scopedDType(); {
	case c.dtype >= 0 || d == 0 || kind == 0:
	case kind == abi.ScalarFloat:
		c.dtype = d.code()
	case d == Float64:
		c.dtype = Complex128.code()
	case d == Float16:
		c.dtype = Complex32.code()
	default:
		c.dtype = Complex64.code()
	}
}

func optionName(o Option) string {
	switch o := o.(type) {
	case nil:
		return "nil"
	case flag:
		if o == PinMemory {
			return "PinMemory"
		}
		return "RequiresGrad"
	case toFlag:
		if o == Copy {
			return "Copy"
		}
		return "NonBlocking"
	case *Generator:
		return "a *Generator"
	default:
		return fmt.Sprint(o)
	}
}
