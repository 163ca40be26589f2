package safetensors

import (
	"bytes"
	"fmt"
	"io"
	"math"

	"github.com/gotorch/gotorch/internal/mapped"
	"github.com/gotorch/gotorch/internal/sysmem"
	"github.com/gotorch/gotorch/internal/wholefile"
	"github.com/gotorch/gotorch/torch"
)

// SaveFile writes tensors to a file, from whatever device they are on. The file is there
// complete or not at all, and one that is replaced stays until then, also for who has it
// mapped. Nothing but a tensor from another device, or one that is not contiguous, is
// copied, one at a time. Writing into a tensor meanwhile may show in the file or not.
//
// Wrong tensors are *torch.Errors: of kind ErrNil or ErrClosed, ErrDType for a dtype that
// the format does not have, ErrValue for a tensor that is not dense or, without
// [ForceContiguous], not contiguous, for tensors that share memory, without
// [RemoveDuplicates], and for a name that is no UTF-8. The system's are a *[FileError].
// Wrong options panic. Follows safetensors.torch.save_file, and writes the same bytes; with
// several texts of metadata Python's order is any.
func SaveFile(tensors map[string]*torch.Tensor, path string, opts ...SaveOption) error {
	s := readSaving("safetensors.SaveFile", opts)
	l, err := s.list(tensors)
	if err != nil {
		return err
	}
	defer l.close()
	return l.writeFile(path, s.op, s.metadata)
}

// Save is [SaveFile] into memory. Tensors that are more than the machine has are
// ErrOutOfMemory. Follows safetensors.torch.save.
func Save(tensors map[string]*torch.Tensor, opts ...SaveOption) ([]byte, error) {
	s := readSaving("safetensors.Save", opts)
	l, err := s.list(tensors)
	if err != nil {
		return nil, err
	}
	defer l.close()
	head, err := l.header(s.op, s.metadata)
	if err != nil {
		return nil, err
	}
	// An expanded tensor may have any size. A slice that gets no memory ends the process.
	if _, total, err := sysmem.Machine(); err == nil && l.bytes() > total {
		return nil, torch.NewError(s.op, torch.ErrOutOfMemory, "tensors", fmt.Sprintf("they take %d bytes, more than the machine's %d", l.bytes(), total))
	}
	var b bytes.Buffer
	b.Grow(len(head) + int(l.bytes()))
	if err := l.write(&b, s.op, head); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// bytes is how many bytes all tensors have, at most as many as 64 bits can count.
func (l list) bytes() int64 {
	n := int64(0)
	for i := range l {
		n += min(l[i].bytes, math.MaxInt64-n)
	}
	return n
}

// notWritten is what is wrong with a file that the system does not write.
const notWritten = "cannot be written"

func (l list) writeFile(path, op string, metadata map[string]string) error {
	p, err := l.prepare(path, op, metadata)
	if err != nil {
		return err
	}
	if err := p.Place(); err != nil {
		return ioFault(path, notWritten, err)
	}
	return nil
}

// prepare writes a file but for its name.
func (l list) prepare(path, op string, metadata map[string]string) (*wholefile.Prepared, error) {
	head, err := l.header(op, metadata)
	if err != nil {
		return nil, err
	}
	var wrong error // with a tensor
	p, err := wholefile.Prepare(path, func(w io.Writer) error {
		err := l.write(w, op, head)
		if _, ok := err.(*torch.Error); ok { //nolint:errorlint // from this function, not from below
			wrong = err
		}
		return err
	})
	switch {
	case wrong != nil:
		return nil, wrong
	case err != nil:
		return nil, ioFault(path, notWritten, err)
	}
	return p, nil
}

// write writes a whole file.
func (l list) write(w io.Writer, op string, head []byte) error {
	if _, err := w.Write(head); err != nil {
		return err
	}
	for i := range l {
		if err := l[i].write(w, op); err != nil {
			return err
		}
	}
	return nil
}

// write writes the bytes of one tensor.
func (e *entry) write(w io.Writer, op string) error {
	if e.bytes == 0 {
		return nil
	}
	t, err := mapped.Try(func() *torch.Tensor {
		return torch.Tidy(func() *torch.Tensor {
			return e.tensor.To(torch.CPU).ResolveConj().ResolveNeg().Contiguous()
		})
	})
	if err != nil {
		return err
	}
	defer func() { _ = t.Close() }()
	if t.DataPtr() == 0 {
		return torch.NewError(op, torch.ErrValue, e.name, "its elements have no memory: the storage was freed, or they are known to be zero; write a Clone")
	}
	_, err = w.Write(mapped.Memory(t))
	return err
}
