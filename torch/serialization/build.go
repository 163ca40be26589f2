package serialization

import (
	"math/big"
	"unsafe"

	"github.com/gotorch/gotorch/internal/pickle"
	"github.com/gotorch/gotorch/torch"
)

// deepest is the limit on how deeply values are nested. Python has the same limit when it
// writes.
const deepest = 1000

func newBuilding(l *reading) *building {
	return &building{reading: l, seen: map[any]*any{}}
}

// all converts the top value of a file. Even if it fails, b.made lists the tensors that it
// has made.
func (b *building) all(top any) (v any, err error) {
	e := torch.Try(func() { v, err = b.value(top) })
	if e != nil {
		return nil, e
	}
	return v, err
}

// close closes the memory of storages and the mapping of the file. If failed is set, it
// also closes all tensors that were made.
func (b *building) close(failed bool) {
	if failed {
		for _, t := range b.made {
			_ = t.Close()
		}
	}
	for _, s := range b.order {
		if s.memory != nil {
			_ = s.memory.Close()
			s.memory = nil // so that the next read of an open file reads the storage again
		}
	}
	if b.m != nil {
		b.m.Close()
	}
}

// busy marks a value whose conversion has begun but not ended.
type busy struct{}

// value converts v, a value of the pickle, to a value that Load returns.
func (b *building) value(v any) (any, error) {
	switch v := v.(type) {
	case nil, bool, int64, float64, complex128, string, *big.Int, torch.DType, torch.Layout, torch.Device:
		return v, nil
	case pickle.Bytes:
		return b.bytes(v), nil
	case unsupportedDType:
		return nil, b.fail(torch.ErrUnsupported, b.reading.value, "torch.%s", string(v))
	case function:
		if b.opaque {
			return &Object{Global: string(v)}, nil
		}
		return nil, b.fail(torch.ErrUnsupported, b.reading.value,
			"%s, a function or class, cannot be loaded as a value", string(v))
	case storageType:
		return nil, b.fail(torch.ErrUnsupported, b.reading.value,
			"torch.%s, a storage class, can only be part of a tensor, not a value", v.name)
	}
	place := b.place(v)
	switch done := *place; done {
	case nil:
	case busy{}:
		return nil, b.fail(torch.ErrUnsupported, b.reading.value, "%s contains itself", kindName(v))
	default:
		return done, nil
	}
	if b.depth++; b.depth > deepest {
		return nil, b.fail(torch.ErrFormat, b.reading.value, "values are nested more than %d levels deep", deepest)
	}
	defer func() { b.depth-- }()
	*place = busy{}
	made, err := b.compound(v)
	if err != nil {
		return nil, err
	}
	*place = made
	return made, nil
}

// bytes returns a copy of v. A file may refer to the same bytes many times, so bytes
// copies them only once.
func (b *building) bytes(v pickle.Bytes) []byte {
	at := unsafe.StringData(string(v)) // equal bytes of a pickle share memory
	made, ok := b.copies[at]
	if !ok {
		made = []byte(v)
		if b.copies == nil {
			b.copies = map[*byte][]byte{}
		}
		b.copies[at] = made
	}
	return made
}

// place returns a pointer to the converted form of v, which is nil before the conversion.
// All references to v share the converted form. An open state dict makes a new tensor on
// each call, so it keeps no converted tensors.
func (b *building) place(v any) *any {
	if v, ok := v.(interface{ Became() *any }); ok {
		return v.Became()
	}
	place := b.seen[v]
	if place == nil {
		place = new(any)
		b.seen[v] = place
	}
	return place
}

func (b *building) compound(v any) (any, error) {
	switch v := v.(type) {
	case *pickle.List:
		return b.values(v.Items)
	case *pickle.Tuple:
		if v.Class == "torch.Size" {
			s := make(torch.Shape, len(v.Items))
			for i, n := range v.Items {
				s[i] = n.(int64) // the function size has checked that all items are integers
			}
			return s, nil
		}
		items, err := b.values(v.Items)
		return Tuple(items), err
	case *pickle.Set:
		items, err := b.values(v.Items)
		return &Set{Items: items, Frozen: v.Frozen}, err
	case *pickle.ByteArray:
		return ByteArray(v.Bytes), nil
	case *pickle.Map:
		return b.dict(v)
	case *tensor:
		return b.withState(v)
	case *storageView:
		return b.tensor(v.asTensor(0))
	case *array:
		return b.array(v)
	case *foreign:
		return b.object(v)
	}
	return nil, b.fail(torch.ErrFormat, b.reading.value, "a value has the unexpected type %T", v)
}

func (b *building) values(items []any) ([]any, error) {
	out := make([]any, len(items))
	for i, v := range items {
		made, err := b.value(v)
		if err != nil {
			return nil, err
		}
		out[i] = made
	}
	return out, nil
}

func (b *building) dict(m *pickle.Map) (*Dict, error) {
	d := &Dict{Class: Class(m.Class)}
	if n := len(m.Keys); n > 0 {
		d.keys, d.values = make([]any, 0, n), make([]any, 0, n)
	}
	for i, k := range m.Keys {
		key, err := b.value(k)
		if err != nil {
			return nil, err
		}
		if _, ok := hashed(key); !ok {
			return nil, b.fail(torch.ErrUnsupported, b.reading.value, "a dict with a key that is %s", kindName(k))
		}
		value, err := b.value(m.Values[i])
		if err != nil {
			return nil, err
		}
		d.Set(key, value)
	}
	if m.State != nil {
		state, err := b.value(m.State)
		if err != nil {
			return nil, err
		}
		d.Attributes, _ = state.(*Dict) // value has converted the Map to a *Dict
	}
	return d, nil
}

func (b *building) object(f *foreign) (any, error) {
	if f.lacks != "" {
		return nil, b.fail(torch.ErrUnsupported, f.Offset, "%s", f.lacks)
	}
	if !b.opaque {
		e := &RefusedError{Global: f.String(), Offset: f.Offset}
		if f.called {
			e.Call = callText(f.String(), f.args)
		}
		fe := b.fail(ErrUnsafe, f.Offset, notAllowed)
		fe.Err = e
		return nil, fe
	}
	o := &Object{Global: b.globalName(f), Called: f.called}
	args, err := b.values(f.args)
	if err != nil {
		return nil, err
	}
	o.Args = args
	if o.Items, err = b.values(f.items); err != nil {
		return nil, err
	}
	if o.State, err = b.value(f.state); err != nil {
		return nil, err
	}
	for from, to := range map[*pickle.Map]**Dict{f.kwargs: &o.Kwargs, f.dict: &o.Dict} {
		if from == nil {
			continue
		}
		if *to, err = b.dict(from); err != nil {
			return nil, err
		}
	}
	return o, nil
}

// globalName returns the name of a class or function. A file may have many objects of a class with a
// long name, so equal names share memory.
func (b *building) globalName(f *foreign) string {
	at := [2]string{f.Module, f.Name}
	name, ok := b.globals[at]
	if !ok {
		name = f.String()
		if b.globals == nil {
			b.globals = map[[2]string]string{}
		}
		b.globals[at] = name
	}
	return name
}

// withState makes a plain tensor, a parameter, or a tensor with attributes.
func (b *building) withState(t *tensor) (any, error) {
	if t.data == nil {
		return b.tensor(t)
	}
	state, err := b.value(t.state)
	if err != nil {
		return nil, err
	}
	if !t.parameter {
		made, err := b.tensor(t.plain())
		if err != nil {
			return nil, err
		}
		return &Attributed{Tensor: made, State: state}, nil
	}
	made, err := b.tensor(t.plain())
	if err != nil {
		return nil, err
	}
	return &Parameter{Tensor: made, State: state}, nil
}
