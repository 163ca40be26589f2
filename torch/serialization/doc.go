// Package serialization reads and writes the files of PyTorch's torch.save, .pt and .pth,
// as torch.load(weights_only=True) and torch.save do. It is torch.serialization in Python.
//
// Such a file holds a pickle, which in Python is a program: loading a file of somebody
// else's may run whatever that person likes. Here nothing of a file is ever run. A list
// says which classes and functions a file may name: those of Python's weights_only=True and
// those of NumPy's numbers and arrays. For each of them there is Go code that makes the
// value. Any other name is an error of kind [ErrUnsafe], which says what Python would have
// called. With [Key] only the entry that is read must be without such names.
// [Inspect] lists the names in a file without building anything.
//
//	sd, err := serialization.LoadStateDict("resnet18.pth")
//	if err != nil { ... }
//	err = model.LoadStateDict(nn.NewStateDict(sd.Map()))
//
// [Load] reads a file of any content. Its values are:
//
//	None, bool       nil, bool
//	int              int64, or *big.Int where that is too small
//	float, complex   float64, complex128
//	str              string
//	bytes, bytearray []byte, ByteArray
//	list, tuple      []any, Tuple
//	dict and its kin *Dict: OrderedDict and Counter, with their attributes
//	set, frozenset   *Set
//	Tensor           *torch.Tensor
//	nn.Parameter     *Parameter
//	np.ndarray       *torch.Tensor, on the CPU
//	np.float32(1)    float64, and so the other numbers and texts of NumPy: as Python's
//	torch.Size       torch.Shape
//	torch.dtype      torch.DType
//	torch.device     torch.Device
//	torch.layout     torch.Layout
//
// A value that the file has once is there once, also if several refer to it; tensors that
// share a storage in the file share it here, with their strides and offsets.
//
// Both formats are read: the zip archives of PyTorch 1.6 and later, and what was there
// before. Files come from anywhere: one that is damaged, or made to exhaust its reader,
// gives a [*FileError] that names the byte, leaves no tensor behind, and costs no more
// memory than its own size explains.
//
// [Save] writes zip archives that torch.load(weights_only=True) accepts, byte for byte
// those that Python writes for the same values as far as Python's own are always the same.
package serialization
