package torch

// An Option says how a tensor is made: its DType, Device, Layout or
// MemoryFormat, RequiresGrad, PinMemory, or the *Generator that random numbers
// come from. Options may be given in any order; the last of a kind counts.
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

func readOptions(opts []Option) creation {
	c := creation{dtype: -1, layout: -1, format: -1, device: -1}
	for _, o := range opts {
		switch o := o.(type) {
		case DType:
			c.dtype = o.code()
		case Device:
			o.need("")
			c.device = int32(o)
		case Layout:
			c.layout = o.code()
		case MemoryFormat:
			c.format = o.Code()
		case flag:
			switch o {
			case RequiresGrad:
				c.requiresGrad = true
			case PinMemory:
				CUDA(-1).need("")
				c.pin = new(true)
			}
		case *Generator:
			c.generator = o
		}
	}
	return c
}
