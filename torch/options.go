package torch

import "fmt"

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

// optionSet says which kinds of Option a function takes.
type optionSet uint8

const (
	takesDType optionSet = 1 << iota
	takesDevice
	takesLayout
	takesFormat
	takesGrad
	takesPin
	takesGenerator
	takesCopying // the options of To alone

	creates = takesDType | takesDevice | takesLayout | takesGrad | takesPin
)

// readOptions reads the options of op. One of a kind that op does not take is a
// mistake, as it is in Python.
func readOptions(op string, opts []Option, takes optionSet) creation {
	c := creation{dtype: -1, layout: -1, format: -1, device: -1}
	for _, o := range opts {
		var kind optionSet
		switch o := o.(type) {
		case DType:
			kind, c.dtype = takesDType, o.code()
		case Device:
			o.need("")
			kind, c.device = takesDevice, int32(o)
		case Layout:
			kind, c.layout = takesLayout, o.code()
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
	return c
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
