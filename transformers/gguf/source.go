package gguf

import (
	"github.com/gotorch/gotorch/internal/mapped"
	"github.com/gotorch/gotorch/torch"
)

// Source is a file as a source for nn.LoadStateDict: each tensor is converted when it is
// read. [File.Source] returns it. Methods of nil and of the zero Source panic with a
// *torch.Error of kind ErrNil.
type Source struct {
	f *File
	l loading
}

// Source returns the file as a source for nn.LoadStateDict, with the names of the file. The
// error is a *torch.Error of kind ErrDevice for an unavailable device. Invalid options
// panic.
//
//	src, err := f.Source(gguf.DType(torch.BFloat16))
//	...
//	err = model.LoadStateDict(src, nn.Rename{{"blk.*.attn_q.weight", "layers.*.q.weight"}})
func (f *File) Source(opts ...LoadOption) (*Source, error) {
	const op = "gguf.File.Source"
	f.must(op)
	l, err := readLoading(op, opts)
	if err != nil {
		return nil, err
	}
	return &Source{f, l}, nil
}

func (s *Source) must(op string) {
	if s == nil || s.f == nil {
		panic(torch.NewError(op, torch.ErrNil, "s", "was not returned by File.Source"))
	}
}

// Names returns the names of the tensors in the order of the file's header.
func (s *Source) Names() []string {
	s.must("gguf.Source.Names")
	return s.f.Names()
}

// Tensor reads a tensor; see [File.Load].
func (s *Source) Tensor(name string) (*torch.Tensor, error) {
	const op = "gguf.Source.Tensor"
	s.must(op)
	return s.f.load(op, name, s.l)
}

// Meta returns a tensor on the meta device with the shape and dtype of the tensor that
// Tensor returns. It does not read the file.
func (s *Source) Meta(name string) (*torch.Tensor, error) {
	s.must("gguf.Source.Meta")
	info, err := s.f.info(name)
	if err != nil {
		return nil, err
	}
	return mapped.Try(func() *torch.Tensor { return torch.Empty(info.Shape, s.l.dtype, torch.Meta) })
}

// Path returns the path of the file.
func (s *Source) Path() string {
	s.must("gguf.Source.Path")
	return s.f.path
}
