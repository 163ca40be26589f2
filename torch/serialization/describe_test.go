package serialization_test

import (
	"encoding/hex"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gotorch/gotorch/internal/mapped"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aten"
	"github.com/gotorch/gotorch/torch/serialization"
)

// describer prints values in the format of testdata/golden.py.
type describer struct{ storages map[uintptr]int }

func describe(t *testing.T, v any) string {
	t.Helper()
	d := &describer{storages: map[uintptr]int{}}
	var s string
	torch.Scope(func() { s = d.value(v) })
	return s
}

func (d *describer) list(open string, items []any, end string) string {
	out := make([]string, len(items))
	for i, v := range items {
		out[i] = d.value(v)
	}
	return open + strings.Join(out, ",") + end
}

func (d *describer) items(v *serialization.Dict) string {
	var out []string
	for k, x := range v.All() {
		out = append(out, d.value(k)+"="+d.value(x))
	}
	return "{" + strings.Join(out, ",") + "}"
}

func (d *describer) value(v any) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case bool:
		return map[bool]string{true: "True", false: "False"}[v]
	case int64:
		return strconv.FormatInt(v, 10)
	case *big.Int:
		return v.String()
	case float64:
		return "float:" + serialization.Repr(v)
	case complex128:
		return "complex:" + serialization.Repr(v)
	case string:
		return "str:" + hex.EncodeToString([]byte(v))
	case []byte:
		return "bytes:" + hex.EncodeToString(v)
	case serialization.ByteArray:
		return "bytearray:" + hex.EncodeToString(v)
	case []any:
		return d.list("[", v, "]")
	case serialization.Tuple:
		return d.list("(", v, ")")
	case *serialization.Set:
		parts := make([]string, len(v.Items))
		for i, x := range v.Items {
			parts[i] = d.value(x)
		}
		slices.Sort(parts)
		return "set(" + strings.Join(parts, ",") + ")"
	case *serialization.Dict:
		s := map[serialization.Class]string{
			serialization.OrderedDict: "OrderedDict",
			serialization.Counter:     "Counter",
		}[v.Class] + d.items(v)
		if v.Attributes.Len() > 0 {
			s += "@" + d.items(v.Attributes)
		}
		return s
	case torch.Shape:
		return "Size[" + numbers(v) + "]"
	case torch.DType, torch.Device:
		return serialization.Repr(v)
	case *serialization.Parameter:
		return "Parameter(" + d.tensor(v.Tensor) + ")"
	case *torch.Tensor:
		return d.tensor(v)
	}
	return fmt.Sprintf("%T", v)
}

func numbers(v []int64) string {
	return strings.Join(strings.Fields(strings.Trim(fmt.Sprint(v), "[]")), ", ")
}

func (d *describer) parts(ts ...*torch.Tensor) string {
	items := make([]any, len(ts))
	for i, t := range ts {
		items[i] = t
	}
	return d.list("(", items, ")")
}

func (d *describer) tensor(t *torch.Tensor) string {
	shape := "[" + numbers(t.Shape()) + "]"
	switch l := t.Layout(); l {
	case torch.SparseCOO:
		return fmt.Sprintf("coo%s%d", shape, map[bool]int{true: 1}[t.IsCoalesced()]) + d.parts(aten.UnderIndices(t),
			aten.UnderValues(t))
	case torch.SparseCSR, torch.SparseBSR:
		return "torch." + strings.TrimPrefix(l.String(), "torch.") + shape + d.parts(aten.CrowIndices(t),
			aten.ColIndices(t), t.Values())
	case torch.SparseCSC, torch.SparseBSC:
		return "torch." + strings.TrimPrefix(l.String(), "torch.") + shape + d.parts(aten.CcolIndices(t),
			aten.RowIndices(t), t.Values())
	}
	head := fmt.Sprintf("%s%s[%s]+%d", strings.TrimPrefix(t.DType().String(), "torch."), shape, numbers(t.Stride()),
		t.StorageOffset())
	if t.IsMeta() {
		return head + " meta"
	}
	number, bits := "-", ""
	if n := t.Numel(); n > 0 || t.StorageBytes() > 0 {
		at := t.DataPtr()
		if at != 0 {
			at -= uintptr(t.StorageOffset() * t.DType().Size())
			if _, ok := d.storages[at]; !ok {
				d.storages[at] = len(d.storages)
			}
			number = strconv.Itoa(d.storages[at])
		}
	}
	if t.IsConj() {
		bits += "c"
	}
	if t.IsNeg() {
		bits += "n"
	}
	if t.RequiresGrad() {
		bits += "g"
	}
	plain := t.Detach().ResolveConj().ResolveNeg().Contiguous()
	return fmt.Sprintf("%s s%s%s:%s", head, number, bits, hex.EncodeToString(mapped.Memory(plain)))
}
