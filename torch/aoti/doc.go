// Package aoti runs models that PyTorch compiled ahead of time. The models are in
// AOTInductor's .pt2 packages, which contain the code that torch.compile generates.
// Python exports and compiles the model once for each kind of machine:
//
//	ep = torch.export.export(model, (x,), dynamic_shapes=({0: torch.export.Dim("batch", max=64)},))
//	torch._inductor.aoti_compile_and_package(ep, package_path="model.pt2")
//
// Go runs the model without Python, from many goroutines:
//
//	model, err := aoti.Load("model.pt2")
//	...
//	defer model.Close()
//	logits := model.Run(x)[0]
//
// A package contains a shared library. [Load] runs its code with the rights of the
// process: load only packages that you would run as a program.
//
// Compiled code does not check its inputs: in Python, if an input has the wrong shape,
// the code may read beyond its end. Load therefore reads the description of the inputs
// from the package, and [Model.Run] checks dtype, device, shape and strides.
// [Model.Inputs] returns the description. The option [Inputs] adds a description if the
// package has none.
//
// Results and extracted constants belong to the innermost scope or else to the garbage
// collector.
//
// # Errors
//
// If a package cannot be loaded, the error is a [*torch.FileError], which wraps a
// [*torch.Error] if libtorch refused the library. Its kinds are [torch.ErrFormat] for a
// damaged package, or one that AOTInductor did not write, [torch.ErrTruncated] for a file
// that ends too early, [torch.ErrNotFound] for a package without a model named
// [ModelName], and [torch.ErrUnsupported] for a package that is not compiled, or was
// compiled for a different machine or version. For a missing file, the error is
// fs.ErrNotExist.
package aoti
