package serialization

import (
	"strings"
	"unicode/utf8"

	"github.com/gotorch/gotorch/internal/pickle"
	"github.com/gotorch/gotorch/torch"
)

// This file implements the allowed classes and functions that do not make tensors.

func dictOf(class Class) func(*reading, *pickle.Reader, []any) any {
	return func(_ *reading, u *pickle.Reader, args []any) any {
		m := &pickle.Map{Class: string(class)}
		if len(args) > 1 {
			u.Fail("%s of %d arguments", class, len(args))
		}
		if len(args) == 0 {
			return m
		}
		switch from := args[0].(type) {
		case *pickle.Map:
			u.Spend(string(class), len(from.Keys))
			for i, k := range from.Keys {
				m.Set(u, k, from.Values[i])
			}
		case *pickle.List: // Python 2 wrote the attributes as a list of pairs
			// count the pairs, not the keys of the dict, because all pairs may have the same key
			u.Spend(string(class), len(from.Items))
			for _, v := range from.Items {
				pair := itemsOf(v)
				if len(pair) != 2 {
					u.Fail("the argument of %s is not a list of pairs", class)
				}
				m.Set(u, pair[0], pair[1])
			}
		default:
			u.Fail("%s of %s", class, kindName(args[0]))
		}
		return m
	}
}

// itemsOf returns the items of a list or tuple, and nil for other values.
func itemsOf(v any) []any {
	switch v := v.(type) {
	case *pickle.List:
		return v.Items
	case *pickle.Tuple:
		return v.Items
	}
	return nil
}

func size(_ *reading, u *pickle.Reader, args []any) any {
	if len(args) != 1 {
		u.Fail("torch.Size has %d arguments, expected 1", len(args))
	}
	return &pickle.Tuple{Items: intsAsAny(ints(u, "torch.Size", args[0])), Class: "torch.Size"}
}

func intsAsAny(ns []int64) []any {
	out := make([]any, len(ns))
	for i, n := range ns {
		out[i] = n
	}
	return out
}

// ints returns the items of a list or tuple of integers.
func ints(u *pickle.Reader, what string, v any) []int64 {
	switch v.(type) {
	case *pickle.List, *pickle.Tuple:
	default:
		u.Fail("%s: expected a tuple of integers, got %[2]s", what, kindName(v))
	}
	items := itemsOf(v)
	// Count the sizes towards the memory limit, because each tensor that refers to them
	// gets its own copy.
	u.Spend(what, len(items))
	out := make([]int64, len(items))
	for i, v := range items {
		out[i] = u.Int(what, v)
	}
	return out
}

func device(_ *reading, u *pickle.Reader, args []any) any {
	name, ok := "", len(args) == 1 || len(args) == 2
	if ok {
		name, ok = args[0].(string)
	}
	if !ok {
		u.Fail("the argument of torch.device is not a device name")
	}
	if len(args) == 2 {
		index := u.Int("torch.device", args[1])
		if index < 0 || index > 127 || strings.Contains(name, ":") {
			u.Fail("torch.device %.100q has the invalid number %d", name, index)
		}
		name += ":" + itoa(index)
	}
	d, err := torch.ParseDevice(name)
	if err != nil {
		u.Fail("torch.device has the argument %.40q, which is not a device name", name)
	}
	return d
}

var layouts = map[string]torch.Layout{
	"torch.strided": torch.Strided, "torch.sparse_coo": torch.SparseCOO, "torch.sparse_csr": torch.SparseCSR,
	"torch.sparse_csc": torch.SparseCSC, "torch.sparse_bsr": torch.SparseBSR, "torch.sparse_bsc": torch.SparseBSC,
	"torch.jagged": torch.Jagged, "torch._mkldnn": torch.Mkldnn,
}

func layoutName(l torch.Layout) string {
	for name, of := range layouts {
		if of == l {
			return name
		}
	}
	return ""
}

func layout(_ *reading, u *pickle.Reader, args []any) any {
	if len(args) == 1 {
		if name, ok := args[0].(string); ok {
			if l, ok := layouts[name]; ok {
				return l
			}
		}
	}
	u.Fail("an invalid layout")
	return nil
}

// encode implements _codecs.encode. Pickle protocols without a bytes type use it to store bytes.
func encode(_ *reading, u *pickle.Reader, args []any) any {
	text, ok := "", len(args) == 2 || len(args) == 1
	if ok {
		text, ok = args[0].(string)
	}
	encoding := "utf-8"
	if ok && len(args) == 2 {
		encoding, ok = args[1].(string)
	}
	if !ok {
		u.Fail("the argument of _codecs.encode is not a string")
	}
	u.Spend("_codecs.encode", len(text)/8)
	switch strings.ReplaceAll(strings.ToLower(encoding), "_", "-") {
	case "utf-8", "utf8":
		return pickle.Bytes(text)
	case "latin1", "latin-1", "iso-8859-1", "ascii":
	default:
		u.Fail("_codecs.encode is called with the unsupported encoding %.40q", encoding)
	}
	out := make([]byte, 0, len(text))
	for _, r := range text {
		if r > 0xff || r == utf8.RuneError {
			u.Fail("_codecs.encode: a character is outside Latin-1")
		}
		out = append(out, byte(r))
	}
	return pickle.Bytes(out)
}

// noBytes implements bytes(). Pickle protocols without a bytes type use it to store empty bytes.
func noBytes(_ *reading, u *pickle.Reader, args []any) any {
	if len(args) > 0 {
		u.Fail("bytes has %d arguments, expected none", len(args))
	}
	return pickle.Bytes("")
}

func byteArray(l *reading, u *pickle.Reader, args []any) any {
	switch len(args) {
	case 0:
		return &pickle.ByteArray{}
	case 1:
		if b, ok := args[0].(pickle.Bytes); ok {
			u.Spend("bytearray", len(b)/8)
			return &pickle.ByteArray{Bytes: []byte(b)}
		}
	case 2:
		b, ok := encode(l, u, args).(pickle.Bytes)
		if ok {
			return &pickle.ByteArray{Bytes: []byte(b)}
		}
	}
	u.Fail("the argument of bytearray is not bytes")
	return nil
}

func set(_ *reading, u *pickle.Reader, args []any) any {
	s := new(pickle.Set)
	if len(args) == 0 {
		return s
	}
	items := itemsOf(args[0])
	if len(args) > 1 || items == nil && kindName(args[0]) != "a list" && kindName(args[0]) != "a tuple" {
		u.Fail("the argument of set is not a list")
	}
	u.Spend("set", len(items))
	for _, v := range items {
		s.Add(u, v)
	}
	return s
}

func complexNumber(_ *reading, u *pickle.Reader, args []any) any {
	var parts [2]float64
	if len(args) > 2 {
		u.Fail("complex has %d arguments, expected at most 2", len(args))
	}
	for i, v := range args {
		switch v := v.(type) {
		case float64:
			parts[i] = v
		case int64:
			parts[i] = float64(v)
		default:
			u.Fail("complex of %s", kindName(v))
		}
	}
	return complex(parts[0], parts[1])
}
