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

// SaveFile writes tensors from any device to a file. It replaces the file atomically: an
// existing file stays until the new one is complete, and processes that have mapped the
// old file keep it. Only tensors that are not on the CPU or not contiguous are copied,
// one at a time. If the program changes a tensor during SaveFile, the file may contain
// the old or the new elements.
//
// For an invalid tensor, the error is a *torch.Error: ErrNil or ErrClosed; ErrDType for a
// dtype that the format does not support; and ErrValue for a tensor that is not dense,
// for one that is not contiguous without [ForceContiguous], for tensors that share memory
// without [RemoveDuplicates], and for a name that is not valid UTF-8. An error of the
// system is a [*torch.FileError]. Invalid options panic.
//
// Follows safetensors.torch.save_file, and writes the same bytes. If there are several
// metadata entries, they are sorted here; in Python their order is undefined.
func SaveFile(tensors map[string]*torch.Tensor, path string, opts ...SaveOption) error {
	s := readSaving("safetensors.SaveFile", opts)
	l, err := s.list(tensors)
	if err != nil {
		return err
	}
	defer l.close()
	return l.writeFile(path, s.op, s.metadata)
}

// Save is like [SaveFile], but returns the bytes of the file. If the tensors are larger
// than the machine's memory, it returns ErrOutOfMemory. Follows safetensors.torch.save.
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
	// Check the total against the machine's memory, because failing to allocate a slice
	// ends the process. The total may be huge, because an expanded tensor may have any
	// size.
	if _, total, err := sysmem.Machine(); err == nil && l.bytes() > total {
		return nil, torch.NewError(s.op, torch.ErrOutOfMemory, "tensors",
			fmt.Sprintf("the tensors need %d bytes, but the machine has only %d", l.bytes(), total))
	}
	var b bytes.Buffer
	b.Grow(len(head) + int(l.bytes()))
	if err := l.write(&b, s.op, head); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// bytes returns the total size of the tensors, or math.MaxInt64 if it is larger.
func (l list) bytes() int64 {
	n := int64(0)
	for i := range l {
		n += min(l[i].bytes, math.MaxInt64-n)
	}
	return n
}

// notWritten is the error detail for a file that the system cannot write.
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

// prepare writes the file under a temporary name.
func (l list) prepare(path, op string, metadata map[string]string) (*wholefile.Prepared, error) {
	head, err := l.header(op, metadata)
	if err != nil {
		return nil, err
	}
	var wrong error // a tensor's error
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
		return torch.NewError(op, torch.ErrValue, e.name,
			"has no memory: its storage was freed, or its elements are known to be zero; write a Clone")
	}
	_, err = w.Write(mapped.Memory(t))
	return err
}
