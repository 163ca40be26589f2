package backends

// Each operator family has its own type without fields, so that assigning to a variable
// of this package changes nothing.

// All sets the precision of operators of all libraries. More specific settings override
// it. It is torch.backends.fp32_precision in Python.
var All AllBackend

// AllBackend is the type of [All].
type AllBackend struct{}

// CuDNNConvBackend is the type of backends.CuDNN.Conv.
type CuDNNConvBackend struct{}

// CuDNNRNNBackend is the type of backends.CuDNN.RNN.
type CuDNNRNNBackend struct{}

// MKLDNNMatMulBackend is the type of backends.MKLDNN.MatMul.
type MKLDNNMatMulBackend struct{}

// MKLDNNConvBackend is the type of backends.MKLDNN.Conv.
type MKLDNNConvBackend struct{}

// MKLDNNRNNBackend is the type of backends.MKLDNN.RNN.
type MKLDNNRNNBackend struct{}

// These functions return the operator families that have a precision. They are functions
// because variables could be changed.
func all() operators          { return operators{"All", genericLibrary, allOps} }
func cudaMatMul() operators   { return operators{"CUDA.MatMul", cudaLibrary, matmulOps} }
func cudnn() operators        { return operators{"CuDNN", cudaLibrary, allOps} }
func cudnnConv() operators    { return operators{"CuDNN.Conv", cudaLibrary, convOps} }
func cudnnRNN() operators     { return operators{"CuDNN.RNN", cudaLibrary, rnnOps} }
func mkldnn() operators       { return operators{"MKLDNN", mkldnnLibrary, allOps} }
func mkldnnMatMul() operators { return operators{"MKLDNN.MatMul", mkldnnLibrary, matmulOps} }
func mkldnnConv() operators   { return operators{"MKLDNN.Conv", mkldnnLibrary, convOps} }
func mkldnnRNN() operators    { return operators{"MKLDNN.RNN", mkldnnLibrary, rnnOps} }

// FP32Precision returns the precision of operators of all libraries. The default is
// PrecisionNone. Follows torch.backends.fp32_precision.
func (AllBackend) FP32Precision() FP32Precision { return all().get() }

// SetFP32Precision sets the precision of operators of all libraries for the process. It
// panics with ErrValue for an unknown precision. Follows torch.backends.fp32_precision.
func (AllBackend) SetFP32Precision(p FP32Precision) { all().set(p) }

// FP32Precision returns the precision of matrix products on CUDA, or PrecisionNone if
// neither it nor a more general setting is set. Follows
// torch.backends.cuda.matmul.fp32_precision.
func (MatMulBackend) FP32Precision() FP32Precision { return cudaMatMul().get() }

// SetFP32Precision sets the precision of matrix products on CUDA for the process. It
// panics with ErrValue for an unknown precision, and with ErrRuntime for PrecisionBF16,
// which CUDA does not support. Follows torch.backends.cuda.matmul.fp32_precision.
func (MatMulBackend) SetFP32Precision(p FP32Precision) { cudaMatMul().set(p) }

// FP32Precision returns the precision of operators on CUDA, or PrecisionNone if neither
// it nor a more general setting is set. Follows torch.backends.cudnn.fp32_precision.
func (CuDNNBackend) FP32Precision() FP32Precision { return cudnn().get() }

// SetFP32Precision sets the precision of operators on CUDA for the process. It panics
// with ErrValue for an unknown precision, and with ErrRuntime for PrecisionBF16, which
// CUDA does not support. Follows torch.backends.cudnn.fp32_precision.
func (CuDNNBackend) SetFP32Precision(p FP32Precision) { cudnn().set(p) }

// FP32Precision returns the precision of cuDNN's convolutions, or PrecisionNone if
// neither it nor a more general setting is set. Follows
// torch.backends.cudnn.conv.fp32_precision.
func (CuDNNConvBackend) FP32Precision() FP32Precision { return cudnnConv().get() }

// SetFP32Precision sets the precision of cuDNN's convolutions for the process. It panics
// with ErrValue for an unknown precision, and with ErrRuntime for PrecisionBF16, which
// CUDA does not support. Follows torch.backends.cudnn.conv.fp32_precision.
func (CuDNNConvBackend) SetFP32Precision(p FP32Precision) { cudnnConv().set(p) }

// FP32Precision returns the precision of cuDNN's recurrent layers, or PrecisionNone if
// neither it nor a more general setting is set. Follows
// torch.backends.cudnn.rnn.fp32_precision.
func (CuDNNRNNBackend) FP32Precision() FP32Precision { return cudnnRNN().get() }

// SetFP32Precision sets the precision of cuDNN's recurrent layers for the process. It
// panics with ErrValue for an unknown precision, and with ErrRuntime for PrecisionBF16,
// which CUDA does not support. Follows torch.backends.cudnn.rnn.fp32_precision.
func (CuDNNRNNBackend) SetFP32Precision(p FP32Precision) { cudnnRNN().set(p) }

// FP32Precision returns the precision of oneDNN's operators, or PrecisionNone if neither
// it nor a more general setting is set. Follows torch.backends.mkldnn.fp32_precision.
func (MKLDNNBackend) FP32Precision() FP32Precision { return mkldnn().get() }

// SetFP32Precision sets the precision of oneDNN's operators for the process. It panics
// with ErrValue for an unknown precision. Follows torch.backends.mkldnn.fp32_precision.
func (MKLDNNBackend) SetFP32Precision(p FP32Precision) { mkldnn().set(p) }

// FP32Precision returns the precision of oneDNN's matrix products, or PrecisionNone if
// neither it nor a more general setting is set. Follows
// torch.backends.mkldnn.matmul.fp32_precision.
func (MKLDNNMatMulBackend) FP32Precision() FP32Precision { return mkldnnMatMul().get() }

// SetFP32Precision sets the precision of oneDNN's matrix products for the process. It
// panics with ErrValue for an unknown precision. Follows
// torch.backends.mkldnn.matmul.fp32_precision.
func (MKLDNNMatMulBackend) SetFP32Precision(p FP32Precision) { mkldnnMatMul().set(p) }

// FP32Precision returns the precision of oneDNN's convolutions, or PrecisionNone if
// neither it nor a more general setting is set. Follows
// torch.backends.mkldnn.conv.fp32_precision.
func (MKLDNNConvBackend) FP32Precision() FP32Precision { return mkldnnConv().get() }

// SetFP32Precision sets the precision of oneDNN's convolutions for the process. It panics
// with ErrValue for an unknown precision. Follows
// torch.backends.mkldnn.conv.fp32_precision.
func (MKLDNNConvBackend) SetFP32Precision(p FP32Precision) { mkldnnConv().set(p) }

// FP32Precision returns the precision of oneDNN's recurrent layers, or PrecisionNone if
// neither it nor a more general setting is set. Follows
// torch.backends.mkldnn.rnn.fp32_precision.
func (MKLDNNRNNBackend) FP32Precision() FP32Precision { return mkldnnRNN().get() }

// SetFP32Precision sets the precision of oneDNN's recurrent layers for the process. It
// panics with ErrValue for an unknown precision. Follows
// torch.backends.mkldnn.rnn.fp32_precision.
func (MKLDNNRNNBackend) SetFP32Precision(p FP32Precision) { mkldnnRNN().set(p) }
