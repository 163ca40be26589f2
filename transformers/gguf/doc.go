// Package gguf reads and writes GGUF files, the format of llama.cpp. A file holds a model:
// its metadata, such as sizes and the tokenizer, and its tensors, often quantized. The
// package follows Python's package gguf.
//
//	f, err := gguf.Open("model.gguf")
//	...
//	defer f.Close()
//	layers, ok := f.Int("llama.block_count")
//	w, err := f.Load("token_embd.weight")
//
// [Open] reads only the metadata and the descriptions of the tensors, and maps the file.
// [File.Load] converts a tensor when it is requested, with several goroutines. Its values
// equal those of Python's gguf.dequantize bit for bit (NaN payloads may differ).
//
// GGUF writes dimensions in the opposite order of PyTorch. In this package, shapes are in
// PyTorch's order: a matrix of 10 rows of 4 numbers has the shape (10, 4).
//
// A mapped file must not be truncated. Accessing pages that were cut off ends the process
// with SIGBUS. Replacing a file by another of the same name is safe. Load checks that the
// file still contains the tensor.
//
// # Errors
//
// If a file cannot be read or written, the error is a [*torch.FileError]. Its kinds are
// [torch.ErrFormat] for a damaged file, or a file in a different format,
// [torch.ErrTruncated] for a file that ends too early, [torch.ErrUnsupported] for
// big-endian files, versions other than 2 and 3, and unknown types, and
// [torch.ErrNotFound] for a name that is not in the file. For a missing file, the error is
// fs.ErrNotExist. Opening a file takes no more memory than a small multiple of the size of
// its metadata.
package gguf
