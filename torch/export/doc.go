// Package export runs and trains exported programs: models that Python exported with
// torch.export and saved with torch.export.save. [Export] makes such a program from a Go
// model. The package follows torch.export.
//
//	m, err := export.Load("model.pt2")
//	if err != nil { ... }
//	y := m.Forward(x)                              // one tensor in, one out
//	v := m.Run(x, export.Kwargs{"mask": mask})     // any values
//	opt := optim.NewAdamW(m.Parameters())          // parameters have Python's names
//	err = m.Save("trained.pt2")                    // for torch.export.load in Python
//
// A [Module] is a module of package nn. You can use it in an nn.Sequential, and train its
// parameters with the optimizers of package optim. To, StateDict, LoadStateDict, hooks and
// Close work as for any module. The program calls the operators that Python recorded, with
// autograd, so results and gradients have the same bits as in Python, with the same version of
// PyTorch on the same processor.
//
// Load reads files of PyTorch 2.7 and newer. PyTorch 2.9 and newer read those of Save.
//
// An exported program needs no compiler and no Python. For compiled programs, which
// torch._inductor.aoti_compile_and_package writes, use package aoti. For TorchScript use
// package jit.
//
// Arguments and results are Go values:
//
//	None                    nil
//	Tensor                  *torch.Tensor
//	bool, int, float, str   bool, int64 (or any integer), float64, string
//	list                    []any, or []*torch.Tensor as an argument
//	tuple                   [Tuple]
//	dict                    *[Dict]; a map with string or integer keys as an argument
//	namedtuple              [Tuple]
//	a dataclass             *[Dict], such as an output of transformers
//
// Sizes and integers have to be in the ranges of the export. Otherwise a call panics with
// ErrShape or ErrValue. An integer without limits may be negative.
//
// Tensors in a result belong to the innermost scope or else to the garbage collector.
//
// # Modes
//
// A program records one of the two modes: that of the exported module. Train and Eval
// change what dropout, batch normalization and recurrent layers of the program do, as
// move_exported_model_to_train and move_exported_model_to_eval do in Python. Other
// differences between the modes, such as branches of the Python code, stay as they were
// exported.
//
// # Errors
//
// A file that cannot be read gives a [*torch.FileError]: ErrFormat for a damaged one,
// ErrTruncated for one that ends too early, and ErrUnsupported for a program with an
// operator or a feature that this version does not have. The message names the node, and
// the line of Python that it came from. For a missing file, errors.Is reports
// fs.ErrNotExist.
//
// An exported program calls operators, and nothing else. But operators trust their
// arguments, so load programs of strangers only in a process that may fail.
package export
