// Package safetensors reads and writes safetensors files: tensors by name and nothing
// else, so that no code can come with them. It follows Python's package of that name.
//
//	f, err := safetensors.Open("model.safetensors")
//	...
//	defer f.Close()
//	w, err := f.Tensor("encoder.weight")
//
// A file begins with the length of its header, eight bytes, and the header, JSON that says
// of each tensor its dtype, its shape and where its bytes are. The bytes follow, without a
// gap, in the order of the machine (little-endian) and contiguous.
//
// [Open] reads the header alone. Each tensor is read when it is asked for, into memory of
// its own: what happens to the file later does not matter, and a file that is too short is
// an error.
//
// [BackendMmap] maps the file into memory instead, as Python's package does: a tensor costs
// nothing until somebody looks at it, and then no copy, since its memory is the mapping. A
// file may then be larger than the machine's memory, and several processes share its pages.
// The mapping is private: who writes into a tensor changes neither the file nor other
// processes. It stays until the file is closed, or collected, and its last tensor is gone.
// Mapped bytes are not the allocator's, and package memory does not count them; the system
// counts those that were looked at as resident, and takes them back when it needs the memory.
//
// While a file is mapped nobody may make it shorter. What was cut off cannot be read, and
// the system ends a process that tries (SIGBUS); no program can catch that within
// libtorch. Replacing a file by another under its name, as [SaveFile] and Python's
// save_file do, is safe. [File.Tensor] returns an error for what is not there any more, but
// a tensor that was taken before cannot.
//
// Damaged files give a [FileError], which names the tensor or the byte, and take no more
// memory than a small multiple of the file's size.
package safetensors
