// Package jit runs TorchScript: models that Python scripted or traced and saved with
// torch.jit.save, as torch.jit does.
//
//	m, err := jit.Load("model.pt")
//	if err != nil { ... }
//	m.Eval()
//	y := m.Forward(x)                                 // one tensor in, one out
//	v := m.Run(x, int64(3), jit.Kwargs{"bias": b})    // any values
//	words := m.RunMethod("tokenize", "some text").([]string)
//
// A [Module] is a module of package nn: it stands within an nn.Sequential, its parameters
// can be trained by the optimizers of package optim, and Train, Eval, To, StateDict,
// LoadStateDict, hooks and Close are those of any module. It follows torch.jit.ScriptModule.
//
// Arguments and results are values of Go:
//
//	None                     nil
//	Tensor                   *torch.Tensor
//	bool, int, float         bool, int64 (or any integer), float64 (or float32)
//	complex, str             complex128, string
//	torch.device             torch.Device
//	torch.dtype and its kin  int64; torch.DType as an argument
//	List[Tensor]             []*torch.Tensor
//	List[int], [float]       []int64, []float64
//	List[bool], [str]        []bool, []string
//	other lists              []any
//	tuples                   [Tuple], *[NamedTuple]
//	dicts                    *[Dict]; a map as an argument
//	an enum                  [Enum]
//	an object of a class     *[Object]
//
// Arguments are converted to what the method's schema asks for: whole numbers do for
// reals, nil for an Optional. Lists and dicts are copied on the way in: what a method does
// to them does not show. A tensor is the tensor itself.
//
// An archive is a program, and running it does what it says: load those that you trust.
// docs/files.md says what that program can do, and when.
package jit
