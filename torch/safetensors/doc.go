// Package safetensors reads and writes safetensors files. They contain only tensors and
// their names, and no code. It follows Python's package of the same name.
//
//	f, err := safetensors.Open("model.safetensors")
//	...
//	defer f.Close()
//	w, err := f.Tensor("encoder.weight")
//
// A file begins with the length of its header in eight bytes, followed by the header:
// JSON with the dtype, shape and position of each tensor. The tensors' bytes follow
// without gaps, little-endian and contiguous.
//
// Tensors read from a file belong to the innermost scope or else to the garbage
// collector. [Open] reads only the header. Each tensor is copied when it is requested:
// later changes to the file do not affect it, and if the file is too short, the error
// says so.
//
// [BackendMmap] maps the file into memory instead, as Python's package does. The mapping
// is then the tensors' memory: nothing is copied, and pages are loaded on first access. A
// file may be larger than the machine's memory, and processes share its pages. The
// mapping is private: writing to a tensor changes neither the file nor the memory of
// other processes. The mapping is removed after the file is closed or collected and its
// last tensor is freed. Package memory does not count mapped bytes.
//
// A mapped file must not be truncated. Accessing pages that were cut off ends the process
// with SIGBUS, which cannot be caught within libtorch. Replacing a file by another of the
// same name, as [SaveFile] and Python's save_file do, is safe. [File.Tensor] checks that
// the file still contains the tensor's bytes. Tensors that were returned before the file
// was truncated are not checked again.
//
// For a damaged file, the error is a [torch.FileError] with the name of the tensor or the
// offset of the error. Reading a file takes no more memory than a small multiple of its
// size.
//
// # Errors
//
// If a file cannot be read or written, the error is a [*torch.FileError]. Its kinds are
// [torch.ErrFormat] for a damaged file, or a file in a different format,
// [torch.ErrTruncated] for a file that ends before its header or its tensors do,
// [torch.ErrMismatch] for an index that disagrees with the files, [torch.ErrUnsupported]
// for a dtype that libtorch does not have, and [torch.ErrNotFound] for a name that is not
// in the file. For a missing file, the error is fs.ErrNotExist.
package safetensors
