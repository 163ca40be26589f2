// Package numpy reads and writes NumPy's files: .npy, one array, and .npz, a zip archive of
// several by name. It follows np.load, np.save, np.savez and np.savez_compressed.
//
//	x, err := numpy.Load("features.npy")
//	...
//	all, err := numpy.LoadNpz("dataset.npz")
//
// Arrays become CPU tensors of their dtype and shape, owned by the innermost scope, else by
// the collector. Arrays in Fortran's order keep it as strides, and those of the other byte
// order are turned around. What no tensor can hold is ErrUnsupported: texts, dates, rows of
// several fields, float128, and arrays of Python's objects, which NumPy itself reads by
// running what the file says.
//
// A damaged or hostile file is a [FileError], which names the array or the byte. Nothing
// of a file is run, and memory is taken for what is there, not for what a header claims;
// [MaxInflated] bounds what compressed archives may grow to.
package numpy
