package backends

import "github.com/gotorch/gotorch/cgotorch"

// MKLDNN has the switches of oneDNN, torch.backends.mkldnn in Python. Its FP32Precision
// applies to all oneDNN operators. In Python, setting it changes the setting of all
// libraries instead.
var MKLDNN MKLDNNBackend

// MKLDNNBackend is the type of [MKLDNN].
type MKLDNNBackend struct {
	MatMul MKLDNNMatMulBackend // matrix products
	Conv   MKLDNNConvBackend   // convolutions
	RNN    MKLDNNRNNBackend    // recurrent layers
}

// IsAvailable reports whether libtorch has oneDNN.
// Follows torch.backends.mkldnn.is_available.
func (MKLDNNBackend) IsAvailable() bool { return isOn("MKLDNN.IsAvailable", cgotorch.HasMKLDNN) }

// Enabled reports whether operators may use oneDNN; the default is true. Follows
// torch.backends.mkldnn.enabled.
func (MKLDNNBackend) Enabled() bool { return isOn("MKLDNN.Enabled", cgotorch.MKLDNNEnabled) }

// SetEnabled allows or forbids operators to use oneDNN. Follows
// torch.backends.mkldnn.enabled.
func (MKLDNNBackend) SetEnabled(on bool) { turn("MKLDNN.SetEnabled", cgotorch.MKLDNNEnabled, on) }

// Deterministic reports whether oneDNN uses only deterministic algorithms; the default is
// false. Follows torch.backends.mkldnn.deterministic.
func (MKLDNNBackend) Deterministic() bool {
	return isOn("MKLDNN.Deterministic", cgotorch.MKLDNNDeterministic)
}

// SetDeterministic makes oneDNN use only deterministic algorithms. Follows
// torch.backends.mkldnn.deterministic.
func (MKLDNNBackend) SetDeterministic(on bool) {
	turn("MKLDNN.SetDeterministic", cgotorch.MKLDNNDeterministic, on)
}

// MKL says whether libtorch has Intel's MKL. It is torch.backends.mkl in Python.
var MKL MKLBackend

// MKLBackend is the type of [MKL].
type MKLBackend struct{}

// IsAvailable reports whether libtorch has MKL. Follows torch.backends.mkl.is_available.
func (MKLBackend) IsAvailable() bool { return isOn("MKL.IsAvailable", cgotorch.HasMKL) }

// OpenMP says whether libtorch has OpenMP. It is torch.backends.openmp in Python.
var OpenMP OpenMPBackend

// OpenMPBackend is the type of [OpenMP].
type OpenMPBackend struct{}

// IsAvailable reports whether libtorch has OpenMP.
// Follows torch.backends.openmp.is_available.
func (OpenMPBackend) IsAvailable() bool { return isOn("OpenMP.IsAvailable", cgotorch.HasOpenMP) }
