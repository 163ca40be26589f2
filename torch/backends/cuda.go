package backends

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/torch"
)

// CUDA has the switches of cuBLAS, of the libraries of linear algebra, and of the
// kernels of attention, torch.backends.cuda in Python.
var CUDA CUDABackend

// CUDABackend is the type of [CUDA].
type CUDABackend struct {
	MatMul MatMulBackend // products of matrices
}

// MatMulBackend is the type of backends.CUDA.MatMul: how cuBLAS multiplies matrices.
type MatMulBackend struct{}

// AllowTF32 reports whether products of float32 matrices may use TensorFloat32; false
// unless set. It panics with ErrRuntime if this was chosen by FP32Precision for some
// operators and contradicts it. Follows torch.backends.cuda.matmul.allow_tf32.
func (MatMulBackend) AllowTF32() bool { return isOn("CUDA.MatMul.AllowTF32", cgotorch.CuBLASTF32) }

// SetAllowTF32 says whether they may. It changes [torch.Float32MatmulPrecision] and
// FP32Precision too, to PrecisionTF32 or PrecisionIEEE.
// Follows torch.backends.cuda.matmul.allow_tf32.
func (MatMulBackend) SetAllowTF32(allow bool) {
	turn("CUDA.MatMul.SetAllowTF32", cgotorch.CuBLASTF32, allow)
}

// reductions are libtorch's numbers: 0 allows both, 1 to split the sum, 2 neither.
func reductions(op string, allow, splitK bool) int64 {
	switch {
	case allow && splitK:
		return 0
	case allow:
		panic(torch.NewError("backends."+op, torch.ErrValue, "splitK", "expected true where sums of reduced precision are allowed, got false"))
	case splitK:
		return 1
	default:
		return 2
	}
}

// AllowFP16ReducedPrecisionReduction reports whether sums of float16 products may be
// taken in float16, and whether a sum may be split into parts; both are true unless set.
// Follows torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction.
func (MatMulBackend) AllowFP16ReducedPrecisionReduction() (allow, splitK bool) {
	v := read("CUDA.MatMul.AllowFP16ReducedPrecisionReduction", cgotorch.CuBLASFP16Reduction)
	return v == 0, v < 2
}

// SetAllowFP16ReducedPrecisionReduction says whether they may. It panics with ErrValue
// if sums of reduced precision are allowed but not to be split, which cuBLAS cannot do.
// Follows torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction.
func (MatMulBackend) SetAllowFP16ReducedPrecisionReduction(allow, splitK bool) {
	const op = "CUDA.MatMul.SetAllowFP16ReducedPrecisionReduction"
	write(op, cgotorch.CuBLASFP16Reduction, reductions(op, allow, splitK))
}

// AllowBF16ReducedPrecisionReduction reports the same of bfloat16.
// Follows torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction.
func (MatMulBackend) AllowBF16ReducedPrecisionReduction() (allow, splitK bool) {
	v := read("CUDA.MatMul.AllowBF16ReducedPrecisionReduction", cgotorch.CuBLASBF16Reduction)
	return v == 0, v < 2
}

// SetAllowBF16ReducedPrecisionReduction says the same of bfloat16, and panics as
// SetAllowFP16ReducedPrecisionReduction does.
// Follows torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction.
func (MatMulBackend) SetAllowBF16ReducedPrecisionReduction(allow, splitK bool) {
	const op = "CUDA.MatMul.SetAllowBF16ReducedPrecisionReduction"
	write(op, cgotorch.CuBLASBF16Reduction, reductions(op, allow, splitK))
}

// AllowFP16Accumulation reports whether products of float16 matrices may be added up in
// float16; false unless set.
// Follows torch.backends.cuda.matmul.allow_fp16_accumulation.
func (MatMulBackend) AllowFP16Accumulation() bool {
	return isOn("CUDA.MatMul.AllowFP16Accumulation", cgotorch.CuBLASFP16Accumulation)
}

// SetAllowFP16Accumulation says whether they may.
// Follows torch.backends.cuda.matmul.allow_fp16_accumulation.
func (MatMulBackend) SetAllowFP16Accumulation(allow bool) {
	turn("CUDA.MatMul.SetAllowFP16Accumulation", cgotorch.CuBLASFP16Accumulation, allow)
}

// FlashSDPEnabled reports whether scaled dot product attention may use the kernel of
// FlashAttention; true unless set. Follows torch.backends.cuda.flash_sdp_enabled.
func (CUDABackend) FlashSDPEnabled() bool { return isOn("CUDA.FlashSDPEnabled", cgotorch.FlashSDP) }

// EnableFlashSDP says whether it may. Follows torch.backends.cuda.enable_flash_sdp.
func (CUDABackend) EnableFlashSDP(on bool) { turn("CUDA.EnableFlashSDP", cgotorch.FlashSDP, on) }

// MemEfficientSDPEnabled reports whether attention may use the kernel that needs little
// memory; true unless set. Follows torch.backends.cuda.mem_efficient_sdp_enabled.
func (CUDABackend) MemEfficientSDPEnabled() bool {
	return isOn("CUDA.MemEfficientSDPEnabled", cgotorch.MemEfficientSDP)
}

// EnableMemEfficientSDP says whether it may.
// Follows torch.backends.cuda.enable_mem_efficient_sdp.
func (CUDABackend) EnableMemEfficientSDP(on bool) {
	turn("CUDA.EnableMemEfficientSDP", cgotorch.MemEfficientSDP, on)
}

// MathSDPEnabled reports whether attention may be put together from other operators;
// true unless set. Follows torch.backends.cuda.math_sdp_enabled.
func (CUDABackend) MathSDPEnabled() bool { return isOn("CUDA.MathSDPEnabled", cgotorch.MathSDP) }

// EnableMathSDP says whether it may. Follows torch.backends.cuda.enable_math_sdp.
func (CUDABackend) EnableMathSDP(on bool) { turn("CUDA.EnableMathSDP", cgotorch.MathSDP, on) }

// CuDNNSDPEnabled reports whether attention may use cuDNN's kernel; true unless set.
// Follows torch.backends.cuda.cudnn_sdp_enabled.
func (CUDABackend) CuDNNSDPEnabled() bool { return isOn("CUDA.CuDNNSDPEnabled", cgotorch.CuDNNSDP) }

// EnableCuDNNSDP says whether it may. Follows torch.backends.cuda.enable_cudnn_sdp.
func (CUDABackend) EnableCuDNNSDP(on bool) { turn("CUDA.EnableCuDNNSDP", cgotorch.CuDNNSDP, on) }

// FP16BF16ReductionMathSDPAllowed reports whether attention put together from operators
// may take sums in float16 and bfloat16; false unless set.
// Follows torch.backends.cuda.fp16_bf16_reduction_math_sdp_allowed.
func (CUDABackend) FP16BF16ReductionMathSDPAllowed() bool {
	return isOn("CUDA.FP16BF16ReductionMathSDPAllowed", cgotorch.MathSDPReduction)
}

// AllowFP16BF16ReductionMathSDP says whether it may.
// Follows torch.backends.cuda.allow_fp16_bf16_reduction_math_sdp.
func (CUDABackend) AllowFP16BF16ReductionMathSDP(allow bool) {
	turn("CUDA.AllowFP16BF16ReductionMathSDP", cgotorch.MathSDPReduction, allow)
}

// Library names a library that an operator on a CUDA device is to prefer.
type Library string

// The libraries. LibraryDefault leaves the choice to libtorch.
const (
	LibraryDefault  Library = "default"
	LibraryCuSOLVER Library = "cusolver" // linear algebra
	LibraryMAGMA    Library = "magma"    // linear algebra
	LibraryCuBLAS   Library = "cublas"   // products
	LibraryCuBLASLt Library = "cublaslt" // products
)

var (
	linalgLibraries = []Library{LibraryDefault, LibraryCuSOLVER, LibraryMAGMA}
	blasLibraries   = []Library{LibraryDefault, LibraryCuBLAS, LibraryCuBLASLt}
)

func libraryOf(op string, all []Library, l Library) int64 {
	i := slices.Index(all, l)
	if i < 0 {
		panic(torch.NewError("backends."+op, torch.ErrValue, "library", fmt.Sprintf("expected one of %v, got %q", all, string(l))))
	}
	return int64(i)
}

// PreferredLinalgLibrary returns which library decompositions and solvers prefer,
// LibraryDefault unless set.
// Follows torch.backends.cuda.preferred_linalg_library.
func (CUDABackend) PreferredLinalgLibrary() Library {
	return linalgLibraries[read("CUDA.PreferredLinalgLibrary", cgotorch.LinalgLibrary)]
}

// SetPreferredLinalgLibrary chooses it: LibraryDefault, LibraryCuSOLVER or LibraryMAGMA,
// else it panics with ErrValue; with ErrRuntime if libtorch was built without it.
// Follows torch.backends.cuda.preferred_linalg_library.
func (CUDABackend) SetPreferredLinalgLibrary(library Library) {
	const op = "CUDA.SetPreferredLinalgLibrary"
	write(op, cgotorch.LinalgLibrary, libraryOf(op, linalgLibraries, library))
}

// PreferredBLASLibrary returns which library products prefer.
// Follows torch.backends.cuda.preferred_blas_library.
func (CUDABackend) PreferredBLASLibrary() Library {
	return blasLibraries[read("CUDA.PreferredBLASLibrary", cgotorch.BLASLibrary)]
}

// SetPreferredBLASLibrary chooses it: LibraryDefault, LibraryCuBLAS or LibraryCuBLASLt,
// else it panics with ErrValue; with ErrRuntime if it is not there.
// Follows torch.backends.cuda.preferred_blas_library.
func (CUDABackend) SetPreferredBLASLibrary(library Library) {
	const op = "CUDA.SetPreferredBLASLibrary"
	write(op, cgotorch.BLASLibrary, libraryOf(op, blasLibraries, library))
}
