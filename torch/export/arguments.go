package export

import (
	"cmp"
	"fmt"
	"strings"

	native "github.com/gotorch/gotorch/cgotorch/export"
	"github.com/gotorch/gotorch/torch"
)

// modes lists the operators that do something else in training mode, and the argument that
// says so.
var modes = map[string]string{
	"alpha_dropout": "train", "alpha_dropout_": "train", "batch_norm": "training", "dropout": "train",
	"dropout_": "train", "feature_alpha_dropout": "train", "feature_alpha_dropout_": "train",
	"feature_dropout": "train", "feature_dropout_": "train", "gru": "train", "lstm": "train",
	"native_batch_norm": "training", "native_dropout": "train", "rnn_relu": "train", "rnn_tanh": "train",
	"rrelu": "training", "rrelu_": "training",
}

// operand translates an argument of an operator.
func (c *compiler) operand(n *node, op string, in namedArgument, s slots) error {
	if in.Arg.kind != "as_bool" || modes[op] != in.Name || !strings.HasPrefix(n.Target, "torch.ops.aten.") {
		return c.argument(in.Arg, s)
	}
	on, err := read[bool](in.Arg)
	if err != nil {
		return err
	}
	path := n.modulePath()
	at, ok := c.modalAt[path]
	if !ok {
		at = len(c.modal)
		c.modal = append(c.modal, modal{path: path})
		if c.modalAt == nil {
			c.modalAt = map[string]int{}
		}
		c.modalAt[path] = at
	}
	number := 2 * at
	if on {
		c.modal[at].train = true
		number++
	}
	c.words.Tag(native.Train, number)
	return nil
}

// argument translates an argument that is one value or a list.
func (c *compiler) argument(u union, s slots) error {
	w := &c.words
	switch u.kind {
	case "as_none":
		w.Tag(native.None, 0)
		return nil
	case "as_tensor", "as_custom_obj":
		return c.slot(u.name(), s)
	case "as_int":
		return put(u, w.Int)
	case "as_float":
		return put(u, func(f decimal) { w.Float(float64(f)) })
	case "as_bool":
		return put(u, w.Bool)
	case "as_string":
		return put(u, w.Text)
	case "as_complex":
		return put(u, func(v struct{ Real, Imag decimal }) {
			w.Complex(complex(float64(v.Real), float64(v.Imag)))
		})
	case "as_scalar_type":
		return enum(u, dtypes, w)
	case "as_layout":
		return enum(u, layouts, w)
	case "as_memory_format":
		return enum(u, memoryFormats, w)
	case "as_device":
		return c.device(u)
	case "as_sym_int", "as_sym_float", "as_sym_bool", "as_optional_tensor":
		return c.either(u, s)
	}
	return c.several(u, s)
}

// either translates a union of a name and a number.
func (c *compiler) either(u union, s slots) error {
	inner, err := read[union](u)
	if err != nil {
		return err
	}
	return c.item(inner, s)
}

// item translates a union of a name and a value, or an element of a list. It contains no
// further values.
func (c *compiler) item(u union, s slots) error {
	switch u.kind {
	case "as_name":
		name, err := read[string](u)
		if err != nil {
			return err
		}
		return c.slot(name, s)
	case "as_int", "as_float", "as_bool", "as_tensor", "as_none":
		return c.argument(u, s)
	}
	return fmt.Errorf("an element %.40q", u.kind)
}

// several translates a list.
func (c *compiler) several(u union, s slots) error {
	w := &c.words
	each := func(n int, item func(i int) error) error {
		w.Tag(native.List, n)
		for i := range n {
			if err := item(i); err != nil {
				return err
			}
		}
		return nil
	}
	switch u.kind {
	case "as_tensors":
		l, err := read[[]struct{ Name string }](u)
		return cmp.Or(err, each(len(l), func(i int) error { return c.slot(l[i].Name, s) }))
	case "as_ints":
		l, err := read[[]int64](u)
		return cmp.Or(err, each(len(l), func(i int) error { w.Int(l[i]); return nil }))
	case "as_floats":
		l, err := read[[]decimal](u)
		return cmp.Or(err, each(len(l), func(i int) error { w.Float(float64(l[i])); return nil }))
	case "as_bools":
		l, err := read[[]bool](u)
		return cmp.Or(err, each(len(l), func(i int) error { w.Bool(l[i]); return nil }))
	case "as_strings":
		l, err := read[[]string](u)
		return cmp.Or(err, each(len(l), func(i int) error { w.Text(l[i]); return nil }))
	case "as_sym_ints", "as_sym_floats", "as_sym_bools", "as_optional_tensors":
		l, err := read[[]union](u)
		return cmp.Or(err, each(len(l), func(i int) error { return c.item(l[i], s) }))
	}
	return unsupported(fmt.Sprintf("a value of the kind %.40q is not supported", u.kind))
}

func (c *compiler) slot(name string, s slots) error {
	at, err := s.of(name)
	if err != nil {
		return err
	}
	c.words.Tag(native.Slot, at)
	return nil
}

func (c *compiler) device(u union) error {
	v, err := read[device](u)
	if err != nil {
		return err
	}
	name := v.Type
	if v.Index != nil {
		name += fmt.Sprint(":", *v.Index)
	}
	d, err := torch.ParseDevice(name)
	if err != nil {
		return err
	}
	c.words.Tag(native.Device, int(d.Code()))
	return nil
}

func put[T any](u union, write func(v T)) error {
	v, err := read[T](u)
	if err == nil {
		write(v)
	}
	return err
}

// enum translates a number of torch.export's own enumerations.
func enum(u union, numbers map[int]int8, w *native.Words) error {
	n, err := read[int](u)
	if err != nil {
		return err
	}
	code, ok := numbers[n]
	if !ok {
		return fmt.Errorf("an unknown %s %d", strings.TrimPrefix(u.kind, "as_"), n)
	}
	w.Int(int64(code))
	return nil
}

// list translates several arguments as one list.
func (c *compiler) list(all []union, s slots) error {
	c.words.Tag(native.List, len(all))
	for _, u := range all {
		if err := c.argument(u, s); err != nil {
			return err
		}
	}
	return nil
}

// The numbers that torch.export gives to dtypes, layouts and memory formats, and
// libtorch's.
var (
	dtypes = map[int]int8{
		1: torch.Uint8.Code(), 2: torch.Int8.Code(), 3: torch.Int16.Code(), 4: torch.Int32.Code(),
		5: torch.Int64.Code(), 6: torch.Float16.Code(), 7: torch.Float32.Code(), 8: torch.Float64.Code(),
		9: torch.Complex32.Code(), 10: torch.Complex64.Code(), 11: torch.Complex128.Code(), 12: torch.Bool.Code(),
		13: torch.BFloat16.Code(), 28: torch.Uint16.Code(), 29: torch.Float8E4M3FN.Code(),
		30: torch.Float8E5M2.Code(), 31: torch.Float8E4M3FNU.Code(), 32: torch.Float8E5M2FN.Code(),
	}
	layouts       = map[int]int8{1: 1, 2: 2, 3: 4, 4: 5, 5: 6, 6: 3, 7: 0}
	memoryFormats = map[int]int8{1: 0, 2: 2, 3: 3, 4: 1}
)
