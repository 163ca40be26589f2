// Package serialization reads and writes the .pt and .pth files of PyTorch's torch.save
// and torch.load(weights_only=True). It is torch.serialization in Python.
//
// Such a file holds a pickle, which in Python is a program: loading a file from an
// untrusted source may run any code. This package never runs anything from a file. It has
// a list of the classes and functions that a file may name: those of Python's
// weights_only=True, and those for NumPy scalars and arrays. For each of them, Go code
// creates the value. Any other name is an error of kind [ErrUnsafe] that says what Python
// would have called. With [Key], only names in the requested entry are checked. [Inspect]
// lists the names in a file without building anything.
//
//	sd, err := serialization.LoadStateDict("resnet18.pth")
//	if err != nil { ... }
//	err = model.LoadStateDict(nn.NewStateDict(sd.Map()))
//
// Loaded tensors belong to the innermost scope or else to the garbage collector. [Load]
// reads any file that torch.save wrote. It converts Python's values to these types:
//
//	None, bool       nil, bool
//	int              int64, or *big.Int if it does not fit
//	float, complex   float64, complex128
//	str              string
//	bytes, bytearray []byte, ByteArray
//	list, tuple      []any, Tuple
//	dict             *Dict; also for OrderedDict and Counter, with their attributes
//	set, frozenset   *Set
//	Tensor           *torch.Tensor
//	nn.Parameter     *Parameter
//	np.ndarray       *torch.Tensor, on the CPU
//	np.float32(1)    float64; other NumPy scalars and strings as Python's
//	torch.Size       torch.Shape
//	torch.dtype      torch.DType
//	torch.device     torch.Device
//	torch.layout     torch.Layout
//
// If the file refers to the same value several times, the result refers to one Go value.
// Tensors that share a storage in the file share it in Go too, with their strides and offsets.
//
// Both formats are supported: the zip archives of PyTorch 1.6 and later, and the older
// format. A damaged or malicious file gives a [*torch.FileError] with the position of the
// error. Loading such a file leaves no tensor open, and uses memory only in proportion to
// the file's size.
//
// [Save] writes zip archives that torch.load(weights_only=True) accepts. They equal
// Python's byte for byte, if Python writes the same bytes each time.
//
// # Errors
//
// A file that cannot be read or written gives a [*torch.FileError], which may wrap a
// [*RefusedError] or a [*torch.Error]. Its kinds are [torch.ErrFormat] for a damaged
// file, or one that is not in PyTorch's format, [torch.ErrTruncated] for a file that ends
// too early, [torch.ErrUnsupported] for quantized tensors, TorchScript and formats before
// 0.1.12, [torch.ErrNotFound] for a missing entry under the [Key], and [ErrUnsafe]. For a
// missing file, the error is fs.ErrNotExist.
package serialization
