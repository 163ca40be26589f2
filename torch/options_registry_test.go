package torch_test

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/internal/sanitized"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// An optionRow is a function with options, its arguments, and two values of each option.
type optionRow struct {
	call    any   // the function, or the method with its receiver first
	args    []any // all but the options; tensors are copied for each call
	options []any // two values of each option, one after the other
	blank   bool  // the result's elements are undefined
}

func row(call any, args ...any) optionRow { return optionRow{call: call, args: args} }

// with returns a copy of r with more options: two values of each, one after the other.
func (r optionRow) with(options ...any) optionRow {
	r.options = append(r.options[:len(r.options):len(r.options)], options...)
	return r
}

// optionRows returns a row for each function with options. The key of a method is "Tensor." and its
// name.
func optionRows() map[string]optionRow {
	all := map[string]optionRow{}
	for _, part := range []map[string]optionRow{
		reduceRows(), orderRows(), countRows(), createRows(), likeRows(), drawRows(), convertRows(),
		gradRows(), signalRows(), settingRows(), arithRows(), elementRows(), matrixRows(), placeRows(), sparseRows(),
		nameRows(), compressedRows(),
	} {
		for name, r := range part {
			if _, twice := all[name]; twice {
				panic(name + " is in two tables")
			}
			all[name] = r
		}
	}
	return all
}

// silentOptions lists options that have no visible effect on a result.
var silentOptions = map[string]bool{
	"Sorted": true, "Stable": true, "NonBlocking": true, "PinMemory": true,
}

// Each option has an effect. If it is given twice, the last value counts, even if that is zero or
// false. A nil option is an error. The golden tests check the effects themselves.
func TestOptionFamilies(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		for name, r := range optionRows() {
			t.Run(name, func(t *testing.T) {
				for i := 0; i < len(r.options); i += 2 {
					a, b := r.options[i], r.options[i+1]
					onlyA, onlyB := r.outcome(a), r.outcome(b)
					switch silent := silentOptions[typeName(a)]; {
					case !silent:
						assert.NotEqual(t, onlyA, onlyB, "%#v and %#v do the same", a, b)
					case strings.HasPrefix(onlyA, "error"): // PinMemory(true) without a GPU
						continue
					}
					assert.Equal(t, onlyA, r.outcome(b, a), "%#v after %#v", a, b)
					assert.Equal(t, onlyB, r.outcome(a, b), "%#v after %#v", b, a)
				}
				assert.ErrorIs(t, torch.Try(func() { r.results(nil) }), torch.ErrNil, "a nil option")
				for _, o := range r.options {
					if torch.Try(func() { r.results(o) }) == nil { // fails for PinMemory(true) without a GPU
						assert.ErrorIs(t, torch.Try(func() { r.results(o, nil) }), torch.ErrNil,
							"a nil option after %#v", o)
					}
					assert.ErrorIs(t, torch.Try(func() { r.results(nil, o) }), torch.ErrNil, "a nil option before %#v",
						o)
					if reflect.TypeOf(o).Kind() != reflect.Pointer {
						assert.ErrorIs(t, torch.Try(func() { r.results(optiontest.Pointer(o)) }), torch.ErrValue,
							"a pointer to %#v", o)
					}
				}
			})
		}
	})
}

// A function allocates no more with options than without them. TestOptionsDoNotEscape checks that
// its caller does not allocate for them either.
func TestOptionsAllocateNothing(t *testing.T) {
	if sanitized.On {
		t.Skip("under a sanitizer more values escape and pools drop what they hold, so counts say nothing")
	}
	torch.Scope(func() {
		for name, r := range optionRows() {
			for i := 0; i < len(r.options) && !costly[name]; i += 2 {
				without, none := r.allocations()
				with, err := r.allocations(r.options[i])
				if none == nil && err == nil {
					assert.LessOrEqual(t, with, without, "%s with %#v", name, r.options[i])
				}
			}
		}
	})
}

// The test fails if a function, or one of the options that it takes, is missing from
// the tables.
func TestOptionRegistryIsComplete(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	source := optiontest.Read(t, ".")
	torch.Scope(func() {
		rows, table := optionRows(), map[string][]string{}
		for name, r := range rows {
			types := map[string]bool{}
			for _, o := range r.options {
				types[typeName(o)] = true
			}
			table[name] = slices.Collect(maps.Keys(types))
		}
		source.Complete(t, table)
		methods := reflect.TypeFor[*torch.Tensor]()
		for i := range methods.NumMethod() {
			m := methods.Method(i)
			if last := m.Type.NumIn() - 1; m.Type.IsVariadic() && strings.HasSuffix(m.Type.In(last).Elem().Name(),
				"Option") {
				assert.Contains(t, rows, "Tensor."+m.Name)
			}
		}
	})
}

// outcome describes everything that options may change: the results, or the error.
func (r optionRow) outcome(opts ...any) string {
	var text strings.Builder
	err := torch.Try(func() {
		torch.Scope(func() {
			args := r.fresh()
			for _, v := range r.invoke(args, opts) {
				r.show(&text, args, v.Interface())
			}
		})
	})
	if err != nil {
		return "error: " + err.Error()
	}
	return text.String()
}

func (r optionRow) results(opts ...any) { torch.Scope(func() { r.invoke(r.fresh(), opts) }) }

// fresh returns the arguments, with a copy of each tensor that does not require gradients.
func (r optionRow) fresh() []any {
	args := append([]any(nil), r.args...)
	for i, a := range args {
		if x, ok := a.(*torch.Tensor); ok && !x.RequiresGrad() {
			args[i] = x.Clone()
		}
	}
	return args
}

func (r optionRow) invoke(args, opts []any) []reflect.Value {
	torch.ManualSeed(0)
	for _, o := range opts {
		if g, ok := o.(*torch.Generator); ok {
			g.ManualSeed(g.InitialSeed())
		}
	}
	return reflect.ValueOf(r.call).CallSlice(r.in(args, opts))
}

// in returns the arguments of the function, with its options as a slice.
func (r optionRow) in(args, opts []any) []reflect.Value {
	fn := reflect.TypeOf(r.call)
	in := make([]reflect.Value, 0, len(args)+1)
	for i, a := range args {
		v := reflect.ValueOf(a)
		if a == nil {
			v = reflect.Zero(fn.In(i))
		}
		in = append(in, v)
	}
	list := reflect.MakeSlice(fn.In(fn.NumIn()-1), len(opts), len(opts))
	for i, o := range opts {
		if o != nil {
			list.Index(i).Set(reflect.ValueOf(o))
		}
	}
	return append(in, list)
}

func (r optionRow) allocations(opts ...any) (n float64, err error) {
	err = torch.Try(func() {
		in, fn := r.in(r.args, opts), reflect.ValueOf(r.call)
		torch.Scope(func() {
			n = optiontest.LeastAllocations(func() {
				for _, v := range fn.CallSlice(in) {
					if x, ok := v.Interface().(*torch.Tensor); ok {
						_ = x.Close()
					}
				}
			})
		})
	})
	return n, err
}

func (r optionRow) show(text *strings.Builder, args []any, v any) {
	x, ok := v.(*torch.Tensor)
	if !ok || x == nil {
		if list, ok := v.([]*torch.Tensor); ok {
			for _, x := range list {
				r.show(text, args, x)
			}
			return
		}
		fmt.Fprintf(text, "%v\n", v)
		return
	}
	fmt.Fprint(text, x.Shape(), x.DType(), x.Device(), x.Layout(), x.RequiresGrad())
	if x.Layout() == torch.Strided {
		fmt.Fprint(text, " ", x.Stride())
	}
	for _, a := range args {
		if a, ok := a.(*torch.Tensor); ok {
			shared := x.Device() == a.Device() && x.Layout() == torch.Strided && x.SharesStorage(a)
			fmt.Fprintf(text, " shared %v", shared)
		}
	}
	if !r.blank && x.Device() != torch.Meta {
		fmt.Fprint(text, "\n", x)
	}
	fmt.Fprintln(text)
}

func typeName(o any) string {
	name := reflect.TypeOf(o).String()
	return name[strings.LastIndex(name, ".")+1:]
}
