package serialization

import (
	"errors"
	"io"

	"github.com/gotorch/gotorch/internal/mapped"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aten"
)

// keep records t as a tensor that was made from the file, and returns it.
func (b *building) keep(t *torch.Tensor) *torch.Tensor {
	b.made = append(b.made, t)
	return t
}

// tensor makes a tensor. It adds the position of the tensor's description in the file to
// errors of libtorch.
func (b *building) tensor(t *tensor) (out *torch.Tensor, err error) {
	e := torch.Try(func() { out, err = b.makeTensor(t) })
	if e == nil {
		return out, err
	}
	fe := b.fail(torch.ErrFormat, t.at, "a tensor of size %v cannot be created", t.size)
	if errors.Is(e, torch.ErrDevice) || errors.Is(e, torch.ErrOutOfMemory) {
		fe.Kind = nil
	}
	fe.Err = e
	return nil, fe
}

func (b *building) makeTensor(t *tensor) (*torch.Tensor, error) {
	var out *torch.Tensor
	var err error
	switch {
	case t.array != nil:
		out, err = b.numbers(t.array)
	case len(t.parts) > 0:
		out, err = b.sparse(t)
	case t.storage == nil:
		out = b.keep(torch.EmptyStrided(t.size, t.stride, t.dtype, t.device))
	default:
		out, err = b.strided(t)
	}
	if err != nil {
		return nil, err
	}
	if t.requiresGrad {
		out.SetRequiresGrad(true)
	}
	return out, nil
}

// strided makes a strided tensor that uses the memory of its storage. Other tensors may use
// the same memory.
func (b *building) strided(t *tensor) (*torch.Tensor, error) {
	memory, err := b.memory(t.storage.storage, t.at)
	if err != nil {
		return nil, err
	}
	v, element := t.storage, t.dtype.Size()
	var typed *torch.Tensor
	torch.NoGrad(func() {
		part := memory.Narrow(0, v.offset, v.bytes/element*element)
		typed = part.ViewDType(t.dtype)
		_ = part.Close()
	})
	defer func() { _ = typed.Close() }()
	out := b.keep(torch.Empty(torch.Shape{0}, t.dtype, memory.Device()))
	// typed is the part of the storage that the storage view describes
	out.SetStrided_(typed, t.offset, t.size, t.stride)
	for _, bit := range []struct {
		on   bool
		view func(*torch.Tensor) *torch.Tensor
	}{{t.conj, (*torch.Tensor).Conj}, {t.neg, aten.UnderNegView}} {
		if bit.on {
			out = b.keep(bit.view(out))
		}
	}
	if t.device != 0 && b.device == 0 && t.device != out.Device() {
		out = b.keep(out.To(t.device))
	}
	return out, nil
}

// memory returns the bytes of a storage as a tensor on the storage's device. It reads them
// only once. at is the position for errors.
func (b *building) memory(s *storage, at int64) (*torch.Tensor, error) {
	if s.memory != nil {
		return s.memory, nil
	}
	to := b.reading.device
	if to == 0 {
		var err error
		if to, err = b.saved(s, at); err != nil {
			return nil, err
		}
	}
	if to.Type() == "meta" {
		s.memory = torch.Empty(torch.Shape{s.bytes}, torch.Uint8, torch.Meta)
		return s.memory, nil
	}
	m, err := b.onCPU(s)
	if err != nil {
		return nil, err
	}
	s.memory = m
	if !to.IsCPU() {
		s.memory = m.To(to)
		_ = m.Close()
	}
	return s.memory, nil
}

// saved returns the device from which a storage was saved, or an error if the device is
// unavailable.
func (b *building) saved(s *storage, at int64) (torch.Device, error) {
	d, err := torch.ParseDevice(s.location)
	if err == nil {
		err = d.Check()
	}
	if err != nil {
		fe := b.fail(nil, at, "storage %.100q was saved from device %.40q, which is not available; "+
			"MapLocation(torch.CPU) loads it to the CPU", s.key, s.location)
		fe.Err = &torch.Error{Op: b.op, Kind: torch.ErrDevice, Message: err.Error()}
		return 0, fe
	}
	return d, nil
}

// onCPU returns the bytes of a storage as a CPU tensor: a part of the mapped file, or a
// copy.
func (b *building) onCPU(s *storage) (*torch.Tensor, error) {
	offset, plain := b.source.place(s)
	swap := s.swap
	if !b.swapped {
		swap = 1
	}
	if b.mmap && plain && swap == 1 && offset%16 == 0 {
		n, err := mapped.Missing(b.os, offset+s.bytes) // the file may have been truncated since it was opened
		switch {
		case err != nil:
			return nil, err
		case n > 0:
			return nil, b.fail(torch.ErrTruncated, offset+s.bytes-n, "the file ends within storage %.100q of %d bytes",
				s.key, s.bytes)
		}
		if err := b.mapFile(); errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, b.damaged(s, offset, err)
		} else if err != nil {
			return nil, err
		}
		return b.m.Tensor(b.op, offset, torch.Shape{s.bytes}, torch.Uint8), nil
	}
	r, err := b.source.open(s)
	if err != nil {
		return nil, err
	}
	t := torch.Empty(torch.Shape{s.bytes}, torch.Uint8, torch.CPU)
	memory := mapped.Memory(t)
	if _, err := io.ReadFull(r, memory); err != nil {
		_ = t.Close()
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, b.fail(torch.ErrTruncated, offset, "the file ends within storage %.100q of %d bytes", s.key,
				s.bytes)
		}
		return nil, b.damaged(s, offset, err)
	}
	// the reader verifies the checksum when it reaches the end
	if _, err := r.Read(make([]byte, 1)); err != nil && !errors.Is(err, io.EOF) {
		_ = t.Close()
		return nil, b.damaged(s, offset, err)
	}
	reverse(memory, int(swap))
	return t, nil
}

// damaged returns the error for a storage whose bytes could not be read.
func (b *building) damaged(s *storage, offset int64, err error) error {
	if errors.As(err, new(*torch.FileError)) { // it has more details
		return err
	}
	fe := b.fail(kindOfRead(err), offset, "storage %.100q", s.key)
	fe.Err = err
	return fe
}

func (b *building) mapFile() error {
	if b.m != nil {
		return nil
	}
	m, err := mapped.Map(b.os, b.size)
	b.m = m
	return err
}

// reverse swaps the byte order of the numbers in b. Each number has n bytes.
func reverse(b []byte, n int) {
	switch n {
	case 2:
		for i := 0; i+1 < len(b); i += 2 {
			b[i], b[i+1] = b[i+1], b[i]
		}
	case 4, 8:
		for i := 0; i+n <= len(b); i += n {
			for j := range n / 2 {
				b[i+j], b[i+n-1-j] = b[i+n-1-j], b[i+j]
			}
		}
	}
}

// sparse makes a sparse tensor. libtorch first checks the tensor's indices.
func (b *building) sparse(t *tensor) (*torch.Tensor, error) {
	parts := make([]*torch.Tensor, len(t.parts))
	for i, p := range t.parts {
		v, err := b.value(p)
		if err != nil {
			return nil, err
		}
		parts[i] = v.(*torch.Tensor) // rebuildSparse has checked the type
	}
	no := false
	if t.layout == torch.SparseCOO {
		aten.UnderValidateSparseCOOTensorArgs(parts[0], parts[1], t.size, &t.coalesced, &no)
		return b.keep(aten.UnderSparseCOOTensorUnsafe(parts[0], parts[1], t.size, 0, 0, nil, nil, &t.coalesced)), nil
	}
	aten.UnderValidateSparseCompressedTensorArgs(parts[0], parts[1], parts[2], t.size, t.layout, &no)
	return b.keep(aten.UnderSparseCompressedTensorUnsafe(parts[0], parts[1], parts[2], t.size, parts[2].DType(),
		t.layout, nil, nil)), nil
}
