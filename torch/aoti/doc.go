// Package aoti runs models that PyTorch compiled ahead of time: the .pt2 packages of
// AOTInductor, which hold for a Go program what torch.compile makes for a Python one.
// Python exports and compiles the model, once and for a kind of machine:
//
//	ep = torch.export.export(model, (x,), dynamic_shapes=({0: torch.export.Dim("batch", max=64)},))
//	torch._inductor.aoti_compile_and_package(ep, package_path="model.pt2")
//
// and Go runs it, without Python and from as many goroutines as there are runners:
//
//	model, err := aoti.Load("model.pt2")
//	...
//	defer model.Close()
//	logits := model.Run(x)[0]
//
// A package holds a shared library. [Load] runs code of it, with all rights of the process:
// load what you have built, or trust as you would a program.
//
// Compiled code reads its inputs as what they were when it was compiled, and looks at
// nothing: in Python a tensor of another shape is read beyond its end. Here Load takes from
// the package what it says of its inputs, and [Model.Run] compares dtype, device, shape and
// strides with it. [Model.Inputs] returns what is known; what a package cannot say, the
// option [Inputs] can.
package aoti
