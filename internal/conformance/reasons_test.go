package conformance_test

// notOffered lists the members that the library does not have, with the reason.
var notOffered = map[string]string{
	"modules LazyConv1d":          lazy,
	"modules LazyConv2d":          lazy,
	"modules LazyConv3d":          lazy,
	"modules LazyConvTranspose1d": lazy,
	"modules LazyConvTranspose2d": lazy,
	"modules LazyConvTranspose3d": lazy,
}

const lazy = "lazy modules are not offered: in Go a constructor knows the sizes"

// uninitialized are the operators that do not write to their result. Only dtype, sizes
// and strides are compared.
var uninitialized = map[string]bool{
	"empty.memory_format": true, "empty_like": true, "empty_strided": true, "empty_permuted": true,
	"new_empty": true, "new_empty_strided": true, "resize_": true,
}

// unsettled are the operators whose result does not follow from their arguments, with the
// reason. A dtype after the name limits the entry to calls whose first argument has that
// dtype. A number limits it to one result.
var unsettled = map[string]string{
	"detach_":      "arguments here are views of their memory, which it refuses",
	"linalg_lstsq": "LAPACK's gelsy starts from pivots that PyTorch leaves unset",
	"linalg_pinv.atol_rtol_tensor complex64": "called by itself PyTorch conjugates, recorded below its Conjugate key " +
		"it does not",
	"_ctc_loss.out":        "the table of paths has cells that are never written",
	"_ctc_loss.Tensor_out": "the table of paths has cells that are never written",
	"_ctc_loss 1":          "the table of paths has cells that are never written",
	"_ctc_loss.Tensor 1":   "the table of paths has cells that are never written",
}
