// Package jit runs TorchScript: models that Python scripted or traced and saved with
// torch.jit.save. [Trace] makes TorchScript of Go models. The package follows torch.jit.
//
//	m, err := jit.Load("model.pt")
//	if err != nil { ... }
//	m.Eval()
//	y := m.Forward(x)                                 // one tensor in, one out
//	v := m.Run(x, int64(3), jit.Kwargs{"bias": b})    // any values
//	words := m.RunMethod("tokenize", "some text").([]string)
//
// A [Module] is a module of package nn. You can use it in an nn.Sequential, and train its
// parameters with the optimizers of package optim. Train, Eval, To, StateDict,
// LoadStateDict, hooks and Close work as for any module. It follows
// torch.jit.ScriptModule.
//
// Arguments and results are Go values:
//
//	None                     nil
//	Tensor                   *torch.Tensor
//	bool, int, float         bool, int64 (or any integer), float64 (or float32)
//	complex, str             complex128, string
//	torch.device             torch.Device
//	torch.dtype, layout etc. int64; torch.DType as an argument
//	List[Tensor]             []*torch.Tensor
//	List[int], [float]       []int64, []float64
//	List[bool], [str]        []bool, []string
//	other lists              []any
//	tuples                   [Tuple], *[NamedTuple]
//	dicts                    *[Dict]; a map as an argument
//	an enum                  [Enum]
//	an object of a class     *[Object]
//
// Arguments are converted to the types in the method's schema: integers to float, nil to
// Optional. Lists and dicts in arguments are copied, so a method cannot change the
// caller's. Tensors are not copied. Tensors in a result belong to the innermost scope or
// else to the garbage collector.
//
// An archive contains a program, which can do anything when it runs: load only archives
// that you trust. docs/files.md describes what such a program can do, and when.
//
// # Errors
//
// An archive that cannot be read or written gives a [*torch.FileError], which wraps a
// [*torch.Error] if libtorch refused it. Its kinds are [torch.ErrFormat] for a damaged
// archive, or one that is not a TorchScript archive, [torch.ErrTruncated] for an archive
// that ends too early, and [torch.ErrUnsupported] for operators and formats that this
// libtorch does not have. For a missing file, errors.Is reports fs.ErrNotExist.
package jit
