package backends

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/torch"
)

// CUDA has the switches of cuBLAS, of the linear algebra libraries and of the attention
// kernels, torch.backends.cuda in Python.
var CUDA CUDABackend

// CUDABackend is the type of [CUDA].
type CUDABackend struct {
	MatMul MatMulBackend // for matrix products
}

// MatMulBackend is the type of backends.CUDA.MatMul, the switches for matrix products with cuBLAS.
type MatMulBackend struct{}

// AllowTF32 reports whether products of float32 matrices may use TensorFloat32; the
// default is false. It panics with ErrRuntime if FP32Precision was set for some operators
// and contradicts it. Follows torch.backends.cuda.matmul.allow_tf32.
func (MatMulBackend) AllowTF32() bool { return isOn("CUDA.MatMul.AllowTF32", cgotorch.CuBLASTF32) }

// SetAllowTF32 allows or forbids TensorFloat32 in matrix products. It also sets
// [torch.Float32MatmulPrecision] and FP32Precision, to PrecisionTF32 or PrecisionIEEE.
// Follows torch.backends.cuda.matmul.allow_tf32.
func (MatMulBackend) SetAllowTF32(allow bool) {
	turn("CUDA.MatMul.SetAllowTF32", cgotorch.CuBLASTF32, allow)
}

// reductions returns libtorch's number for the two switches: 0 if both are allowed, 1 if
// only split-K is, 2 if neither is.
func reductions(op string, allow, splitK bool) int64 {
	switch {
	case allow && splitK:
		return 0
	case allow:
		panic(torch.NewError("backends."+op, torch.ErrValue, "splitK",
			"expected true if reduced-precision reductions are allowed, got false"))
	case splitK:
		return 1
	default:
		return 2
	}
}

// AllowFP16ReducedPrecisionReduction reports whether float16 products may use float16
// reductions, and whether reductions may be split (split-K); both default to true.
// Follows torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction.
func (MatMulBackend) AllowFP16ReducedPrecisionReduction() (allow, splitK bool) {
	v := read("CUDA.MatMul.AllowFP16ReducedPrecisionReduction", cgotorch.CuBLASFP16Reduction)
	return v == 0, v < 2
}

// SetAllowFP16ReducedPrecisionReduction sets both switches. It panics with ErrValue if
// allow is true and splitK is false, which cuBLAS does not support. Follows
// torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction.
func (MatMulBackend) SetAllowFP16ReducedPrecisionReduction(allow, splitK bool) {
	const op = "CUDA.MatMul.SetAllowFP16ReducedPrecisionReduction"
	write(op, cgotorch.CuBLASFP16Reduction, reductions(op, allow, splitK))
}

// AllowBF16ReducedPrecisionReduction is like AllowFP16ReducedPrecisionReduction, for
// bfloat16. Follows torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction.
func (MatMulBackend) AllowBF16ReducedPrecisionReduction() (allow, splitK bool) {
	v := read("CUDA.MatMul.AllowBF16ReducedPrecisionReduction", cgotorch.CuBLASBF16Reduction)
	return v == 0, v < 2
}

// SetAllowBF16ReducedPrecisionReduction is like SetAllowFP16ReducedPrecisionReduction,
// for bfloat16. Follows
// torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction.
func (MatMulBackend) SetAllowBF16ReducedPrecisionReduction(allow, splitK bool) {
	const op = "CUDA.MatMul.SetAllowBF16ReducedPrecisionReduction"
	write(op, cgotorch.CuBLASBF16Reduction, reductions(op, allow, splitK))
}

// AllowFP16Accumulation reports whether products of float16 matrices may accumulate in
// float16; the default is false. Follows
// torch.backends.cuda.matmul.allow_fp16_accumulation.
func (MatMulBackend) AllowFP16Accumulation() bool {
	return isOn("CUDA.MatMul.AllowFP16Accumulation", cgotorch.CuBLASFP16Accumulation)
}

// SetAllowFP16Accumulation allows or forbids accumulation in float16. Follows
// torch.backends.cuda.matmul.allow_fp16_accumulation.
func (MatMulBackend) SetAllowFP16Accumulation(allow bool) {
	turn("CUDA.MatMul.SetAllowFP16Accumulation", cgotorch.CuBLASFP16Accumulation, allow)
}

// FlashSDPEnabled reports whether scaled dot product attention may use the kernel of
// FlashAttention; the default is true. Follows torch.backends.cuda.flash_sdp_enabled.
func (CUDABackend) FlashSDPEnabled() bool { return isOn("CUDA.FlashSDPEnabled", cgotorch.FlashSDP) }

// EnableFlashSDP allows or forbids FlashAttention. Follows torch.backends.cuda.enable_flash_sdp.
func (CUDABackend) EnableFlashSDP(on bool) { turn("CUDA.EnableFlashSDP", cgotorch.FlashSDP, on) }

// MemEfficientSDPEnabled reports whether attention may use the memory-efficient kernel;
// the default is true. Follows torch.backends.cuda.mem_efficient_sdp_enabled.
func (CUDABackend) MemEfficientSDPEnabled() bool {
	return isOn("CUDA.MemEfficientSDPEnabled", cgotorch.MemEfficientSDP)
}

// EnableMemEfficientSDP allows or forbids the memory-efficient kernel. Follows
// torch.backends.cuda.enable_mem_efficient_sdp.
func (CUDABackend) EnableMemEfficientSDP(on bool) {
	turn("CUDA.EnableMemEfficientSDP", cgotorch.MemEfficientSDP, on)
}

// MathSDPEnabled reports whether attention may use the math implementation, which is
// composed of other operators; the default is true. Follows
// torch.backends.cuda.math_sdp_enabled.
func (CUDABackend) MathSDPEnabled() bool { return isOn("CUDA.MathSDPEnabled", cgotorch.MathSDP) }

// EnableMathSDP allows or forbids the math implementation of attention. Follows
// torch.backends.cuda.enable_math_sdp.
func (CUDABackend) EnableMathSDP(on bool) { turn("CUDA.EnableMathSDP", cgotorch.MathSDP, on) }

// CuDNNSDPEnabled reports whether attention may use cuDNN's kernel; the default is true.
// Follows torch.backends.cuda.cudnn_sdp_enabled.
func (CUDABackend) CuDNNSDPEnabled() bool { return isOn("CUDA.CuDNNSDPEnabled", cgotorch.CuDNNSDP) }

// EnableCuDNNSDP allows or forbids cuDNN's attention kernel. Follows
// torch.backends.cuda.enable_cudnn_sdp.
func (CUDABackend) EnableCuDNNSDP(on bool) { turn("CUDA.EnableCuDNNSDP", cgotorch.CuDNNSDP, on) }

// FP16BF16ReductionMathSDPAllowed reports whether attention computed from other operators
// may use float16 and bfloat16 reductions; the default is false. Follows
// torch.backends.cuda.fp16_bf16_reduction_math_sdp_allowed.
func (CUDABackend) FP16BF16ReductionMathSDPAllowed() bool {
	return isOn("CUDA.FP16BF16ReductionMathSDPAllowed", cgotorch.MathSDPReduction)
}

// AllowFP16BF16ReductionMathSDP allows or forbids float16 and bfloat16 reductions in
// attention computed from other operators. Follows
// torch.backends.cuda.allow_fp16_bf16_reduction_math_sdp.
func (CUDABackend) AllowFP16BF16ReductionMathSDP(allow bool) {
	turn("CUDA.AllowFP16BF16ReductionMathSDP", cgotorch.MathSDPReduction, allow)
}

// Library names a library that computes operators on CUDA devices.
type Library string

// These are the libraries. LibraryDefault leaves the choice to libtorch.
const (
	LibraryDefault  Library = "default"
	LibraryCuSOLVER Library = "cusolver" // for linear algebra
	LibraryMAGMA    Library = "magma"    // for linear algebra
	LibraryCuBLAS   Library = "cublas"   // for matrix products
	LibraryCuBLASLt Library = "cublaslt" // for matrix products
)

var (
	linalgLibraries = []Library{LibraryDefault, LibraryCuSOLVER, LibraryMAGMA}
	blasLibraries   = []Library{LibraryDefault, LibraryCuBLAS, LibraryCuBLASLt}
)

func libraryOf(op string, all []Library, l Library) int64 {
	i := slices.Index(all, l)
	if i < 0 {
		panic(torch.NewError("backends."+op, torch.ErrValue, "library",
			fmt.Sprintf("expected one of %v, got %q", all, string(l))))
	}
	return int64(i)
}

// PreferredLinalgLibrary returns the library that decompositions and solvers prefer. The
// default is LibraryDefault. Follows torch.backends.cuda.preferred_linalg_library.
func (CUDABackend) PreferredLinalgLibrary() Library {
	return linalgLibraries[read("CUDA.PreferredLinalgLibrary", cgotorch.LinalgLibrary)]
}

// SetPreferredLinalgLibrary sets the library that decompositions and solvers prefer. It
// is LibraryDefault, LibraryCuSOLVER or LibraryMAGMA. SetPreferredLinalgLibrary panics
// with ErrValue for any other library, and with ErrRuntime if libtorch was built without
// the library. Follows torch.backends.cuda.preferred_linalg_library.
func (CUDABackend) SetPreferredLinalgLibrary(library Library) {
	const op = "CUDA.SetPreferredLinalgLibrary"
	write(op, cgotorch.LinalgLibrary, libraryOf(op, linalgLibraries, library))
}

// PreferredBLASLibrary returns the library that matrix products prefer. Follows
// torch.backends.cuda.preferred_blas_library.
func (CUDABackend) PreferredBLASLibrary() Library {
	return blasLibraries[read("CUDA.PreferredBLASLibrary", cgotorch.BLASLibrary)]
}

// SetPreferredBLASLibrary sets the library that matrix products prefer. It is
// LibraryDefault, LibraryCuBLAS or LibraryCuBLASLt. SetPreferredBLASLibrary panics with
// ErrValue for any other library, and with ErrRuntime if the library is unavailable.
// Follows torch.backends.cuda.preferred_blas_library.
func (CUDABackend) SetPreferredBLASLibrary(library Library) {
	const op = "CUDA.SetPreferredBLASLibrary"
	write(op, cgotorch.BLASLibrary, libraryOf(op, blasLibraries, library))
}
