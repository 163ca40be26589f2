// Package weights opens the weights of a model folder, in any of the formats of the Hugging
// Face hub, as a source for a module's LoadStateDict:
//
//	w, err := weights.Open(dir, weights.DType(torch.BFloat16))
//	...
//	defer w.Close()
//	err = model.LoadStateDict(w)
//
// The formats are safetensors, PyTorch's .bin files (see package serialization) and GGUF, each
// in one file or in several. [Open] reads only the descriptions of the tensors. Each tensor is
// read, and converted to the requested dtype and device, when it is requested, so memory never
// holds the weights twice.
//
// The names are those of the files. GGUF files have other names than the others, such as
// blk.0.attn_q.weight; pass nn.Rename to LoadStateDict.
//
// # Errors
//
// The errors are those of packages safetensors, serialization and gguf: a [*torch.FileError],
// which names the file. Its kinds are [torch.ErrFormat], [torch.ErrTruncated],
// [torch.ErrUnsupported], [torch.ErrMismatch] for files that do not belong together,
// [torch.ErrNotFound] for a name that none of the files has, and serialization.ErrUnsafe. If a
// folder has no weights, the error is fs.ErrNotExist.
package weights
