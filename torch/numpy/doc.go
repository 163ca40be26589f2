// Package numpy reads and writes NumPy's files: .npy, a single array, and .npz, a zip
// archive of named arrays. It follows np.load, np.save, np.savez and np.savez_compressed.
//
//	x, err := numpy.Load("features.npy")
//	...
//	all, err := numpy.LoadNpz("dataset.npz")
//
// Arrays become CPU tensors of the same dtype and shape, owned by the innermost scope or
// else by the garbage collector. Fortran order is kept as strides, and numbers in the
// opposite byte order are swapped. Arrays of these kinds cause ErrUnsupported, because a
// tensor cannot hold them: strings, dates, structured arrays, float128, and object
// arrays, which NumPy itself reads by unpickling.
//
// A damaged or hostile file gives a [torch.FileError] that names the array or the byte.
// Nothing from a file is run. Memory is allocated for existing data only, whatever the
// header claims. [MaxInflated] bounds the size of compressed archives.
//
// # Errors
//
// A file that cannot be read or written gives a [*torch.FileError]. Its kinds are
//
//   - [torch.ErrFormat] for a damaged file, or a file that is not in NumPy's format;
//   - [torch.ErrTruncated] for a file that ends before its header or its data does;
//   - [torch.ErrUnsupported] for an array that a tensor cannot hold or that is too large
//     (see [MaxInflated]);
//   - [torch.ErrNotFound] for a name that the archive does not have.
//
// For a missing file, errors.Is reports fs.ErrNotExist.
package numpy
