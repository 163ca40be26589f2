package serialization

import (
	"github.com/gotorch/gotorch/internal/mapped"
	"github.com/gotorch/gotorch/internal/operand"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aten"
)

// place identifies a storage by its address.
type place struct {
	data   uintptr
	device torch.Device
}

// savedStorage is a storage to be written.
type savedStorage struct {
	key   string
	dtype torch.DType
	whole *torch.Tensor // all whole elements of the storage, as a tensor of its dtype
	size  int64         // in bytes
	ref   *uint32       // number of the storage's key in the memo; nil before the key is written
}

// bytes returns the bytes of the storage, on the CPU. They are valid until the saver is closed.
func (s *savedStorage) bytes() []byte {
	if s.size == 0 {
		return nil
	}
	if !s.whole.Device().IsCPU() {
		moved := torch.Disown(s.whole.To(torch.CPU))
		_ = s.whole.Close()
		s.whole = moved
	}
	return mapped.Memory(s.whole)
}

func (s *saver) close() {
	for _, st := range s.storages {
		_ = st.whole.Close()
	}
}

// classOf returns the storage class of a dtype, or "" if PyTorch has none for it.
func classOf(d torch.DType) string {
	for name, of := range storageTypes {
		if of == d && d != 0 {
			return name
		}
	}
	return ""
}

func (s *saver) tensor(t *torch.Tensor) {
	operand.NeedElement(s.op, s.where(), t)
	if s.seen(t) {
		return
	}
	s.rebuild(t, t.RequiresGrad())
	s.memo[t] = s.p.Put()
}

// rebuild writes the call with which Python creates the tensor t.
func (s *saver) rebuild(t *torch.Tensor, requiresGrad bool) {
	p := s.p
	switch {
	case t.IsNested():
		s.bad(torch.ErrType, "a nested tensor cannot be saved")
	case t.IsQuantized():
		s.bad(torch.ErrDType, "a quantized tensor cannot be saved")
	case t.IsMeta():
		p.Global("torch._utils", "_rebuild_meta_tensor_no_storage")
		p.Tuple(4, func(i int) {
			switch i {
			case 0:
				s.dtype(t.DType())
			case 1:
				s.ints(t.Shape())
			case 2:
				s.ints(t.Stride())
			case 3:
				p.Bool(requiresGrad)
			}
		})
		p.Reduce()
		return
	case t.Layout() != torch.Strided:
		s.sparse(t)
		return
	}
	s.strided(t, requiresGrad)
}

func (s *saver) strided(t *torch.Tensor, requiresGrad bool) {
	p := s.p
	class, n, rebuild := classOf(t.DType()), 6, "_rebuild_tensor_v2"
	if class == "" {
		n, rebuild = 7, "_rebuild_tensor_v3"
	}
	conj, neg := t.IsConj(), t.IsNeg()
	meta := -1
	if conj || neg {
		meta = n
		n++
	}
	p.Global("torch._utils", rebuild)
	p.Tuple(n, func(i int) {
		switch i {
		case 0:
			s.storage(t, class)
		case 1:
			p.Whole(t.StorageOffset())
		case 2:
			s.ints(t.Shape())
		case 3:
			s.ints(t.Stride())
		case 4:
			p.Bool(requiresGrad)
		case 5:
			s.orderedDict(nil, 0, nil)
		case meta:
			s.metadata(conj, neg)
		default:
			s.dtype(t.DType())
		}
	})
	p.Reduce()
}

func (s *saver) metadata(conj, neg bool) {
	var bits []string
	if conj {
		bits = append(bits, "conj")
	}
	if neg {
		bits = append(bits, "neg")
	}
	s.p.EmptyDict()
	s.p.Put()
	s.p.DictItems(len(bits), true, func(i int) {
		s.p.Text(bits[i])
		s.p.Bool(true)
	})
}

// storage writes the persistent ID of a tensor's storage.
func (s *saver) storage(t *torch.Tensor, class string) {
	st := s.savedStorage(t)
	p := s.p
	n := st.size
	if class != "" {
		n /= t.DType().Size()
	}
	p.Tuple(5, func(i int) {
		switch i {
		case 0:
			p.Word("storage")
		case 1:
			if class == "" {
				p.Global("torch.storage", "UntypedStorage")
			} else {
				p.Global("torch", class)
			}
		case 2: // a string that occurs again is a reference, as in Python, even if it has only one digit
			if st.ref == nil {
				n := p.Text(st.key)
				st.ref = &n
			} else {
				p.Get(*st.ref)
			}
		case 3:
			p.Word(t.Device().String())
		case 4:
			p.Whole(n)
		}
	})
	p.Persistent()
}

func (s *saver) savedStorage(t *torch.Tensor) *savedStorage {
	if t.NBytes() > 0 && t.DataPtr() == 0 {
		s.bad(torch.ErrValue,
			"the tensor has no memory: the storage was freed, or the elements are known to be zero; save a Clone")
	}
	d := t.DType()
	// Leave out the bytes after the last whole element, which belong to no tensor. Python
	// writes these bytes too, but cannot read such a file.
	size := t.StorageBytes() / d.Size() * d.Size()
	at := place{0, t.Device()}
	var whole *torch.Tensor
	torch.NoGrad(func() {
		whole = t.AsStrided([]int64{size / d.Size()}, []int64{1}, 0)
		for _, bit := range []struct {
			on   bool
			view func(*torch.Tensor) *torch.Tensor
		}{{t.IsConj(), (*torch.Tensor).Conj}, {t.IsNeg(), aten.UnderNegView}} {
			if bit.on { // the file contains the elements before the conjugation or negation
				plain := bit.view(whole)
				_ = whole.Close()
				whole = plain
			}
		}
	})
	if size > 0 {
		at.data = whole.DataPtr()
	}
	if st := s.at[at]; st != nil && at.data != 0 {
		_ = whole.Close()
		if st.dtype != d {
			s.bad(torch.ErrDType, "tensors of %v and %v share one storage; PyTorch's files support only one "+
				"dtype per storage", d, st.dtype)
		}
		return st
	}
	st := &savedStorage{key: itoa(int64(len(s.storages))), dtype: d, whole: whole, size: size}
	s.storages = append(s.storages, st)
	if at.data != 0 {
		s.at[at] = st
	}
	return st
}

func (s *saver) sparse(t *torch.Tensor) {
	p := s.p
	var parts []*torch.Tensor
	torch.NoGrad(func() {
		switch t.Layout() {
		case torch.SparseCOO:
			parts = []*torch.Tensor{aten.UnderIndices(t), aten.UnderValues(t)}
		case torch.SparseCSR, torch.SparseBSR:
			parts = []*torch.Tensor{aten.CrowIndices(t), aten.ColIndices(t), t.Values()}
		case torch.SparseCSC, torch.SparseBSC:
			parts = []*torch.Tensor{aten.CcolIndices(t), aten.RowIndices(t), t.Values()}
		default:
			s.bad(torch.ErrType, "a tensor of layout %v cannot be saved", t.Layout())
		}
	})
	defer func() {
		for _, part := range parts {
			_ = part.Close()
		}
	}()
	n := len(parts) + 1
	if t.Layout() == torch.SparseCOO {
		n++
	}
	p.Global("torch._utils", "_rebuild_sparse_tensor")
	p.Tuple(2, func(i int) {
		if i == 0 {
			s.layout(t.Layout())
			return
		}
		p.Tuple(n, func(i int) {
			switch {
			case i < len(parts):
				s.rebuild(parts[i], false)
				p.Put()
			case i == len(parts):
				s.value(t.Shape(), 0)
			default:
				p.Bool(t.IsCoalesced())
			}
		})
	})
	p.Reduce()
}

func (s *saver) parameter(v *Parameter, depth int) {
	if v == nil || v.Tensor == nil {
		s.bad(torch.ErrNil, "a nil *Parameter")
	}
	if s.seen(v) {
		return
	}
	n, name := 3, "_rebuild_parameter"
	if v.State != nil {
		n, name = 4, "_rebuild_parameter_with_state"
	}
	s.p.Global("torch._utils", name)
	s.p.Tuple(n, func(i int) {
		switch i {
		case 0:
			s.rebuild(v.Tensor, false)
			s.p.Put()
		case 1:
			s.p.Bool(v.Tensor.RequiresGrad())
		case 2:
			s.orderedDict(nil, 0, nil)
		case 3:
			s.in(".State", v.State, depth)
		}
	})
	s.p.Reduce()
	s.memo[v] = s.p.Put()
}

func (s *saver) attributed(v *Attributed) {
	if v == nil || v.Tensor == nil {
		s.bad(torch.ErrNil, "a nil *Attributed")
	}
	s.bad(torch.ErrType, "a tensor with attributes cannot be saved")
}
